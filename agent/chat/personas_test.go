package chat_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

func named(t *testing.T, h *chat.Chat, agent, thread, text string) *chat.Turn {
	t.Helper()
	turn, err := h.As(agent).Do(t.Context(), thread, text)
	if err != nil {
		t.Fatalf("%s: %v", agent, err)
	}
	return turn
}

// Several agents answer in one thread, each with its own prompt and tools. Who spoke is kept, and the others hear it.
func TestSeveralAgentsAThread(t *testing.T) {
	var caller string
	look := tools.New("look", "Look.", func(ctx context.Context, _ struct{}) (string, error) {
		run := tools.RunFrom(ctx)
		caller = run.Agent + ": " + run.System
		return "seen", nil
	})
	write := tools.New("write", "Write.", func(context.Context, struct{}) (string, error) { return "written", nil })
	model := scripted.New(scripted.Text("A plan."), scripted.Calls(scripted.Call{Name: "look"}), scripted.Text("Two faults."), scripted.Text("Fixed both."),
		scripted.Text("Fine now."), scripted.Text("Good."))
	store := chat.InMemory()
	config := chat.Config{Store: store, Agent: agent.Config{Model: model, System: "Be brief.", Tools: []tools.Tool{look, write}}}
	h, id := open(t, config)
	s := h.Settings()
	s.Agents = []chat.Persona{
		{ID: "planner", Description: "makes plans", System: "You plan."},
		{ID: "reviewer", System: "You review.", Tools: []string{"look"}},
	}
	if err := h.Configure(s); err != nil {
		t.Fatal(err)
	}
	turns := []*chat.Turn{
		named(t, h, "planner", id, "Plan the move."), named(t, h, "reviewer", id, "Review it."),
		named(t, h, "chat", id, "Fix it."), named(t, h, "reviewer", id, "And now?"), named(t, h, "", id, "Really?"),
	}
	requests := model.Requests()
	for i, want := range []string{"You plan.", "You review.", "You review.", "", "You review.", "You review."} {
		if want != "" {
			want = "\n\n" + want
		}
		if got := requests[i].System; got != "Be brief."+want {
			t.Errorf("request %d: system prompt %q", i, got)
		}
	}
	if n, m := len(requests[0].Tools), len(requests[1].Tools); n != m+1 || caller != "reviewer: Be brief.\n\nYou review." {
		t.Errorf("%d tools for the planner, %d for the reviewer; caller %q", n, m, caller)
	}
	for i, want := range []string{"planner", "reviewer", "chat", "reviewer", "reviewer"} {
		if turns[i].Agent != want {
			t.Errorf("turn %d was answered by %q", i, turns[i].Agent)
		}
	}
	text := func(request int) (all string) {
		for _, m := range requests[request].Messages {
			all += string(m.Role) + ": " + m.Text + "\n"
		}
		return all
	}
	if got := text(1); !strings.Contains(got, "assistant: [answer of planner]\nA plan.\n") {
		t.Errorf("the reviewer hears\n%s", got)
	}
	if got := text(4); !strings.Contains(got, "assistant: Two faults.\n") || !strings.Contains(got, "assistant: [answer of chat]\nFixed both.\n") {
		t.Errorf("the reviewer hears later\n%s", got)
	}
	for _, r := range requests {
		for _, m := range r.Messages {
			if m.Role == transcript.Assistant && m.Name != "" {
				t.Errorf("a request has the name %q", m.Name)
			}
		}
	}
	ms, err := h.Messages(t.Context(), id, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var spoke []string
	for _, m := range ms {
		if m.Role == transcript.Assistant && m.Text != "" {
			spoke = append(spoke, m.Name)
		}
	}
	if got := strings.Join(spoke, ","); got != "planner,reviewer,,reviewer,reviewer" {
		t.Errorf("who spoke: %s", got)
	}
	if got, err := h.Inspect(t.Context(), id); err != nil || got.Agent != "reviewer" {
		t.Errorf("next answers %q: %v", got.Agent, err)
	}
}

// The default of the settings answers where a thread has chosen none; an agent that is removed leaves its threads to it.
func TestDefaultAgent(t *testing.T) {
	model := scripted.New(scripted.Repeat(0, scripted.Text("Yes.")))
	h, id := open(t, chat.Config{Agent: agent.Config{Model: model}})
	s := h.Settings()
	s.Agents, s.Agent = []chat.Persona{{ID: "planner"}, {ID: "tutor"}}, "planner"
	if err := h.Configure(s); err != nil {
		t.Fatal(err)
	}
	if turn := ask(t, h, id, "Hello"); turn.Agent != "planner" {
		t.Errorf("answered by %q", turn.Agent)
	}
	if turn := named(t, h, "tutor", id, "Hello"); turn.Agent != "tutor" {
		t.Errorf("answered by %q", turn.Agent)
	}
	s.Agents = s.Agents[:1]
	if err := h.Configure(s); err != nil {
		t.Fatal(err)
	}
	if turn := ask(t, h, id, "Hello"); turn.Agent != "planner" {
		t.Errorf("answered by %q after its agent was removed", turn.Agent)
	}
	before, err := h.Thread(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.As("tutor").Do(t.Context(), id, "Hello"); !errors.Is(err, chat.ErrInvalid) || !strings.Contains(err.Error(), "agents: chat, planner") {
		t.Errorf("an unknown agent: %v", err)
	}
	if err := h.As("tutor").Warm(t.Context(), id); !errors.Is(err, chat.ErrInvalid) {
		t.Errorf("warming for an unknown agent: %v", err)
	}
	if err := h.As("planner").Warm(t.Context(), id); err != nil {
		t.Error(err)
	}
	if after, err := h.Thread(t.Context(), id); err != nil || after.Last != before.Last {
		t.Errorf("the refused message was stored: %v", err)
	}
}

func TestBadAgents(t *testing.T) {
	h, _ := open(t, chat.Config{Agent: agent.Config{Model: scripted.New()}})
	for name, agents := range map[string][]chat.Persona{
		"an id is":           {{ID: "a b"}},
		"another agent has":  {{ID: "a"}, {ID: "a"}},
		"agent chat: anoth":  {{ID: "chat"}},
		`no tool "rm"`:       {{ID: "a", Tools: []string{"rm"}}},
		"limit is 65536":     {{ID: "a", System: strings.Repeat("x", 64<<10+1)}},
		"must be at most 10": make([]chat.Persona, 101),
	} {
		s := h.Settings()
		s.Agents = agents
		if err := h.Configure(s); !errors.Is(err, chat.ErrInvalid) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := h.Settings()
	s.Agent = "nobody"
	if err := h.Configure(s); !errors.Is(err, chat.ErrInvalid) || len(h.Settings().Agents) != 0 {
		t.Errorf("an unknown default: %v", err)
	}
}
