package chat_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/trace"
	"github.com/forayhq/foray/providers/scripted"
)

// TestEvidencePrecedesTheMessage: the model reads it before the message, the thread does not keep it, and a message that
// needs none is sent alone. An error is a warning.
func TestEvidencePrecedesTheMessage(t *testing.T) {
	model := scripted.New(scripted.Repeat(0, scripted.Text("In the loop.")))
	c := with(model)
	c.Evidence = func(_ context.Context, text string, tokens int) (string, error) {
		switch {
		case tokens < 1_000:
			return "", fmt.Errorf("room for %d tokens", tokens)
		case text == "where?":
			return "Excerpts: func Loop()", nil
		case text == "broken?":
			return "", errors.New("no index")
		}
		return "", nil
	}
	h, id := open(t, c)
	for _, text := range []string{"where?", "thanks", "broken?"} {
		turn := ask(t, h, id, text)
		if warned := slices.Contains(turn.Warnings, "the message is answered without evidence: no index"); warned != (text == "broken?") {
			t.Errorf("%s: warnings %q", text, turn.Warnings)
		}
	}
	sent := model.Requests()
	last := func(n int) string { return sent[n].Messages[len(sent[n].Messages)-1].Text }
	if got := last(0); got != "Excerpts: func Loop()\n\nwhere?" {
		t.Errorf("the first request ends in %q", got)
	}
	for n := 1; n < 3; n++ {
		if strings.Contains(said(&sent[n]), "Excerpts") {
			t.Errorf("request %d still holds the evidence: %q", n+1, said(&sent[n]))
		}
	}
	if kept := strings.Join(linesOf(t, h, id), "\n"); strings.Contains(kept, "Excerpts") {
		t.Errorf("the thread keeps the evidence: %q", kept)
	}
}

// TestEvidenceIsOfTheRun: evidence is a call of step 0 of a run that has started, so the turn can be traced and the
// trace read.
func TestEvidenceIsOfTheRun(t *testing.T) {
	c := with(scripted.New(scripted.Text("In the loop."), scripted.Text("You are welcome.")))
	c.Evidence = func(_ context.Context, text string, _ int) (string, error) {
		if text == "where?" {
			return "Excerpts: func Loop()", nil
		}
		return "", nil
	}
	h, id := open(t, c)
	for _, text := range []string{"where?", "thanks"} {
		var kinds []string
		run := func(yield func(agent.Event, error) bool) {
			for e, err := range h.Send(t.Context(), id, text) {
				if of, ok := e.(chat.AgentEvent); ok {
					kinds = append(kinds, fmt.Sprintf("%T", of.Event))
					if ended, ok := of.Event.(agent.ToolFinished); ok && ended.Record.Value != "Excerpts: func Loop()" {
						t.Errorf("the call returned %q", ended.Record.Value)
					}
					yield(of.Event, err)
				}
			}
		}
		var written bytes.Buffer
		for range trace.Write(run, &written) {
			continue
		}
		if gathered := slices.Contains(kinds, "agent.ToolFinished"); kinds[0] != "agent.RunStarted" || gathered != (text == "where?") {
			t.Errorf("%s: the events are %q", text, kinds)
		}
		requests := 0
		for q, err := range trace.Read(&written) {
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			requests++
			if got := q.Request.Messages[len(q.Request.Messages)-1].Text; !strings.HasSuffix(got, text) {
				t.Errorf("the request ends in %q", got)
			}
		}
		if requests != 1 {
			t.Errorf("%s: %d requests in the trace", text, requests)
		}
	}
}
