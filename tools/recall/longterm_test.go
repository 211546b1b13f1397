package recall_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/contextwindow/memory/summary"
	"github.com/forayhq/foray/contextwindow/memory/task"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/recall"
)

func longTerm(t testing.TB) *longterm.Memories {
	t.Helper()
	l, err := longterm.Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func as(user string) context.Context {
	return tools.WithRun(context.Background(), tools.Run{User: user, Thread: "t"})
}

func noon() time.Time { return time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC) }

// TestRememberSearchForget keeps a statement, finds it for its user only, and deletes it for its user only.
func TestRememberSearchForget(t *testing.T) {
	l := longTerm(t)
	out, err := recall.Remember(l, noon).
		Call(as("ada"), json.RawMessage(`{"content":"Deploys go out on Tuesdays.","category":"project_context"}`))
	if err != nil {
		t.Fatal(err)
	}
	kept := out.(recall.RememberedItem)
	if m, err := l.Get(kept.ID); err != nil || m.Importance != 5 || m.User != "ada" || m.Provenance.Thread != "t" ||
		!m.Created.Equal(noon()) {
		t.Errorf("%+v %v", m, err)
	}
	again, err := recall.Remember(l, noon).
		Call(as("ada"), json.RawMessage(`{"content":" Deploys go out on Tuesdays. ","category":"project_context"}`))
	if err != nil || again.(recall.RememberedItem).ID != kept.ID || len(l.List("ada", "", true)) != 1 {
		t.Errorf("the same statement again: %+v, %v", again, err)
	}
	search := func(user string) recall.Remembered {
		out, err := recall.SearchMemory(l, noon).Call(as(user), json.RawMessage(`{"query":"when do deploys go out"}`))
		if err != nil {
			t.Fatal(err)
		}
		return out.(recall.Remembered)
	}
	if found := search("ada"); len(found.Memories) != 1 || found.Memories[0].ID != kept.ID {
		t.Errorf("%+v", found)
	}
	found := search("bob")
	if _, text := found.Text(); len(found.Memories) != 0 || !strings.Contains(text, "nothing") {
		t.Errorf("another user finds %+v", found)
	}
	args := json.RawMessage(fmt.Sprintf(`{"id":%q}`, kept.ID))
	var problem *tools.Problem
	if _, err := recall.Forget(l).Call(as("bob"), args); !errors.As(err, &problem) {
		t.Errorf("another user forgets: %v", err)
	}
	if _, err := recall.Forget(l).Call(as("ada"), args); err != nil || len(search("ada").Memories) != 0 {
		t.Errorf("not forgotten: %v", err)
	}
	if _, err := recall.Remember(l, noon).Call(as("ada"), json.RawMessage(`{"content":"x","category":"gossip"}`)); !errors.As(
		err,
		&problem,
	) ||
		!strings.Contains(problem.Try, "skill") {
		t.Errorf("an unknown category: %v", err)
	}
	if !recall.Remember(l, nil).Effects || !recall.Forget(l).Effects || recall.SearchMemory(l, nil).Effects {
		t.Error("which tools have effects is wrong")
	}
}

// pages is a thread log that fails after so many messages.
type pages struct {
	messages []summary.Message
	fail     int64
}

func (p pages) After(_ context.Context, _ string, seq int64, limit int) ([]summary.Message, error) {
	if p.fail > 0 && seq >= p.fail {
		return nil, errors.New("no such page")
	}
	rest := p.messages[min(int(seq), len(p.messages)):]
	return rest[:min(limit, len(rest))], nil
}

// TestSearchHistory finds a message among two thousand, and no result of a tool.
func TestSearchHistory(t *testing.T) {
	log := pages{}
	for i := range 2_000 {
		m := transcript.Message{Role: transcript.User, Text: fmt.Sprintf("please look at file number %d again", i)}
		switch i {
		case 777:
			m.Text = "the boiler is serviced by Ingrid in October"
		case 778:
			m = transcript.Message{Role: transcript.Tool, Text: "boiler Ingrid October boiler"}
		}
		log.messages = append(log.messages, summary.Message{Seq: int64(i + 1), Message: m})
	}
	tool := recall.SearchHistory(log.After)
	out, err := tool.Call(as("ada"), json.RawMessage(`{"query":"who services the boiler?","limit":3}`))
	if err != nil {
		t.Fatal(err)
	}
	h := out.(recall.History)
	if first := h.Exchanges[0][0]; h.Searched != 2_000 || first.Seq != 778 || first.Role != "user" || first.Partial {
		t.Errorf("%+v", h)
	}
	kind, text := h.Text()
	if kind != toollimit.Batch || !strings.HasPrefix(text, "== message 778, user\nthe boiler") {
		t.Errorf("%s %q", kind, text)
	}
	if _, err := tool.Call(as("ada"), json.RawMessage(`{"query":" "}`)); err == nil {
		t.Error("an empty query found something")
	}
	if _, err := tool.Call(context.Background(), json.RawMessage(`{"query":"x"}`)); err == nil {
		t.Error("a run without a thread found something")
	}
	log.fail = 500
	if _, err := recall.SearchHistory(log.After).Call(as("ada"), json.RawMessage(`{"query":"boiler"}`)); err == nil {
		t.Error("a log that fails goes unnoticed")
	}
}

// TestSearchHistoryBringsTheReply holds that a question finds the exchange, of a long reply the passage that answers,
// and that the number of the reply reads all of it.
func TestSearchHistoryBringsTheReply(t *testing.T) {
	reply := strings.Repeat("Many things matter in a kitchen, and we shall see them all in time.\n", 40) +
		"Rest the dough for ninety minutes.\n" + strings.Repeat("Wash everything that was used before it dries.\n", 40)
	log := pages{}
	for i, text := range []string{
		"hello", "Hello! What can I do?", "How long must the pizza dough rest?", reply, "And the sauce?", "Simmer it briefly.",
	} {
		m := transcript.Message{Role: transcript.User, Text: text}
		if i%2 == 1 {
			m.Role = transcript.Assistant
		}
		log.messages = append(log.messages, summary.Message{Seq: int64(i + 1), Message: m})
	}
	tool := recall.SearchHistory(log.After)
	for _, args := range []string{`{"query":"pizza dough","limit":1}`, `{"query":"how many minutes of rest did you suggest","limit":1}`} {
		out, err := tool.Call(as("ada"), json.RawMessage(args))
		if err != nil {
			t.Fatal(err)
		}
		_, text := tools.Render(out)
		if !strings.HasPrefix(text, "== message 3, user\nHow long") || !strings.Contains(text, "-- message 4, assistant, a passage\n") ||
			!strings.Contains(text, "Rest the dough for ninety minutes.") || len(text) > 1200 {
			t.Errorf("%s: %q", args, text)
		}
	}
	log.messages = append(log.messages, summary.Message{Seq: 7, Message: transcript.Message{
		Role: transcript.User, Text: "How long must the pizza dough rest, as you said?",
	}})
	out, err := recall.SearchHistory(log.After).Call(as("ada"), json.RawMessage(`{"query":"pizza dough rest","limit":1}`))
	if _, text := tools.Render(out); err != nil || !strings.HasPrefix(text, "== message 3, user") {
		t.Errorf("the question of this turn answers itself: %q %v", text, err)
	}
	out, err = tool.Call(as("ada"), json.RawMessage(`{"message":4}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, text := tools.Render(out); text != "== message 4, assistant\n"+reply {
		t.Errorf("%q", text)
	}
	if _, err := tool.Call(as("ada"), json.RawMessage(`{"message":17}`)); err == nil {
		t.Error("read a message that the thread does not have")
	}
}

func TestNoteFinding(t *testing.T) {
	out, err := recall.NoteFinding().
		Call(as("ada"), json.RawMessage(`{"text":"retries\n stop at 3","evidence":"a.go:7","importance":9}`))
	if want := (task.Finding{Text: "retries stop at 3", Evidence: "a.go:7", Importance: 9}); err != nil || out != want {
		t.Errorf("%+v %v", out, err)
	}
}
