package agent_test

import (
	"strings"
	"testing"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// nagging goes on after a text once, with a nudge, and ends after the second.
func nagging(s agent.Step) agent.Move {
	switch {
	case s.Number == 0:
		return agent.Move{Status: "status: fresh", Choice: providers.Required}
	case s.Text == "first":
		return agent.Move{Status: "status: fresh", Nudge: "look again"}
	}
	return agent.Move{Stop: true}
}

func TestGuideSteers(t *testing.T) {
	result, requests := run(t, agent.Config{Guide: func() agent.Guide { return nagging }, Tools: []tools.Tool{echo}}, scripted.Text("first"), scripted.Text("second"))
	if result.Text != "second" || result.Stop != agent.Answered || requests[0].Choice != providers.Required || requests[1].Choice != providers.Auto {
		t.Errorf("%+v", result)
	}
	first, second := requests[0].Messages, requests[1].Messages
	if !strings.HasPrefix(first[0].Text, "prompt\n\n<note kind=\"status\">") {
		t.Errorf("status: %q", first[0].Text)
	}
	if len(second) != 3 || !strings.Contains(second[2].Text, "look again") || strings.Contains(second[2].Text, "status") {
		t.Errorf("nudge: %+v", second)
	}
}

// until is a guide that stops after so many steps and keeps what it was told.
type until struct {
	steps int
	told  []agent.Step
}

func (u *until) Next(s agent.Step) agent.Move {
	u.told = append(u.told, s)
	return agent.Move{Stop: s.Number >= u.steps}
}

func TestGuideStopsTheRun(t *testing.T) {
	lines := []scripted.Line{scripted.Calls(callEcho("x")), scripted.Text("answer")}
	for steps, want := range map[int]agent.Stop{0: agent.GuideStopped, 1: agent.GuideStopped, 2: agent.Answered} {
		result, requests := run(t, agent.Config{Tools: []tools.Tool{echo}, Guide: func() agent.Guide { return (&until{steps: steps}).Next }}, lines...)
		if result.Stop != want || len(requests) != steps || result.Steps != steps {
			t.Errorf("%d steps: %s after %d requests", steps, result.Stop, len(requests))
		}
	}
}

func TestGuideIsToldTheSteps(t *testing.T) {
	guide := &until{steps: 3}
	a, _ := start(t, agent.Config{Tools: []tools.Tool{echo}, Limits: agent.Limits{Steps: 9}, Guide: func() agent.Guide { return guide.Next }},
		scripted.Line{Text: "looking", Calls: []scripted.Call{callEcho("found"), {Name: "nosuch"}}},
		scripted.Line{Text: "half ", Finish: providers.Length}, scripted.Text("an answer"))
	var windows []float64
	for e, err := range a.Stream(t.Context(), agent.Task{Prompt: "prompt"}) {
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := e.(agent.StepFinished); ok {
			windows = append(windows, e.Usage.Share())
			if e.Step.Window != e.Usage.Share() {
				t.Errorf("step %d: window %v, usage %v", e.Step.Number, e.Step.Window, e.Usage.Share())
			}
		}
	}
	told := guide.told
	if len(told) != 3 || told[0].Number != 0 || told[0].Limit != 9 || told[0].Window != 0 {
		t.Fatalf("told %+v: an answer that is continued is one", told)
	}
	first, last := told[1], told[2]
	if first.Text != "looking" || len(first.Calls) != 2 || first.Calls[0].Result != "found" || first.Calls[0].Failed || !first.Calls[1].Failed || first.Window != windows[0] || windows[0] <= 0 {
		t.Errorf("%+v", first)
	}
	if last.Number != 3 || last.Text != "half an answer" || len(last.Calls) != 0 || last.Window != windows[2] || windows[2] <= windows[0] {
		t.Errorf("%+v", last)
	}
}

func TestCallsEndAContinuation(t *testing.T) {
	result, requests := run(t, agent.Config{Tools: []tools.Tool{echo}},
		scripted.Line{Text: "half ", Finish: providers.Length}, scripted.Line{Calls: []scripted.Call{callEcho("x")}, Finish: providers.Length}, scripted.Text("answer"))
	if result.Text != "answer" || len(requests) != 3 || strings.Contains(lastText(requests[2]), "Go on") {
		t.Errorf("%q; the model was told %q", result.Text, lastText(requests[2]))
	}
	if len(result.Warnings) != 1 || !strings.Contains(result.Warnings[0], "after its calls") {
		t.Errorf("%q", result.Warnings)
	}
	if note := lastText(requests[1]); !strings.Contains(note, "Go on exactly where it ended (part 2)") {
		t.Errorf("the model was told %q", note)
	}
}
