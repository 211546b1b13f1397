package openai

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
)

// An event holds the fields that this package reads of one event on the responses wire. A server that does not stream
// sends the response alone.
type event struct {
	Type         string
	OutputIndex  *int   `json:"output_index"`
	ItemID       string `json:"item_id"`
	SummaryIndex int    `json:"summary_index"`
	Delta        text
	Arguments    text
	Item         json.RawMessage
	Response     *response
}

// A response is the state of an answer, complete once the answer has ended.
type response struct {
	Object, Status    string
	Output            []json.RawMessage
	Error             json.RawMessage
	IncompleteDetails struct{ Reason string } `json:"incomplete_details"`
	Usage             json.RawMessage
}

// usage returns the counts of the server, nil without any that can be read.
func (r *response) usage() *providers.Usage {
	if len(r.Usage) == 0 || string(r.Usage) == "null" {
		return nil
	}
	var u struct {
		InputTokens        int `json:"input_tokens"`
		OutputTokens       int `json:"output_tokens"`
		InputTokensDetails struct {
			CachedTokens int `json:"cached_tokens"`
		} `json:"input_tokens_details"`
		OutputTokensDetails struct {
			ReasoningTokens int `json:"reasoning_tokens"`
		} `json:"output_tokens_details"`
	}
	if json.Unmarshal(r.Usage, &u) != nil {
		return nil // the answer is worth more
	}
	return &providers.Usage{
		Input: u.InputTokens, Cached: u.InputTokensDetails.CachedTokens,
		Output: u.OutputTokens, Reasoning: u.OutputTokensDetails.ReasoningTokens,
	}
}

// A responsesAnswer collects one answer on the responses wire.
type responsesAnswer struct {
	progress
	items []*itemParts
	shown bool      // some text was shown
	last  *response // the final state
}

func (m *Model) newResponsesAnswer() wire.Answer {
	return &responsesAnswer{progress: progress{model: m}}
}

// Ended reports whether the final state has arrived.
func (a *responsesAnswer) Ended() bool { return a.last != nil }

// Whole returns false: only the last event says how the answer ended.
func (a *responsesAnswer) Whole() bool { return false }

// Add takes one event and returns the deltas that can be shown at once.
func (a *responsesAnswer) Add(from wire.Event) ([]providers.Delta, error) {
	if err := a.model.fault(from); err != nil {
		return nil, err
	}
	var e event
	if err := json.Unmarshal(from.Data, &e); err != nil {
		return nil, a.model.report.Error(providers.Malformed, "reading an event of the answer: "+err.Error())
	}
	a.events++
	a.known = a.known || strings.HasPrefix(e.Type, "response.")
	if e.Type == "" {
		return nil, a.addWhole(from.Data)
	}
	before := len(a.items)
	out, err := a.addEvent(&e)
	if err == nil {
		err = a.held.Begin(a.model.report, len(a.items)-before)
	}
	return out, err
}

func (a *responsesAnswer) addEvent(e *event) ([]providers.Delta, error) {
	switch e.Type {
	case "response.output_text.delta", "response.refusal.delta":
		return a.text(a.item(e), string(e.Delta)), nil
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return a.reasoning(a.item(e), string(e.Delta)), nil
	case "response.reasoning_summary_part.added":
		if item := a.item(e); item.shown { // the parts of a summary become paragraphs
			return a.reasoning(item, betweenMessages), nil
		}
	case "response.function_call_arguments.delta":
		item := a.item(e)
		item.arguments.WriteString(string(e.Delta))
		return nil, a.held.Add(a.model.report, len(e.Delta), item.arguments.Len())
	case "response.function_call_arguments.done":
		if item := a.item(e); e.Arguments != "" {
			item.arguments.Reset()
			item.arguments.WriteString(string(e.Arguments))
		}
	case "response.output_item.added", "response.output_item.done":
		return a.addItem(e)
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		a.last = cmp.Or(e.Response, &response{})
		a.last.Status = cmp.Or(a.last.Status, strings.TrimPrefix(e.Type, "response."))
	}
	return nil, nil
}

// addWhole takes the answer of a server that does not stream.
func (a *responsesAnswer) addWhole(raw []byte) error {
	var r response
	if err := json.Unmarshal(raw, &r); err != nil {
		return a.model.report.Error(providers.Malformed, "reading the answer: "+err.Error())
	}
	if r.Object == "response" {
		a.known, a.last = true, &r
	}
	return nil
}

// End returns the last deltas of a complete answer, or why it is not complete.
func (a *responsesAnswer) End(req *providers.Request) ([]providers.Delta, error) {
	if a.last != nil {
		a.usage = a.last.usage()
	}
	if err := a.fault(); err != nil {
		return nil, err
	}
	out, err := a.fill()
	if err != nil {
		return nil, err
	}
	raw, items := a.output()
	calls := contentOf(items).calls
	providers.Identify(req.Messages, calls)
	var data *transcript.ProviderData
	finish := a.finishReason(items)
	if finish == providers.Stop || finish == providers.Calls {
		data = a.keep(raw, items, calls)
	}
	if slices.ContainsFunc(items, func(i outputItem) bool { return i.Type == compaction }) && a.usage != nil {
		a.usage.Compacted = a.usage.Input // the service does not say how much of it
	}
	return append(out, wire.Ending(req, calls, data, a.usage, finish)...), nil
}

// fault returns why an answer is incomplete, or nil.
func (a *responsesAnswer) fault() error {
	if a.last == nil {
		return a.progress.fault(false)
	}
	switch a.last.Status {
	case "failed", "cancelled":
		f, ok := readFaultObject(a.last.Error)
		if !ok {
			f.message = "the server aborted the answer: " + a.last.Status
		}
		return a.model.classify(f, 200)
	}
	return a.progress.fault(true)
}

// incompletes maps the reasons of incomplete answers. Any other reason is a Length.
var incompletes = map[string]providers.Finish{
	"max_output_tokens": providers.Length,
	"content_filter":    providers.Filtered,
}

// finishReason returns the finish. An answer with calls ends in Calls unless it is incomplete.
func (a *responsesAnswer) finishReason(items []outputItem) providers.Finish {
	if a.last.Status == "incomplete" {
		return cmp.Or(incompletes[a.last.IncompleteDetails.Reason], providers.Length)
	}
	finish := providers.Stop
	for _, item := range items {
		if item.Type == "function_call" {
			return providers.Calls
		}
		if slices.ContainsFunc(item.Content, func(p struct{ Type, Text, Refusal string }) bool { return p.Refusal != "" }) {
			finish = providers.Filtered
		}
	}
	return finish
}
