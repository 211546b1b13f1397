package agent

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// unlawful is a run whose view breaks a rule that no run breaks by itself: the assistant speaks first.
func unlawful(t *testing.T) *run {
	t.Helper()
	read := tools.New("read", "It reads.", func(context.Context, struct{}) (string, error) { return "", nil })
	a, err := New(Config{Model: scripted.New(), Tools: []tools.Tool{read}})
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(t.Context(), a, Task{Prompt: "prompt"}, func(Event, error) bool { return true })
	t.Cleanup(func() {
		r.over = true
		r.close()
	})
	r.window.Open(contextwindow.Prefix{Tools: r.tools.schemas})
	signed := &transcript.ProviderData{Dialect: "scripted", Model: "script", Data: []byte("signed"), Tokens: 5}
	calls := []transcript.ToolCall{{ID: "a", Name: "read"}}
	for _, unit := range [][]transcript.Message{
		{{Role: transcript.Assistant, Text: "thinking", Origin: transcript.History}},
		{{Role: transcript.User, Text: "prompt", Origin: transcript.Prompt}},
		{{Role: transcript.Assistant, Text: "aloud", Calls: calls, ProviderData: signed}, {Role: transcript.Tool, CallID: "a", Text: "read"}},
	} {
		if _, err := r.window.Append(unit[0], unit[1:]...); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// sent returns the messages of the next request.
func sent(r *run) ([]transcript.Message, error) {
	req, err := r.asker.compose(providers.Auto)
	if err != nil {
		return nil, err
	}
	return req.Messages, nil
}

func TestViewThatBreaksARuleIsRepaired(t *testing.T) {
	r := unlawful(t)
	for range 2 {
		view, err := sent(r)
		if err != nil || transcript.Check(view, transcript.AnyProvider) != nil {
			t.Fatalf("%v: %+v", err, view)
		}
		if len(view) != 5 || view[3].ProviderData != nil || view[3].Text != "aloud" {
			t.Errorf("%+v", view)
		}
	}
	if len(r.result.Warnings) != 1 || !strings.Contains(r.result.Warnings[0], "user first") {
		t.Errorf("%q", r.result.Warnings)
	}
}

// TestRefusedViewIsSentRepaired has a service that is stricter than it says: what Repair can mend is mended, and then only
// the prompt and the record stay; in the end the refusal is returned.
func TestRefusedViewIsSentRepaired(t *testing.T) {
	r := unlawful(t)
	r.asker.preflight.rules = transcript.OpenAI
	if view, err := sent(r); err != nil || view[2].ProviderData == nil {
		t.Fatalf("%v: %+v", err, view)
	}
	refusal := errors.New("'thinking blocks' must come first")
	want := []struct {
		messages int
		err      error
		warning  string
	}{{5, nil, "Provider data after the first repair removed (1)"}, {1, nil, "only the prompt"}, {1, refusal, ""}}
	for i, step := range want {
		if err := r.asker.repair(refusal); !errors.Is(err, step.err) {
			t.Fatalf("mended %d times: %v", i, err)
		}
		view, err := sent(r)
		if err != nil || len(view) < step.messages || i > 0 && len(view) > 2 {
			t.Errorf("mended %d times: %v, %d messages", i, err, len(view))
		}
		if w := r.result.Warnings; step.warning != "" && !strings.Contains(w[len(w)-1], step.warning) {
			t.Errorf("mended %d times: %q", i, w)
		}
	}
}
