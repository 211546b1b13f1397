package transcript

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/toollimit"
)

// ErrUnpaired says that what was appended is no unit: a message of the user or the assistant alone, or an assistant
// message with calls and exactly one result for each of them.
var ErrUnpaired = errors.New("calls and results do not pair")

// ErrEmpty says that a message was appended that says nothing: no text, no calls, no opaque part.
var ErrEmpty = errors.New("message without a text or calls")

// Pair checks that head and results are one unit and returns copies of them, the results in the order of the calls. What
// does not belong to a message of its role is left out.
func Pair(head Message, results []Message) ([]Message, error) {
	if err := checkHead(head); err != nil {
		return nil, err
	}
	if len(head.Calls) != len(results) {
		return nil, fmt.Errorf("%w: %d calls, %d results", ErrUnpaired, len(head.Calls), len(results))
	}
	head = Message{Role: head.Role, Text: head.Text, Calls: cloneCalls(head.Calls), Origin: head.Origin, ProviderData: cloneOpaque(head)}
	if len(head.Calls) == 0 && head.ProviderData == nil && strings.TrimSpace(head.Text) == "" {
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
			Kind: toollimit.Kind(valid(string(r.Kind))), Failed: r.Failed, Origin: head.Origin})
	}
	return messages, nil
}

// pairResults returns the index of the result of each call.
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
			return nil, fmt.Errorf("%w: no result of a tool for call %q, or two calls have that id", ErrUnpaired, call.ID)
		}
		delete(byID, call.ID)
		at[i] = k
	}
	return at, nil
}

// checkHead checks what the first message of a unit says of itself.
func checkHead(head Message) error {
	if head.Role != User && head.Role != Assistant {
		return fmt.Errorf("%w: a unit cannot begin with a message of role %q", ErrUnpaired, head.Role)
	}
	if len(head.Calls) > 0 && head.Role != Assistant {
		return fmt.Errorf("%w: only an assistant calls tools", ErrUnpaired)
	}
	if head.Origin != "" && head.Origin != History && (head.Origin != Prompt || head.Role != User) {
		return fmt.Errorf("%w: a message of the %s cannot come from %q", ErrUnpaired, head.Role, head.Origin)
	}
	return nil
}

// cloneCalls copies calls with their arguments, so that a caller who reuses its buffers changes nothing here.
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

// Units splits messages into the units that Window.Append takes: unit[0] and unit[1:]. They are copies, and results are in
// the order of their calls. It returns ErrUnpaired or ErrEmpty, with the index of the message, for what is no unit. Who
// begins and who ends the messages does not matter. The record of another window becomes history, for what it tells of
// was before; an origin that nobody knows is left out.
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
			return nil, fmt.Errorf("splitting messages into units: message %d: %w", i, err)
		}
		units = append(units, unit)
		i = end
	}
	return units, nil
}

// mostOpaque bounds what an opaque part may say of its size, in tokens: more than any window holds.
const mostOpaque = 1 << 30

// cloneOpaque copies the opaque part of an assistant's message; no other message has one.
func cloneOpaque(m Message) *ProviderData {
	if m.ProviderData == nil || m.Role != Assistant {
		return nil
	}
	o := *m.ProviderData
	o.Dialect, o.Model = valid(o.Dialect), valid(o.Model)
	o.Tokens = min(max(o.Tokens, 0), mostOpaque)
	o.Data = slices.Clone(o.Data)
	return &o
}

// valid replaces what is not UTF-8: ids, names and arguments come from JSON and go into JSON.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
