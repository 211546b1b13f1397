package chat_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// A message for a run in progress joins before its next request, and the thread keeps it where it joined.
func TestSteer(t *testing.T) {
	var inbox *agent.Inbox
	look := tools.New("look", "Look around.", func(context.Context, struct{}) (string, error) {
		if !inbox.Send("and be short") {
			return "", errors.New("no run")
		}
		return "a wall", nil
	})
	m := scripted.New(
		scripted.Calls(scripted.Call{Name: "look", Args: map[string]string{}}),
		scripted.Func(func(req *providers.Request) scripted.Line {
			joined := func(m transcript.Message) bool { return strings.Contains(m.Text, "and be short") }
			if !slices.ContainsFunc(req.Messages, joined) {
				t.Error("the last request does not have the message")
			}
			return scripted.Text("a wall, shortly")
		}),
	)
	c := with(m)
	c.Agent.Tools = []tools.Tool{look}
	h, id := open(t, c)
	for e, err := range h.Send(t.Context(), id, "what is there?") {
		if err != nil {
			t.Error(err)
		}
		if built, ok := e.(chat.ContextBuilt); ok {
			inbox = built.Inbox
		}
	}
	if lines := linesOf(t, h, id); !slices.Contains(lines, "user: and be short") {
		t.Errorf("the thread has %q", lines)
	}
	if inbox.Send("too late") {
		t.Error("a message was taken after the run")
	}
}

// A branch has the messages before a number, and both threads go on by themselves.
func TestBranch(t *testing.T) {
	h, id := open(t, with(echo()))
	ask(t, h, id, "one")
	second := ask(t, h, id, "two").Messages[0].Seq
	before := linesOf(t, h, id)
	branch, err := h.Branch(t.Context(), id, second)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := linesOf(t, h, branch.ID), before[:2]; !slices.Equal(got, want) {
		t.Errorf("the branch has %q, want %q", got, want)
	}
	turn := ask(t, h, branch.ID, "three")
	if turn.Messages[0].Role != transcript.User || !slices.Equal(linesOf(t, h, id), before) {
		t.Errorf("the first thread has %q after a turn in the branch", linesOf(t, h, id))
	}
	if _, err := h.Branch(t.Context(), id, 99); !errors.Is(err, chat.ErrInvalid) {
		t.Errorf("a branch before a message that does not exist: %v", err)
	}
	if _, err := h.Branch(t.Context(), "nobody", 1); !errors.Is(err, chat.ErrNoThread) {
		t.Errorf("a branch of a thread that does not exist: %v", err)
	}
}
