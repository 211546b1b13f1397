package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// forcing is a guide that always forces a call, until there is a text.
func forcing(s agent.Step) agent.Move {
	return agent.Move{Stop: s.Number > 0 && len(s.Calls) == 0, Choice: providers.Required}
}

func refusal(text string) scripted.Line {
	return scripted.Line{Err: &providers.Error{Class: providers.Invalid, Status: 400, Err: errors.New(text)}}
}

func choices(requests []providers.Request) (all []providers.ToolChoice) {
	for _, r := range requests {
		all = append(all, r.Choice)
	}
	return all
}

func TestForcedCallsThatTheServiceRefuses(t *testing.T) {
	const auto, required = providers.Auto, providers.Required
	c := agent.Config{Tools: []tools.Tool{echo}, Guide: func() agent.Guide { return forcing }}
	for _, text := range []string{
		"deepseek-reasoner does not support this tool_choice",                          // DeepSeek
		"Thinking may not be enabled when tool_choice forces tool use.",                // Anthropic
		"Function calling config is set without function_declarations: function call.", // a word of disorder in it
		"unsupported parameter", // names nothing
	} {
		result, requests := run(t, c, refusal(text), scripted.Calls(callEcho("x")), scripted.Text("done"))
		if got := choices(requests); !slices.Equal(got, []providers.ToolChoice{required, auto, auto}) || len(result.Warnings) != 1 || len(result.Compactions) > 0 {
			t.Errorf("%s: choices %q, warnings %q", text, got, result.Warnings)
		}
	}
	a, model := start(t, c, scripted.Repeat(0, refusal("bad field")))
	_, err := a.Run(context.Background(), "prompt")
	if got := choices(model.Requests()); providers.ClassOf(err) != providers.Invalid || !slices.Equal(got, []providers.ToolChoice{required, auto}) {
		t.Errorf("%v after %q", err, got)
	}
	result, requests := run(t, c, scripted.Calls(callEcho("x")), refusal(refusals[0]), scripted.Text("done"))
	if got := choices(requests); !slices.Equal(got, []providers.ToolChoice{required, required, required}) || len(result.Warnings) != 1 {
		t.Errorf("a disorder: %q, warnings %q", got, result.Warnings)
	}
}

func TestATemperatureThatTheServiceRefuses(t *testing.T) {
	cold := 0.0
	c := agent.Config{Sampling: agent.Sampling{Temperature: &cold}}
	result, requests := run(t, c, refusal("Unsupported value: 'temperature' does not support 0 with this model."), scripted.Text("done"))
	if len(requests) != 2 || requests[0].Temperature == nil || requests[1].Temperature != nil || len(result.Warnings) != 1 {
		t.Errorf("%d requests, warnings %q", len(requests), result.Warnings)
	}
}

func TestSpentMoneyEndsTheRunWithWhatThereIs(t *testing.T) {
	answers := scripted.Options{Info: providers.Info{Provider: "test", Name: "model"}}.New(
		scripted.Line{Text: "I look.", Calls: []scripted.Call{callEcho("x")}, Usage: providers.Usage{Input: 600_000, Output: 1}},
		scripted.Line{Text: "as far as ", Finish: providers.Length, Usage: providers.Usage{Input: 600_000, Output: 1}},
		scripted.Text("never"))
	meter := providers.NewMeter(1, providers.Price{Provider: "test", Model: "model", Rates: providers.Rates{Input: 1}})
	a, _ := start(t, agent.Config{Model: meter.Watch(answers), Tools: []tools.Tool{echo}})
	result, err := a.Run(t.Context(), "prompt")
	if err != nil || result.Stop != agent.CostLimit || result.Text != "as far as " || result.Steps != 2 || len(answers.Requests()) != 2 {
		t.Fatalf("%v, %+v after %d requests", err, result, len(answers.Requests()))
	}
	if len(result.Warnings) != 1 || !strings.Contains(result.Warnings[0], "$1.2000 of $1.0000") || result.Usage.Input != 1_200_000 || len(result.Tools) != 1 {
		t.Errorf("%q, %+v", result.Warnings, result.Usage)
	}
	result, err = a.Run(t.Context(), "prompt")
	if err != nil || result.Stop != agent.CostLimit || result.Steps != 0 || len(answers.Requests()) != 2 {
		t.Errorf("the next run: %v, %+v", err, result)
	}
	_, result, err = agent.Typed[verdict](t.Context(), a, agent.Task{Prompt: "prompt"})
	var wrong *agent.AnswerError
	if !errors.As(err, &wrong) || result.Stop != agent.CostLimit {
		t.Errorf("a typed run: %v, %s", err, result.Stop)
	}
}

func TestMoneyThatSubAgentsSpendIsTheRuns(t *testing.T) {
	meter := providers.NewMeter(1, providers.Price{Provider: "test", Rates: providers.Rates{Input: 1}})
	info := scripted.Options{Info: providers.Info{Provider: "test"}}
	costly := info.New(scripted.Repeat(0, scripted.Line{Text: "half", Finish: providers.Length, Usage: providers.Usage{Input: 600_000}}))
	tool, _ := scout(t, agent.Config{Model: meter.Watch(costly)})
	lead := info.New(scripted.Calls(callScout("go")), scripted.Text("never"))
	result, requests := run(t, agent.Config{Model: meter.Watch(lead), Tools: []tools.Tool{tool}})
	if result.Stop != agent.CostLimit || len(lead.Requests()) != 1 || len(costly.Requests()) != 2 || len(requests) != 0 {
		t.Errorf("%s, %d and %d requests", result.Stop, len(lead.Requests()), len(costly.Requests()))
	}
	if text := textOf(result.Tools[0].Value); !strings.HasPrefix(text, "halfhalf\n\n(The run ended by its cost limit") {
		t.Errorf("%+v", result.Tools[0])
	}
}

func TestCachedTokensAreInTheResultAndTheEvents(t *testing.T) {
	usage := []providers.Usage{{Input: 1_000, Output: 5}, {Input: 1_200, Cached: 1_000, Output: 7, Reasoning: 2}}
	a, _ := start(t, agent.Config{Tools: []tools.Tool{echo}},
		scripted.Line{Calls: []scripted.Call{callEcho("x")}, Usage: usage[0]}, scripted.Line{Usage: usage[0]}, scripted.Line{Text: "done", Usage: usage[1]})
	var steps []providers.Usage
	for e := range a.Stream(t.Context(), agent.Task{Prompt: "prompt"}) {
		switch e := e.(type) {
		case agent.StepFinished:
			steps = append(steps, e.Tokens)
		case agent.RunFinished:
			if want := usage[0].Add(usage[0]).Add(usage[1]); e.Result.Usage != want {
				t.Errorf("%+v, want %+v", e.Result.Usage, want)
			}
		}
	}
	if !slices.Equal(steps, []providers.Usage{usage[0], usage[0].Add(usage[1])}) {
		t.Errorf("steps %+v", steps)
	}
}
