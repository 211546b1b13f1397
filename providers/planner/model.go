package planner

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
)

// Options of New. The zero value of each field, like nil, is the default.
type Options struct {
	CallsPerStep int // most calls of one step, at least 3; 0: 8, as many as the loop makes by default
}

const (
	window       = 1_000_000 // tokens: the rules have no window; this is room for whole results
	callsPerStep = 8
	leastCalls   = 3
)

// A Model answers by rules. It has no state and is safe for concurrent use.
type Model struct {
	most int // calls of one step
}

// New returns the model of rules.
func New(o *Options) *Model {
	m := &Model{most: callsPerStep}
	if o != nil && o.CallsPerStep != 0 {
		m.most = max(o.CallsPerStep, leastCalls)
	}
	return m
}

// Info says that the model is rules. It refuses forced tools: when it has nothing left to look up, it answers.
func (m *Model) Info() providers.Info {
	return providers.Info{Provider: "planner", Name: "rules", Window: window, NoForcedTools: true}
}

// Stream answers req with the calls of the next stage, or with the answer. It computes; it waits for nothing.
func (m *Model) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		deltas := m.answer(req)
		for _, d := range deltas {
			if err := ctx.Err(); err != nil {
				yield(providers.Delta{}, &providers.Error{Class: providers.Cancelled, Provider: "planner", Model: "rules", Err: err})
				return
			}
			if !yield(d, nil) {
				return
			}
		}
	}
}

func (m *Model) answer(req *providers.Request) []providers.Delta {
	t := listen(req.Messages)
	r := newRun(t, req.Tools)
	if req.Choice != providers.None {
		for ; t.next <= len(r.stages); t.next++ {
			if calls := r.calls(t.next, m.most); len(calls) > 0 {
				return deltas(r.stages[t.next-1], calls, t.base+t.next)
			}
		}
	}
	text := r.conclusion()
	out := make([]providers.Delta, 0, strings.Count(text, "\n")+2)
	for line := range strings.Lines(text) {
		out = append(out, providers.Delta{Text: line})
	}
	return append(out, providers.Delta{Finish: providers.Stop})
}

// A call is a tool's name, its arguments, which encode in the order of their keys, and the reason for it.
type call struct {
	name string
	args map[string]any
	why  string
}

// encode is the JSON of the arguments.
func (c call) encode() json.RawMessage {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(c.args); err != nil {
		return json.RawMessage(fmt.Sprintf("%q", err.Error())) // strings, numbers and lists of them always encode
	}
	return json.RawMessage(strings.TrimSuffix(b.String(), "\n"))
}

// deltas are the calls of a stage, each behind a line of its own that says what it is for.
func deltas(s stage, calls []call, step int) []providers.Delta {
	out := []providers.Delta{{Reasoning: "rules: " + s.name + ": " + s.aim + "\n"}}
	for _, c := range calls {
		out = append(out, providers.Delta{Reasoning: "  " + c.label() + ": " + oneLine(c.why) + "\n"})
	}
	for i, c := range calls {
		id := providers.CallID(step, i+1)
		out = append(out, providers.Delta{Call: &contextwindow.ToolCall{ID: id, Name: c.name, Args: c.encode()}})
	}
	return append(out, providers.Delta{Finish: providers.Calls})
}

// label names a call in short: the tool and what it looks at.
func (c call) label() string {
	for _, key := range []string{"name", "path", "pattern", "query"} {
		s, ok := c.args[key].(string)
		if !ok {
			continue
		}
		if start, ok := c.args["start_line"].(int); ok {
			s = cite(s, start, c.args["end_line"].(int))
		}
		return c.name + " " + clip(oneLine(s), 80)
	}
	return c.name
}
