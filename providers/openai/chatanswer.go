package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
)

// finishes maps the finish reasons of servers. Any other reason is a Stop.
var finishes = map[string]providers.Finish{
	"stop":           providers.Stop,
	"tool_calls":     providers.Calls,
	"function_call":  providers.Calls,
	"length":         providers.Length,
	"max_tokens":     providers.Length,
	"model_length":   providers.Length,
	"content_filter": providers.Filtered,
	"sensitive":      providers.Filtered, // Z.ai
	"safety":         providers.Filtered,
}

// failures maps the finish reasons that are errors.
var failures = map[string]providers.Class{
	"error":                        providers.Transient, // OpenRouter
	"insufficient_system_resource": providers.Transient, // DeepSeek
	"network_error":                providers.Network,   // Z.ai
	"abort":                        providers.Network,   // vLLM, SGLang
}

// A chatAnswer collects one answer on the chat wire.
type chatAnswer struct {
	progress
	reasoning strings.Builder // to send back
	details   details
	calls     []*callParts
	refusal   bool
	finish    string
	settled   bool     // the finish came after all content: a failure now costs nothing
	timings   *timings // nil: the server sends none
}

func (m *Model) newChatAnswer() wire.Answer { return &chatAnswer{progress: progress{model: m}} }

// Ended returns false: usage and the end of the stream follow the finish.
func (a *chatAnswer) Ended() bool { return false }

// Whole reports whether the finish has arrived, after all content.
func (a *chatAnswer) Whole() bool { return a.settled }

type callParts struct {
	index     int
	id, name  string
	arguments strings.Builder
	extra     json.RawMessage
}

// misfits reports whether err is that the member called name, or one in it, is of another type than its field. The rest
// is decoded then.
func misfits(err error, name string) bool {
	var field *json.UnmarshalTypeError
	return errors.As(err, &field) && (field.Field == name || strings.HasPrefix(field.Field, name+"."))
}

// Add takes one event and returns the deltas that can be shown at once.
func (a *chatAnswer) Add(e wire.Event) ([]providers.Delta, error) {
	if err := a.model.fault(e); err != nil {
		return nil, err
	}
	var c chunk
	switch err := json.Unmarshal(e.Data, &c); {
	case misfits(err, "usage") || misfits(err, "timings"):
		c.Usage, c.Timings = nil, nil // the answer is worth more
	case err != nil:
		return nil, a.model.report.Error(providers.Malformed, "reading an event of the answer: "+err.Error())
	}
	a.events++
	a.known = a.known || c.Choices != nil || c.Usage != nil
	if c.Usage != nil {
		a.usage = c.Usage.provider()
	}
	a.timings = cmp.Or(c.Timings, a.timings)
	var out []providers.Delta
	if c.PromptProgress != nil {
		out = append(out, providers.Delta{Reading: c.PromptProgress.provider()})
	}
	content := false
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // the request asks for one choice
		}
		for _, d := range []*delta{choice.Delta, choice.Message} {
			if d == nil {
				continue
			}
			out = a.addDelta(out, d)
			if err := a.hold(d); err != nil {
				return nil, err
			}
			content = content || len(out) > 0 || len(d.ToolCalls) > 0
		}
		if choice.FinishReason != "" {
			a.finish = choice.FinishReason
		}
	}
	a.settled = a.finish != "" && !content // some proxies send a finish with each piece
	return out, nil
}

func (a *chatAnswer) addDelta(out []providers.Delta, d *delta) []providers.Delta {
	reasoning := cmp.Or(d.ReasoningContent, d.Reasoning, d.Content.thinking) // some servers send both, with the same text
	if reasoning != "" {
		out = append(out, providers.Delta{Reasoning: string(reasoning)})
	}
	if a.model.quirks.Reasoning == fieldReasoning {
		a.reasoning.WriteString(string(reasoning))
	} else {
		a.reasoning.WriteString(string(d.ReasoningContent))
	}
	for _, t := range []text{d.Content.text, d.Refusal} {
		if t != "" {
			out = append(out, providers.Delta{Text: string(t)})
		}
	}
	a.refusal = a.refusal || d.Refusal != ""
	return out
}

// hold adds what the answer holds until its end.
func (a *chatAnswer) hold(d *delta) error {
	for _, detail := range d.ReasoningDetails {
		if err := a.held.Add(a.model.report, a.details.add(detail), 0); err != nil {
			return err
		}
	}
	for i, piece := range d.ToolCalls {
		if err := a.addCall(piece, i); err != nil {
			return err
		}
	}
	return nil
}

// addCall adds a piece of a call; position is its index in its event.
func (a *chatAnswer) addCall(p callPiece, position int) error {
	call := a.continuedCall(p, position)
	if call == nil {
		if err := a.held.Begin(a.model.report, 1); err != nil {
			return err
		}
		call = &callParts{index: len(a.calls)}
		if p.Index != nil {
			call.index = *p.Index
		}
		a.calls = append(a.calls, call)
	}
	call.id = cmp.Or(call.id, p.ID)
	call.name = cmp.Or(call.name, p.Function.Name) // never in pieces; some servers repeat it
	call.arguments.WriteString(string(p.Function.Arguments))
	if len(p.ExtraContent) > 0 && string(p.ExtraContent) != "null" {
		call.extra = p.ExtraContent
	}
	added := len(p.ID) + len(p.Function.Name) + len(p.Function.Arguments) + len(p.ExtraContent)
	return a.held.Add(a.model.report, added, call.arguments.Len()+len(call.name)+len(call.id)+len(call.extra))
}

// continuedCall returns the call that p continues, or nil if p starts a new call. p continues the latest call with its
// index or, without an index, the latest call of all. It starts a new call
//   - if it has a name and another id than that call, because some servers give every call the index 0,
//   - if it has a name, but neither an index nor an id,
//   - if it has no index and is not the first piece of its event.
func (a *chatAnswer) continuedCall(p callPiece, position int) *callParts {
	for i := len(a.calls) - 1; i >= 0; i-- {
		c := a.calls[i]
		if p.Index != nil && c.index != *p.Index {
			continue
		}
		named := p.Function.Name != ""
		otherID := p.ID != "" && c.id != "" && p.ID != c.id
		if named && otherID || p.Index == nil && (position > 0 || named && p.ID == "") {
			return nil
		}
		return c
	}
	return nil
}

// End returns the last deltas of a complete answer, or why it is not complete.
func (a *chatAnswer) End(req *providers.Request) ([]providers.Delta, error) {
	if err := a.fault(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(a.calls, func(x, y *callParts) int { return x.index - y.index })
	calls := make([]transcript.ToolCall, 0, len(a.calls))
	for _, c := range a.calls {
		calls = append(calls, transcript.ToolCall{ID: c.id, Name: c.name, Args: providers.Arguments(c.arguments.String())})
	}
	data, err := a.echo().providerData(a.model)
	if err != nil {
		return nil, a.model.report.Error(providers.Malformed, "keeping the reasoning: "+err.Error())
	}
	return wire.Ending(req, calls, data, a.timings.on(a.usage), a.finishReason()), nil
}

// fault returns why an answer is incomplete, or nil.
func (a *chatAnswer) fault() error {
	if class, failed := failures[a.finish]; failed {
		return a.model.report.Error(class, "the server aborted the answer: "+a.finish)
	}
	return a.progress.fault(a.finish != "")
}

// finishReason maps the finish reason. An answer with calls ends in Calls, whatever the server says, unless it was
// truncated or filtered.
func (a *chatAnswer) finishReason() providers.Finish {
	finish, known := finishes[strings.ToLower(a.finish)]
	switch {
	case known && finish != providers.Calls && finish != providers.Stop:
		return finish
	case len(a.calls) > 0:
		return providers.Calls
	case a.refusal:
		return providers.Filtered
	}
	return providers.Stop
}

// echo returns what the server wants back with the message.
func (a *chatAnswer) echo() echo {
	k := echo{ReasoningDetails: a.details.whole()}
	switch {
	case len(a.calls) == 0:
	case a.model.quirks.Reasoning == fieldReasoning:
		k.Reasoning = a.reasoning.String()
	default:
		k.ReasoningContent = a.reasoning.String()
	}
	hasExtra := func(c *callParts) bool { return c.extra != nil }
	if slices.ContainsFunc(a.calls, hasExtra) {
		for _, c := range a.calls {
			k.Calls = append(k.Calls, c.extra)
		}
	}
	return k
}
