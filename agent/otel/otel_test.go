package otel_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/otel"
	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// secretText holds a credential, in parts so that no scanner takes it for a real one.
var secretText = "the key is ghp_" + strings.Repeat("a1B2c3", 6)

type fileInput struct {
	Path string `json:"path"`
}

// read takes a second. Some files are long, missing, or hold a credential.
var read = tools.New("read_file", "Read a file.", func(_ context.Context, in fileInput) (string, error) {
	time.Sleep(time.Second)
	switch {
	case in.Path == "missing.go":
		return "", errors.New("no such file: " + in.Path)
	case strings.HasPrefix(in.Path, "long"):
		return long(in.Path), nil
	case in.Path == "secret.go":
		return secretText, nil
	}
	return "package main", nil
})

// long is a text of which no line repeats another.
func long(name string) string {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "%s:%x\n", name, sha256.Sum256([]byte(fmt.Sprint(name, i))))
	}
	return b.String()
}

func readCall(path string) scripted.Call {
	return scripted.Call{Name: "read_file", Args: fileInput{path}}
}

// asked is a line with usage that takes two seconds.
func asked(l scripted.Line) scripted.Line {
	l.Delay, l.Usage = 2*time.Second, providers.Usage{Input: 1_000, Cached: 750, Output: 20, Reasoning: 5}
	return l
}

var price = providers.Price{Provider: "scripted", Model: "script", Rates: providers.Rates{Input: 4, Cached: 1, Output: 8}}

func newAgent(t *testing.T, c agent.Config, lines ...scripted.Line) *agent.Agent {
	t.Helper()
	c.Model = scripted.Options{Info: providers.Info{Price: price}}.New(lines...)
	a, err := agent.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// drain observes a run to its end.
func drain(r *recorder, about otel.Run, run func(context.Context) iter.Seq2[agent.Event, error]) (last error) {
	for _, err := range r.Observe(context.Background(), about, run) {
		last = err
	}
	return last
}

func stream(a *agent.Agent, t agent.Task) func(context.Context) iter.Seq2[agent.Event, error] {
	return func(ctx context.Context) iter.Seq2[agent.Event, error] { return a.Stream(ctx, t) }
}

// Rule: each request, call and sub-agent of a run has its span at its place, with the figures of its event; no content
// is in any of them.
func TestRun(t *testing.T) {
	golden(t, "run", false, func(t *testing.T, r *recorder) {
		scout := newAgent(t, agent.Config{Name: "scout", Tools: []tools.Tool{read}},
			asked(scripted.Calls(readCall("main.go"))), asked(scripted.Text("found")))
		a := newAgent(t, agent.Config{
			Name: "lead", System: "You lead.", Tools: []tools.Tool{read, agent.AsTool(scout, "ask_scout", "Ask.")},
		},
			asked(scripted.Calls(readCall("main.go"), readCall("missing.go"),
				scripted.Call{Name: "ask_scout", Args: map[string]string{"task": "look"}})),
			scripted.Broken("half an answ"),
			asked(scripted.Calls(scripted.Call{Name: "read_fil"})),
			asked(scripted.Text("It is in main.go.")))
		if err := drain(r, otel.Run{Conversation: "ticket 7"}, stream(a, agent.Task{Prompt: "Where?"})); err != nil {
			t.Fatal(err)
		}
	})
}

// Rule: each compaction has its span, and requests after it say that the conversation was compacted.
func TestCompaction(t *testing.T) {
	golden(t, "compaction", false, func(t *testing.T, r *recorder) {
		a := newAgent(t, agent.Config{Tools: []tools.Tool{read}, Budget: contextwindow.Budget{Limit: 3_000, Profile: contextwindow.Ladder}},
			scripted.Repeat(8, scripted.Func(func(req *providers.Request) scripted.Line {
				return scripted.Line{
					Calls:        []scripted.Call{readCall(fmt.Sprintf("long%d.go", len(req.Messages)))},
					ProviderData: &transcript.ProviderData{Dialect: "scripted", Model: "script", Data: []byte("signed"), Tokens: 5},
				}
			})), scripted.Text("Enough."))
		if err := drain(r, otel.Run{}, stream(a, agent.Task{Prompt: "Read."})); err != nil {
			t.Fatal(err)
		}
	})
}

// Rule: the span of a resumed run links to that of the process which began it, which its session keeps.
func TestResumedRun(t *testing.T) {
	golden(t, "resumed", false, func(t *testing.T, r *recorder) {
		s := &agent.Session{Store: new(session.InMemory), ID: "0102-bafi", Steps: 1}
		first := newAgent(t, agent.Config{Tools: []tools.Tool{read}}, asked(scripted.Calls(readCall("main.go"))))
		if err := drain(r, otel.Run{Session: s}, stream(first, agent.Task{Prompt: "Where?", Session: s})); err != nil {
			t.Fatal(err)
		}
		state, err := session.Load(t.Context(), s.Store, s.ID)
		if err != nil || !strings.HasPrefix(state.Last().Trace, "00-") {
			t.Fatalf("the session keeps %q (%v), want a traceparent", state.Last().Trace, err)
		}
		s = &agent.Session{Store: s.Store, ID: s.ID}
		second := newAgent(t, agent.Config{Tools: []tools.Tool{read}}, asked(scripted.Text("In main.go.")))
		if err := drain(r, otel.Run{Session: s}, stream(second, agent.Task{Session: s})); err != nil {
			t.Fatal(err)
		}
	})
}

// Rule: with Content, each text is recorded once, and no credential in it.
func TestContent(t *testing.T) {
	golden(t, "content", true, func(t *testing.T, r *recorder) {
		a := newAgent(t, agent.Config{System: "You read.", Tools: []tools.Tool{read}},
			asked(scripted.Calls(readCall("secret.go"), readCall("missing.go"))), asked(scripted.Text(secretText)),
		)
		if err := drain(r, otel.Run{}, stream(a, agent.Task{Prompt: "Read it: " + secretText})); err != nil {
			t.Fatal(err)
		}
		if text := r.text(t); strings.Contains(text, "ghp_") {
			t.Errorf("a credential is in the trace:\n%s", text)
		}
	})
}

// Rule: whoever stops taking events gets a whole trace of what happened until then.
func TestBrokenOff(t *testing.T) {
	golden(t, "broken", false, func(t *testing.T, r *recorder) {
		a := newAgent(t, agent.Config{Tools: []tools.Tool{read}}, asked(scripted.Calls(readCall("main.go"))))
		for e := range r.Observe(t.Context(), otel.Run{}, stream(a, agent.Task{Prompt: "Where?"})) {
			if _, ok := e.(agent.ToolStarted); ok {
				break
			}
		}
	})
}

// Rule: a failed run has the class of its error, and not its text.
func TestFailedRun(t *testing.T) {
	golden(t, "failed", false, func(t *testing.T, r *recorder) {
		a := newAgent(t, agent.Config{}, scripted.Fail(providers.Auth))
		if err := drain(r, otel.Run{}, stream(a, agent.Task{Prompt: "Where?"})); providers.ClassOf(err) != providers.Auth {
			t.Fatalf("the run ended with %v", err)
		}
	})
}
