package sessionwalk

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// A Walker is a model whose answer depends on its request alone, so that it continues a resumed run as it would have
// continued the first one. It reads Pages, two side by side, and writes one at each fourth step.
type Walker struct {
	Pages int
	Sent  func(request string) // sees each request as JSON; may be nil
}

// Info implements [providers.Model].
func (*Walker) Info() providers.Info { return providers.Info{Provider: "test", Name: "walker"} }

// Stream implements [providers.Model].
func (m *Walker) Stream(_ context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	raw, err := json.Marshal(req)
	if m.Sent != nil {
		m.Sent(string(raw))
	}
	page := 0
	for _, msg := range req.Messages {
		var n int
		if _, err := fmt.Sscanf(msg.Text, "page %d", &n); err == nil && msg.Role == transcript.Tool {
			page = max(page, n)
		}
	}
	var calls []transcript.ToolCall
	call := func(name, form string, page int) {
		id := fmt.Sprintf("c%d_%d", page, len(calls))
		calls = append(calls, transcript.ToolCall{ID: id, Name: name, Args: json.RawMessage(fmt.Sprintf(form, page))})
	}
	if page < m.Pages {
		call("read", `{"page": %d}`, page+1) // one form of arguments needs its spaces kept
		call("read", `{"page":%d}`, page+2)
		if page/2%4 == 3 {
			call("write", `{"page":%d}`, page)
			call("read", `{"page": %d}`, page+2)
		}
	}
	return func(yield func(providers.Delta, error) bool) {
		end := providers.Delta{Finish: providers.Calls, Usage: &providers.Usage{Input: len(raw) / 4, Output: 10}}
		if len(calls) == 0 {
			end.Text, end.Finish = fmt.Sprintf("read %d pages", page), providers.Stop
		}
		for i := range calls {
			if err == nil && !yield(providers.Delta{Call: &calls[i]}, nil) {
				return
			}
		}
		yield(end, err)
	}
}

// Tools returns the tools of a [Walker]: read, and write, which has effects and calls a function with the key of
// its call. Done reports whether a call was made; with nil nobody can say.
func Tools(write func(key string) error, done func(key string) bool) []tools.Tool {
	type args struct {
		Page int `json:"page"`
	}
	reader := tools.New("read", "Reads a page.", func(_ context.Context, in args) (string, error) {
		var b strings.Builder
		fmt.Fprintf(&b, "page %d\n", in.Page)
		for n := range 60 {
			fmt.Fprintf(&b, "func Do%dx%d(v%d int) error { return call%d(%d, /src/file%d.go) }\n",
				in.Page, n, n*7%13, n*in.Page, n, in.Page)
		}
		return b.String(), nil
	})
	writer := tools.New("write", "Writes a page.", func(ctx context.Context, _ args) (string, error) {
		return Wrote, write(tools.RunFrom(ctx).Key)
	})
	writer.Effects = true
	if done != nil {
		writer.Done = func(_ context.Context, key string) (any, bool, error) { return Wrote, done(key), nil }
	}
	return []tools.Tool{reader, writer}
}

// Wrote is the result of the tool write.
const Wrote = "wrote it"

// New returns an agent of a [Walker] with its tools, a window that needs several compactions, and a guide with a
// memory.
func New(m *Walker, ts []tools.Tool) (*agent.Agent, error) {
	return agent.New(agent.Config{
		Model: m, Tools: ts, Limits: agent.Limits{Steps: 200}, Budget: contextwindow.Budget{Limit: 8_000},
		Guide: func() agent.Guide { return new(tally).next },
	})
}

// A tally is a guide with a memory: what it says depends on all steps.
type tally struct{ steps, calls int }

// next is the [agent.Guide].
func (g *tally) next(s agent.Step) agent.Move {
	g.steps++
	g.calls += len(s.Calls)
	m := agent.Move{Stop: s.Answered(), Status: fmt.Sprintf("%d calls in %d of %d steps", g.calls, g.steps, s.Limit)}
	if g.steps%5 == 0 {
		m.Nudge = fmt.Sprintf("step %d: read more", g.steps)
	}
	return m
}

// LongStep returns the records of a step whose call returned a text, which the tool's value quotes.
func LongStep(n int, text string) []session.Record {
	value, _ := json.Marshal(map[string]string{"text": text}) // a map of strings always encodes
	call := transcript.ToolCall{ID: fmt.Sprint("c", n), Name: "read_file", Args: json.RawMessage(`{"path": "a.go"}`)}
	unit := contextwindow.Unit{Step: n, Messages: []transcript.Message{
		{Role: transcript.Assistant, Text: "I read the file.", Calls: []transcript.ToolCall{call}},
		{Role: transcript.Tool, CallID: call.ID, Name: "read_file", Kind: toollimit.File, Text: text},
	}}
	for _, m := range unit.Messages {
		unit.Sizes = append(unit.Sizes, m.Tokens())
	}
	shown := text[:min(len(text), 8000)]
	step := session.Step{Number: n, Calls: []session.StepCall{{Name: "read_file", Args: call.Args, Result: shown}}}
	cut := contextwindow.Edit{Op: "cut", Cause: "quota"}
	cut.Truncations = []contextwindow.Truncation{{Step: n, Part: 1, Text: shown}}
	return []session.Record{
		{Entries: []contextwindow.Entry{{Unit: &unit}, {Edit: &cut}}},
		{Step: &session.Stepped{Step: step, Tools: []session.ToolRecord{{Call: call, Made: call, Value: value}}}},
	}
}
