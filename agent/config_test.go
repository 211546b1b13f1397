package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

func TestNewChecksItsConfiguration(t *testing.T) {
	var none *scripted.Model
	for name, c := range map[string]agent.Config{
		"no model":   {},
		"nil model":  {Model: none},
		"no budget":  {Model: scripted.New(), Budget: contextwindow.Budget{Limit: -3}},
		"two tools":  {Model: scripted.New(), Tools: []tools.Tool{echo, echo}},
		"bad schema": {Model: scripted.New(), Tools: []tools.Tool{{Name: "x", Schema: json.RawMessage(`{`), Call: echo.Call}}},
	} {
		if _, err := agent.New(c); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func TestProfileOfTheBudget(t *testing.T) {
	model := scripted.New(scripted.Repeat(0, scripted.Text("answer")))
	for name, test := range map[string]struct {
		config agent.Config
		want   contextwindow.Budget
	}{
		"default":           {agent.Config{}, contextwindow.BudgetOf(32_000, 0, "")},
		"profile":           {agent.Config{Profile: contextwindow.Off}, contextwindow.BudgetOf(32_000, 0, contextwindow.Off)},
		"beside a limit":    {agent.Config{Profile: contextwindow.Off, Budget: contextwindow.Budget{Limit: 9_000}}, contextwindow.Budget{Limit: 9_000, Profile: contextwindow.Off}},
		"the budget's own":  {agent.Config{Profile: contextwindow.Off, Budget: contextwindow.Budget{Limit: 9_000, Profile: contextwindow.Wide}}, contextwindow.Budget{Limit: 9_000, Profile: contextwindow.Wide}},
		"without its limit": {agent.Config{Budget: contextwindow.Budget{Profile: contextwindow.Wide}}, contextwindow.BudgetOf(32_000, 0, contextwindow.Wide)},
	} {
		test.config.Model = model
		a, _ := start(t, test.config)
		for e := range a.Stream(context.Background(), agent.Task{Prompt: "prompt"}) {
			if e, ok := e.(agent.RunStarted); ok {
				e.Budget.Model, e.Budget.Ratio = "", 0 // by the model's name
				if e.Budget != test.want {
					t.Errorf("%s: %+v, want %+v", name, e.Budget, test.want)
				}
			}
		}
	}
	for _, c := range []agent.Config{{Profile: "leen"}, {Budget: contextwindow.Budget{Limit: 9_000, Profile: "leen"}}} {
		c.Model = model
		_, err := agent.New(c)
		if err == nil {
			t.Fatal("an unknown profile is taken")
		}
		for _, want := range []string{`unknown profile "leen"`, "nearest: lean", string(contextwindow.Off)} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v does not say %q", err, want)
			}
		}
	}
}

func TestFixedPartsLeaveNoRoom(t *testing.T) {
	for words, want := range map[int]string{100: "", 230: "warning", 450: "error"} {
		a, _ := start(t, agent.Config{Tools: []tools.Tool{echo}, Budget: contextwindow.Budget{Limit: 1_000}}, scripted.Text("answer"))
		result, err := a.Run(context.Background(), strings.Repeat("wordy ", 2*words))
		got := ""
		switch {
		case err != nil:
			got = "error"
		case len(result.Warnings) > 0:
			got = "warning"
		}
		if got != want {
			t.Errorf("a prompt of %d words: %q (%v, %q), want %q", 2*words, got, err, result.Warnings, want)
		}
	}
}

func TestToolsLargerThanTheBudget(t *testing.T) {
	many := make([]tools.Tool, 100)
	for i := range many {
		many[i] = echo
		many[i].Name, many[i].Description = fmt.Sprint("tool_", i), strings.Repeat("a long description ", 20)
	}
	c := agent.Config{System: strings.Repeat("word ", 200), Tools: many, Budget: contextwindow.Budget{Limit: 4_000}}
	a, model := start(t, c, scripted.Text("never"))
	_, err := a.Run(t.Context(), "prompt")
	var fixed *contextwindow.IrreducibleError
	if !errors.Is(err, contextwindow.ErrIrreducible) || !errors.As(err, &fixed) || len(model.Requests()) != 0 {
		t.Fatalf("%v, %d requests", err, len(model.Requests()))
	}
	want := fmt.Sprintf("the schemas of 101 tools take %d tokens, the system prompt %d, ", a.ToolTokens(), fixed.System-a.ToolTokens())
	if !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "Config.Brief") {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestPromptLargerThanTheBudget(t *testing.T) {
	a, model := start(t, agent.Config{Budget: contextwindow.Budget{Limit: 1_000}}, scripted.Text("never"))
	result, err := a.Run(context.Background(), strings.Repeat("word ", 5_000))
	if !errors.Is(err, contextwindow.ErrIrreducible) || result.Stop != agent.Failed || len(model.Requests()) != 0 {
		t.Errorf("%v, %s, %d requests", err, result.Stop, len(model.Requests()))
	}
}
