package chat_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/contextbuilder/blocks"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// lastPrompt returns the newest message of a request.
func lastPrompt(m *scripted.Model, request int) string {
	ms := m.Requests()[request].Messages
	return ms[len(ms)-1].Text
}

// expert is an agent as a tool, which answers each time.
func expert(t *testing.T) tools.Tool {
	t.Helper()
	a, err := agent.New(agent.Config{Name: "expert", Model: scripted.New(scripted.Repeat(0, scripted.Text("A degree and three years of work.")))})
	if err != nil {
		t.Fatal(err)
	}
	return agent.AsTool(a, "ask_expert", "Ask about the rules.")
}

// What a sub-agent did is known to the next turn, with what it took, also to another process.
func TestRunsOfSubAgentsAreKnown(t *testing.T) {
	store := chat.InMemory()
	ask1 := scripted.Calls(scripted.Call{Name: "ask_expert", Args: map[string]string{"task": "the rules of plan B"}})
	model := scripted.New(ask1, scripted.Text("It needs a degree."), scripted.Text("Yes."))
	config := chat.Config{Store: store, Agent: agent.Config{Model: model, Tools: []tools.Tool{expert(t)}}}
	h, id := open(t, config)
	ask(t, h, id, "What does plan B need?")
	if text := lastPrompt(model, 0); strings.Contains(text, contextbuilder.TypeAgentRuns) {
		t.Errorf("the first request knows runs:\n%s", text)
	}
	ask(t, h, id, "And is that all?")
	line := regexp.MustCompile(`<active_agents_history>\n.*\n1\. \[just now, \d+ ms, \d+ tokens\] ask_expert: {"task":"the rules of plan B"} → A degree and three years of work`)
	if text := lastPrompt(model, 2); !line.MatchString(text) {
		t.Errorf("the second turn is told\n%s", text)
	}
	later := scripted.New(scripted.Text("Hello again."))
	config.Agent.Model = later
	other, err := chat.New(config)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(t.Context())
	ask(t, other, id, "Where were we?")
	if text := lastPrompt(later, 0); !line.MatchString(text) {
		t.Errorf("the third turn, of another process, is told\n%s", text)
	}
	got, err := other.Inspect(t.Context(), id)
	if err != nil || len(got.Runs) != 1 || got.Runs[0].Tokens == 0 || got.Runs[0].Duration <= 0 {
		t.Errorf("%+v %v", got.Runs, err)
	}
	for range 3 {
		if _, err := other.Undo(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if got, err = other.Inspect(t.Context(), id); err != nil || len(got.Runs) != 0 {
		t.Errorf("after undo: %+v %v", got.Runs, err)
	}
}

// Calls of tools are listed for a program that lists runs, once the turns that show them are out of sight.
func TestCallsOutOfSightAreListed(t *testing.T) {
	look := tools.New("look", "Look.", func(_ context.Context, in struct{ N int }) (string, error) { return fmt.Sprintf("seen %d", in.N), nil })
	var lines []scripted.Line
	for i := range 4 {
		lines = append(lines, scripted.Calls(scripted.Call{Name: "look", Args: map[string]int{"N": i}}), scripted.Text("Looked."))
	}
	own := blocks.ActiveAgentsHistory{Runs: func(context.Context, contextbuilder.Query) ([]contextbuilder.AgentRun, error) {
		return []contextbuilder.AgentRun{{Name: "of the program", Output: "known"}}, nil
	}}
	for name, sources := range map[string][]contextbuilder.Source{"none": nil, "zero": {blocks.ActiveAgentsHistory{}}, "own": {own}} {
		model := scripted.New(lines...)
		config := chat.Config{Agent: agent.Config{Model: model, Tools: []tools.Tool{look}}, Builder: contextbuilder.Config{Turns: 1, Sources: sources}}
		h, id := open(t, config)
		for i := range 4 {
			ask(t, h, id, fmt.Sprintf("Look at %d.", i))
		}
		text := lastPrompt(model, 6)
		listed := strings.Count(text, `look: {"N":0} → seen 0`)
		if (listed == 1) != (name != "none") || strings.Contains(text, `look: {"N":2}`) || strings.Contains(text, "of the program") != (name == "own") {
			t.Errorf("source %s: the last turn is told\n%s", name, text)
		}
		if got, err := h.Inspect(t.Context(), id); err != nil || len(got.Runs) != 4 {
			t.Errorf("%+v %v", got.Runs, err)
		}
	}
}

// A tool knows the conversation that it is called in.
func TestToolsKnowTheConversation(t *testing.T) {
	var run tools.Run
	var said string
	look := tools.New("look", "Look.", func(ctx context.Context, _ struct{}) (string, error) {
		run = tools.RunFrom(ctx)
		said = run.Messages.String()
		return "seen", nil
	})
	model := scripted.New(scripted.Text("Hello."), scripted.Calls(scripted.Call{Name: "look"}), scripted.Text("Looked."))
	h, id := open(t, chat.Config{Repository: "/src/plans", Agent: agent.Config{Model: model, System: "Be kind.", Tools: []tools.Tool{look}}})
	ask(t, h, id, "I am Ada.")
	ask(t, h, id, "Look around.")
	if run.System != "Be kind." || run.Repository != "/src/plans" || run.Thread != id || run.Input != "Look around." {
		t.Errorf("%+v", run)
	}
	if !strings.HasPrefix(said, "user:\nI am Ada.\n\nassistant:\nHello.\n\nuser:\n") || !strings.Contains(said, "Look around.") {
		t.Errorf("the messages:\n%s", said)
	}
}

// What extraction keeps changes with the settings, for the turns that follow.
func TestExtractionIsConfiguredAtRunTime(t *testing.T) {
	memories, err := longterm.Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	h, err := chat.New(chat.Config{Memory: memories, Agent: agent.Config{Model: scripted.New(scripted.Repeat(0, scripted.Text("Noted.")))}})
	if err != nil {
		t.Fatal(err)
	}
	thread, err := h.Create(t.Context(), chat.Thread{User: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	s := h.Settings()
	if s.ExtractionImportance != 5 || s.ExtractionSimilarity != .85 {
		t.Errorf("defaults: %d, %v", s.ExtractionImportance, s.ExtractionSimilarity)
	}
	for _, step := range []struct {
		importance int
		says       string
	}{{10, "I prefer trains to cars."}, {5, "I prefer short answers."}} {
		s.ExtractionImportance = step.importance
		if err := h.Configure(s); err != nil {
			t.Fatal(err)
		}
		ask(t, h, thread.ID, step.says)
	}
	for _, bad := range []func(*chat.Settings){
		func(s *chat.Settings) { s.ExtractionImportance = 11 }, func(s *chat.Settings) { s.ExtractionSimilarity = .3 },
	} {
		wrong := s
		if bad(&wrong); !errors.Is(h.Configure(wrong), chat.ErrInvalid) {
			t.Errorf("accepted: %+v", wrong)
		}
	}
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	kept := memories.List("ada", "", false)
	if len(kept) != 1 || !strings.Contains(kept[0].Content, "short answers") {
		t.Errorf("kept %+v", kept)
	}
}

// What the user said is remembered, whatever became of the answer.
func TestAFailedTurnIsRemembered(t *testing.T) {
	memories, err := longterm.Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	h, err := chat.New(chat.Config{Memory: memories, Agent: agent.Config{Model: scripted.New(scripted.Fail(providers.Auth))}})
	if err != nil {
		t.Fatal(err)
	}
	thread, err := h.Create(t.Context(), chat.Thread{User: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Do(t.Context(), thread.ID, "We deploy on Tuesdays."); err == nil {
		t.Error("the turn did not fail")
	}
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if kept := memories.List("ada", "", false); len(kept) != 1 {
		t.Errorf("kept %+v", kept)
	}
}

// A fact that is not among the most important ones is known to the message that asks for it, also right after another.
func TestAFactIsKnownWhenItIsAskedFor(t *testing.T) {
	memories, err := longterm.Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	model := scripted.New(scripted.Repeat(0, scripted.Text("Rex.")))
	h, err := chat.New(chat.Config{Memory: memories, Agent: agent.Config{Model: model}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(t.Context())
	known := []string{"Has a dog called Rex.", "Works as a nurse.", "Lives in Esbjerg.", "Is 35 years old.", "Owns a red boat.", "Likes tea.", "Rents two rooms."}
	for i, fact := range known {
		m := longterm.Memory{User: "ada", Category: longterm.Fact, Content: fact, Importance: min(3+i, 9)}
		if _, err := h.Remember(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	thread, err := h.Create(t.Context(), chat.Thread{User: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	ask(t, h, thread.ID, "Good morning to you")
	ask(t, h, thread.ID, "What is my dog called?")
	if text := lastPrompt(model, 0); strings.Contains(text, "Rex") {
		t.Errorf("the greeting is told\n%s", text)
	}
	if text := lastPrompt(model, 1); strings.Count(text, "- [fact] Has a dog called Rex.") != 1 {
		t.Errorf("the question is told\n%s", text)
	}
}
