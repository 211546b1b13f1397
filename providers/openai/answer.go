package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
)

// finishes are the finish reasons of servers. One that is not here is a Stop.
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

// failures are the finish reasons that are errors.
var failures = map[string]providers.Class{
	"error":                        providers.Transient, // OpenRouter
	"insufficient_system_resource": providers.Transient, // DeepSeek
	"network_error":                providers.Network,   // Z.ai
	"abort":                        providers.Network,   // vLLM, SGLang
}

// An answer is what has come of one answer.
type answer struct {
	model     *Model
	events    int  // events that came
	known     bool // one of them was of this dialect
	reasoning strings.Builder
	details   []json.RawMessage
	calls     []*callParts
	refusal   bool
	finish    string
	usage     *providers.Usage
}

type callParts struct {
	index     int
	id, name  string
	arguments strings.Builder
	extra     json.RawMessage
}

// add takes one event and returns what of it can be shown at once.
func (a *answer) add(raw []byte) ([]providers.Delta, error) {
	var c chunk
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, a.model.error(providers.Malformed, "reading an event of the answer: "+err.Error())
	}
	a.events++
	a.known = a.known || c.Choices != nil || c.Usage != nil
	if c.Usage != nil {
		a.usage = c.Usage.counted()
	}
	var out []providers.Delta
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // only one is asked for
		}
		for _, d := range []*delta{choice.Delta, choice.Message} {
			if d != nil {
				out = a.addDelta(out, d)
			}
		}
		if choice.FinishReason != "" {
			a.finish = choice.FinishReason
		}
	}
	return out, nil
}

func (a *answer) addDelta(out []providers.Delta, d *delta) []providers.Delta {
	reasoning := d.ReasoningContent
	a.reasoning.WriteString(string(reasoning))
	if reasoning == "" {
		reasoning = d.Reasoning // some servers send both, with the same text
	}
	if reasoning != "" {
		out = append(out, providers.Delta{Reasoning: string(reasoning)})
	}
	for _, said := range []text{d.Content, d.Refusal} {
		if said != "" {
			out = append(out, providers.Delta{Text: string(said)})
		}
	}
	a.refusal = a.refusal || d.Refusal != ""
	for _, detail := range d.ReasoningDetails {
		a.details = addDetail(a.details, detail)
	}
	for i, piece := range d.ToolCalls {
		a.addCall(piece, i)
	}
	return out
}

// addCall adds a piece, the position-th of its event, to its call.
func (a *answer) addCall(p callPiece, position int) {
	call := a.callOf(p, position)
	if call == nil {
		call = &callParts{index: len(a.calls)}
		if p.Index != nil {
			call.index = *p.Index
		}
		a.calls = append(a.calls, call)
	}
	if call.id == "" {
		call.id = p.ID
	}
	if call.name == "" {
		call.name = p.Function.Name // never in pieces; some servers repeat it
	}
	call.arguments.WriteString(string(p.Function.Arguments))
	if len(p.ExtraContent) > 0 && string(p.ExtraContent) != "null" {
		call.extra = bytes.Clone(p.ExtraContent)
	}
}

// callOf returns the call that p goes on with, nil when it begins one. It goes on with the call of its index, else with
// the last one; but a name with another id begins a call, for there are servers that give all calls the index 0, and
// without an index so does a name without an id, and each further piece of one event.
func (a *answer) callOf(p callPiece, position int) *callParts {
	for i := len(a.calls) - 1; i >= 0; i-- {
		c := a.calls[i]
		if p.Index != nil && c.index != *p.Index {
			continue
		}
		other := p.Function.Name != "" && p.ID != "" && c.id != "" && p.ID != c.id
		if other || p.Index == nil && (position > 0 || p.Function.Name != "" && p.ID == "") {
			return nil
		}
		return c
	}
	return nil
}

// end returns the deltas that come when the answer is whole, or why it is not.
func (a *answer) end(req *providers.Request) ([]providers.Delta, error) {
	if err := a.fault(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(a.calls, func(x, y *callParts) int { return x.index - y.index })
	out := a.wholeCalls(req)
	opaque, err := a.kept().opaque(a.model.config.Name)
	if err != nil {
		return nil, a.model.error(providers.Malformed, "keeping the reasoning: "+err.Error())
	}
	if opaque != nil {
		out = append(out, providers.Delta{Opaque: opaque})
	}
	if a.usage != nil {
		out = append(out, providers.Delta{Usage: a.usage})
	}
	return append(out, providers.Delta{Finish: a.finished()}), nil
}

// fault returns why the answer is not whole; nil when it is.
func (a *answer) fault() error {
	window := a.model.config.Info.Window
	class, failed := failures[a.finish]
	switch {
	case failed:
		return a.model.error(class, "the server gave the answer up: "+a.finish)
	case a.events > 0 && !a.known:
		return a.model.error(providers.Malformed, "the server answered with JSON that is no answer of a model"+a.model.hint())
	case a.events == 0:
		return a.model.error(providers.Network, "the answer is empty"+a.model.hint())
	case a.finish == "":
		return a.model.wrap(providers.Network, providers.ErrNoFinish)
	case window > 0 && a.usage != nil && a.usage.Input == window: // Ollama cuts a request to its window and says nothing
		e := a.model.error(providers.Overflow, "the server has cut the request to its window")
		e.Limit = window
		return e
	}
	return nil
}

// finished maps the finish reason. Calls are calls whatever it is called, unless the answer was cut.
func (a *answer) finished() providers.Finish {
	finish, known := finishes[strings.ToLower(a.finish)]
	switch {
	case !known, finish == providers.Calls, finish == providers.Stop:
		if len(a.calls) > 0 {
			return providers.Calls
		}
		if a.refusal {
			return providers.Filtered
		}
		return providers.Stop
	}
	return finish
}

// wholeCalls returns the calls, each with an id that no other call of the conversation has.
func (a *answer) wholeCalls(req *providers.Request) []providers.Delta {
	if len(a.calls) == 0 {
		return nil
	}
	used := map[string]bool{"": true}
	for _, m := range req.Messages {
		for _, c := range m.Calls {
			used[c.ID] = true
		}
	}
	step := providers.NextStep(req.Messages)
	out := make([]providers.Delta, 0, len(a.calls)+3)
	for i, c := range a.calls {
		for n := i + 1; used[c.id]; n += len(a.calls) { // a second turn only where a server counts in our form
			c.id = providers.CallID(step, n)
		}
		used[c.id] = true
		out = append(out, providers.Delta{Call: &contextwindow.ToolCall{
			ID: c.id, Name: c.name, Args: providers.Arguments(c.arguments.String()),
		}})
	}
	return out
}

// kept returns what the server wants back with the message.
func (a *answer) kept() kept {
	k := kept{ReasoningDetails: a.details}
	if len(a.calls) > 0 {
		k.ReasoningContent = a.reasoning.String()
	}
	for i, c := range a.calls {
		if c.extra != nil && k.Calls == nil {
			k.Calls = make([]json.RawMessage, len(a.calls))
		}
		if c.extra != nil {
			k.Calls[i] = c.extra
		}
	}
	return k
}
