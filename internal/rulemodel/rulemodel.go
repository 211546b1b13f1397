// Package rulemodel makes a [providers.Model] of a function that computes each turn from the conversation so far.
// The heuristic explorer and the rules of insight are such functions: they drive the same loop, through the same tools,
// as a language model.
//
// Start with [New].
package rulemodel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
)

// What every model of this package is called. Recordings and prices know the provider as planner.
const (
	provider = "planner"
	name     = "rules"
)

const windowTokens = 1 << 30 // rules have no window: a run reads all results whole

// DefaultCalls is how many calls a turn makes at most, as many as the loop runs by default.
const DefaultCalls = 8

// A Turn answers one request: with calls or, when no calls are left to make, with a text.
type Turn struct {
	Stage, Aim string // what the calls are for, for the reasoning beside them
	Step       int    // numbers the calls
	Calls      []Call
	Text       string
}

type model struct {
	turn func(*providers.Request) Turn
}

// New returns the model that answers each request with turn. It has no state of its own.
func New(turn func(*providers.Request) Turn) providers.Model { return model{turn} }

// Info refuses forced tools: rules with nothing left to look up answer.
func (model) Info() providers.Info {
	return providers.Info{Provider: provider, Name: name, Window: windowTokens, NoForcedTools: true}
}

// Is reports whether info is that of a model of this package, or of one that wraps or replays it.
func Is(info providers.Info) bool { return info.Provider == provider }

// Stream computes the turn and yields it. It never waits.
func (m model) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		for _, d := range m.turn(req).deltas() {
			if err := ctx.Err(); err != nil {
				yield(providers.Delta{}, &providers.Error{Class: providers.Cancelled, Provider: provider, Model: name, Err: err})
				return
			}
			if !yield(d, nil) {
				return
			}
		}
	}
}

// deltas writes a line of reasoning for the turn and one for each call, then the calls; or the lines of the text.
func (t Turn) deltas() []providers.Delta {
	var out []providers.Delta
	if len(t.Calls) == 0 {
		for text := range strings.Lines(t.Text) {
			out = append(out, providers.Delta{Text: text})
		}
		return append(out, providers.Delta{Finish: providers.Stop})
	}
	out = append(out, providers.Delta{Reasoning: "rules: " + t.Stage + ": " + t.Aim + "\n"})
	for _, c := range t.Calls {
		out = append(out, providers.Delta{Reasoning: "  " + c.label() + ": " + line.Flat(c.Why) + "\n"})
	}
	for i, c := range t.Calls {
		id := providers.CallID(t.Step, i+1)
		out = append(out, providers.Delta{Call: &transcript.ToolCall{ID: id, Name: c.Name, Args: c.encode()}})
	}
	return append(out, providers.Delta{Finish: providers.Calls})
}

// A Call is a tool's name, its arguments, which are encoded in the order of their keys, and the reason for it.
type Call struct {
	Name string
	Args map[string]any
	Why  string
}

// Ask returns a call of a tool.
func Ask(tool string, args map[string]any, why string) Call { return Call{tool, args, why} }

// Key identifies a call by its name and arguments, like that of its [Result].
func (c Call) Key() string { return c.Name + string(c.encode()) }

func (c Call) encode() json.RawMessage {
	raw, err := line.JSON(c.Args)
	if err != nil {
		return json.RawMessage(fmt.Sprintf("%q", err.Error())) // strings, numbers and lists of them always encode
	}
	return raw
}

const labelRunes = 80

// label names a call in short: the tool and what it looks at.
func (c Call) label() string {
	for _, key := range []string{"name", "path", "pattern", "query"} {
		s, ok := c.Args[key].(string)
		if !ok {
			continue
		}
		if start, ok := c.Args["start_line"].(int); ok {
			s = fmt.Sprintf("%s:%d-%d", s, start, c.Args["end_line"].(int))
		}
		return c.Name + " " + line.Truncate(line.Flat(s), labelRunes)
	}
	return c.Name
}

// A Result is a call that was made and what came back.
type Result struct {
	Name   string
	Args   json.RawMessage
	Text   string
	Failed bool
}

// Key is that of the call.
func (r Result) Key() string { return r.Name + string(r.Args) }

// Results pairs the tool results of messages with their calls.
func Results(messages []transcript.Message) []Result {
	var all []Result
	calls := make(map[string]transcript.ToolCall)
	for _, m := range messages {
		for _, c := range m.Calls {
			calls[c.ID] = c
		}
		if c, ok := calls[m.CallID]; ok && m.Role == transcript.Tool {
			all = append(all, Result{c.Name, c.Args, m.Text, m.Failed})
		}
	}
	return all
}

// Decode reads the first JSON value of a text, which notes may follow. The window may have truncated it: a field of
// another type than expected stays zero.
func Decode[T any](text string) (v T, ok bool) {
	err := json.NewDecoder(strings.NewReader(text)).Decode(&v)
	mismatch := (*json.UnmarshalTypeError)(nil)
	return v, err == nil || errors.As(err, &mismatch)
}
