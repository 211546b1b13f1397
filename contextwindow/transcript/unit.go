package transcript

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/toollimit"
)

// ErrUnpaired says that messages are not a unit: a user or assistant message alone, or an assistant message with calls
// and exactly one result for each.
var ErrUnpaired = errors.New("calls and results do not pair")

// ErrEmpty says that a message has no text, no pictures, no calls and no provider data.
var ErrEmpty = errors.New("message without text or calls")

// Pair returns copies of head and results as one unit, with the results in the order of the calls. It drops what a
// message of its role cannot have. For anything but a unit it returns [ErrUnpaired] or [ErrEmpty].
func Pair(head Message, results []Message) ([]Message, error) {
	if err := checkHead(head); err != nil {
		return nil, err
	}
	if len(head.Calls) != len(results) {
		return nil, fmt.Errorf("%w: %d calls, %d results", ErrUnpaired, len(head.Calls), len(results))
	}
	head = Message{Role: head.Role, Text: head.Text, Calls: cloneCalls(head.Calls), Origin: head.Origin,
		ProviderData: cloneData(head), Images: imagesOf(head)}
	if head.empty() {
		return nil, ErrEmpty
	}
	at, err := pairResults(head.Calls, results)
	if err != nil {
		return nil, err
	}
	messages := make([]Message, 1, 1+len(results))
	messages[0] = head
	for i, call := range head.Calls {
		r := &results[at[i]]
		messages = append(messages, Message{Role: Tool, Text: r.Text, CallID: call.ID, Name: call.Name,
			Kind: toollimit.Kind(valid(string(r.Kind))), Failed: r.Failed, Origin: head.Origin,
			Images: imagesOf(*r)})
	}
	return messages, nil
}

func pairResults(calls []ToolCall, results []Message) ([]int, error) {
	byID := make(map[string]int, len(results))
	for i := range results {
		if r := &results[i]; r.Role == Tool && len(r.Calls) == 0 {
			byID[valid(r.CallID)] = i
		}
	}
	at := make([]int, len(calls))
	for i, call := range calls {
		k, ok := byID[call.ID]
		if !ok {
			return nil, fmt.Errorf("%w: call %q has no tool result, or shares its id with another call", ErrUnpaired, call.ID)
		}
		delete(byID, call.ID)
		at[i] = k
	}
	return at, nil
}

func checkHead(head Message) error {
	if head.Role != User && head.Role != Assistant {
		return fmt.Errorf("%w: a unit cannot begin with role %q", ErrUnpaired, head.Role)
	}
	if len(head.Calls) > 0 && head.Role != Assistant {
		return fmt.Errorf("%w: only the assistant calls tools", ErrUnpaired)
	}
	if head.Origin != "" && head.Origin != History && (head.Origin != Prompt || head.Role != User) {
		return fmt.Errorf("%w: a message of role %q cannot have the origin %q", ErrUnpaired, head.Role, head.Origin)
	}
	return nil
}

// cloneCalls copies calls with their arguments, so that the caller may reuse its buffers.
func cloneCalls(calls []ToolCall) []ToolCall {
	if len(calls) == 0 {
		return nil
	}
	clones := make([]ToolCall, len(calls))
	for i, c := range calls {
		clones[i] = ToolCall{ID: valid(c.ID), Name: valid(c.Name)}
		if len(c.Args) > 0 {
			clones[i].Args = json.RawMessage(valid(string(c.Args)))
		}
	}
	return clones
}

// Units splits messages into units: unit[0] is the head, unit[1:] its results. They are copies as [Pair] makes them.
// For anything but a unit it returns [ErrUnpaired] or [ErrEmpty], with the index of the message. The messages may
// begin and end with any role. The digest of another window becomes history, and an unknown origin is dropped.
func Units(ms []Message) ([][]Message, error) {
	var units [][]Message
	for i := 0; i < len(ms); {
		end := i + 1
		for end < len(ms) && ms[end].Role == Tool {
			end++
		}
		head := ms[i]
		switch {
		case head.Origin == Runtime:
			head.Origin = History
		case head.Origin != History && (head.Origin != Prompt || head.Role != User):
			head.Origin = ""
		}
		unit, err := Pair(head, ms[i+1:end])
		if err != nil {
			return nil, fmt.Errorf("split messages into units: message %d: %w", i, err)
		}
		units = append(units, unit)
		i = end
	}
	return units, nil
}

// maxDataTokens bounds the size that provider data may claim: more than any window holds.
const maxDataTokens = 1 << 30

// cloneData copies the provider data of an assistant message.
func cloneData(m Message) *ProviderData {
	if m.ProviderData == nil || m.Role != Assistant {
		return nil
	}
	o := *m.ProviderData
	o.Dialect, o.Model, o.Prefix = valid(o.Dialect), valid(o.Model), valid(o.Prefix)
	o.Tokens = min(max(o.Tokens, 0), maxDataTokens)
	o.Data = slices.Clone(o.Data)
	return &o
}

// imagesOf copies the pictures of a message that may have some. Their data is shared: nobody writes to it.
func imagesOf(m Message) []toollimit.Image {
	if len(m.Images) == 0 || m.Role == Assistant {
		return nil
	}
	images := slices.Clone(m.Images)
	for i := range images {
		im := &images[i]
		im.Name, im.Type, im.URL, im.Note = valid(im.Name), valid(im.Type), valid(im.URL), valid(im.Note)
		im.Width, im.Height = max(im.Width, 0), max(im.Height, 0)
		im.Tokens = min(max(im.Tokens, 0), maxDataTokens)
	}
	return images
}

// valid replaces what is not UTF-8: ids, names and arguments come from JSON and go back into JSON.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
