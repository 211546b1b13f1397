package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/recall"
)

func TestCutResultsCanBeReadAgain(t *testing.T) {
	mem := working.New(nil)
	big := tools.New("big", "Much.", func(context.Context, struct{}) (string, error) {
		var b strings.Builder
		for i := range 4_000 {
			fmt.Fprintf(&b, "line %d\n", i+1)
		}
		return b.String(), nil
	})
	result, requests := run(t, agent.Config{Tools: []tools.Tool{big, recall.ReadWorkingMemory(mem)}, Memory: mem},
		scripted.Calls(scripted.Call{Name: "big"}),
		scripted.Func(func(req *providers.Request) scripted.Line {
			if !strings.Contains(lastText(*req), "id=s2.1") {
				t.Errorf("no pointer: %q", lastText(*req))
			}
			return scripted.Calls(scripted.Call{Name: "read_working_memory", Args: map[string]any{"id": "s2.1", "start_line": 1900, "limit": 2}},
				scripted.Call{Name: "read_working_memory", Args: map[string]any{"id": "s9.1"}})
		}), scripted.Text("done"))
	got := requests[2].Messages
	if want := "line 1900\nline 1901\n"; !strings.HasPrefix(got[4].Text, want) || !strings.Contains(got[4].Text, "next: start_line=1902") {
		t.Errorf("read %q", got[4].Text)
	}
	if rec := result.Tools[0]; rec.TokensOut != requests[1].Messages[2].Tokens() {
		t.Errorf("the model saw %d tokens, the record says %d", requests[1].Messages[2].Tokens(), rec.TokensOut)
	}
	if !strings.Contains(got[5].Text, "unknown_id") || !result.Tools[0].Cut || result.Tools[0].TokensIn <= result.Tools[0].TokensOut {
		t.Errorf("%q, %+v", got[5].Text, result.Tools[0])
	}
}

func TestWorkingMemoryEndsWithTheRun(t *testing.T) {
	mem := working.New(nil)
	scope := ""
	big := tools.New("big", "Much.", func(ctx context.Context, _ struct{}) (string, error) {
		scope = tools.RunFrom(ctx).Scope
		return strings.Repeat("many words\n", 10_000), nil
	})
	c := agent.Config{Tools: []tools.Tool{big}, Memory: mem}
	result, _ := run(t, c, scripted.Calls(scripted.Call{Name: "big"}), scripted.Func(func(*providers.Request) scripted.Line {
		if _, err := mem.Get(scope, "s2.1"); err != nil {
			t.Errorf("in the run: %v", err)
		}
		return scripted.Text("done")
	}))
	if _, err := mem.Get(scope, "s2.1"); scope == "" || !errors.Is(err, working.ErrNoScope) || !result.Tools[0].Cut {
		t.Errorf("scope %q after the run: %v", scope, err)
	}
}

func TestHistoryAndFacts(t *testing.T) {
	var facts tools.Run
	who := tools.New("who", "Who calls.", func(ctx context.Context, _ struct{}) (string, error) { facts = tools.RunFrom(ctx); return "", nil })
	a, model := start(t, agent.Config{Name: "scout", System: "be good", Tools: []tools.Tool{who}}, scripted.Calls(scripted.Call{Name: "who", ID: "x1"}), scripted.Text("done"))
	task := agent.Task{Prompt: "prompt", Thread: "t", User: "u", Repository: "r", History: []transcript.Message{
		{Role: transcript.User, Text: "before"}, {Role: transcript.Assistant, Text: "answer before"}}}
	if _, err := a.Do(context.Background(), task); err != nil {
		t.Fatal(err)
	}
	if facts.Caller == nil || facts.Progress == nil {
		t.Error("the tool does not know its run, or cannot tell how far it is")
	}
	if said := facts.Messages.String(); said != "user:\nbefore\n\nassistant:\nanswer before\n\nuser:\nprompt" {
		t.Errorf("the tool reads the messages as\n%s", said)
	}
	facts.Caller, facts.Progress, facts.Messages = nil, nil, nil
	want := tools.Run{Thread: "t", User: "u", Agent: "scout", Input: "prompt", Repository: "r", System: "be good", Step: 1, CallID: "x1"}
	if facts != want {
		t.Errorf("facts %+v, want %+v", facts, want)
	}
	if first := model.Requests()[0].Messages; len(first) != 3 || first[0].Text != "before" || first[2].Text != "prompt" {
		t.Errorf("first request %+v", first)
	}
	result, err := a.Do(context.Background(), agent.Task{Prompt: "prompt", History: task.History})
	if err == nil {
		t.Fatal("a script that is used up answers")
	}
	var origins []transcript.Origin
	for _, e := range result.Transcript {
		if e.Unit != nil {
			origins = append(origins, e.Unit.Messages[0].Origin)
		}
	}
	if want := []transcript.Origin{transcript.History, transcript.History, transcript.Prompt}; !slices.Equal(origins, want) {
		t.Errorf("origins %q, want %q", origins, want)
	}
}
