package agent_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// looking is a scout that never comes to an end, in many runs at once.
func looking() scripted.Line {
	return scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
		if req.Choice == providers.None {
			return scripted.Text("what I have")
		}
		return scripted.Calls(callEcho(fmt.Sprint(len(req.Messages))))
	}))
}

func TestStepsOfSubAgentsAreDrawnFromTheRun(t *testing.T) {
	for steps := 2; steps <= 9; steps++ {
		tool, sub := scout(t, agent.Config{Tools: []tools.Tool{echo}}, looking())
		task := 0
		lead := scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
			if req.Choice == providers.None {
				return scripted.Text("closing words")
			}
			task++
			return scripted.Calls(callScout(fmt.Sprint(task)), callScout(fmt.Sprint(-task)))
		}))
		model := scripted.New(lead)
		trace, result := traced(t, agent.Config{Model: model, Tools: []tools.Tool{tool}, Limits: agent.Limits{Steps: steps}}, agent.Task{Prompt: "prompt"})
		all := len(model.Requests()) + len(sub.Requests())
		if all != steps {
			t.Errorf("limit %d: %d requests of the run, %d of its sub-agents", steps, len(model.Requests()), len(sub.Requests()))
		}
		if requests, err := readTrace(trace); err != nil || len(requests) != all {
			t.Errorf("limit %d: %d requests in the trace: %v", steps, len(requests), err)
		}
		checkLines(t, fmt.Sprint("limit ", steps), trace)
		if result.Stop != agent.StepLimit || result.Text != "closing words" {
			t.Errorf("limit %d: %s, %q", steps, result.Stop, result.Text)
		}
	}
}

// seeing is a guide that knows which limits it was told.
type seeing struct{ limits *[]int }

func (s seeing) Next(step agent.Step) agent.Move {
	*s.limits = append(*s.limits, step.Limit)
	return agent.Move{Stop: step.Answered()}
}

func TestGuideKnowsWhatSubAgentsLeave(t *testing.T) {
	tool, _ := scout(t, agent.Config{Tools: []tools.Tool{readFile}}, reading())
	var limits []int
	run(t, agent.Config{Tools: []tools.Tool{tool}, Limits: agent.Limits{Steps: 20}, Guide: func() agent.Guide { return seeing{&limits}.Next }},
		scripted.Calls(callScout("a.go"), callScout("b.go")), scripted.Calls(callScout("c.go")), scripted.Text("done"))
	if !slices.Equal(limits, []int{20, 16, 14, 14}) {
		t.Errorf("limits %v", limits)
	}
}

func TestTokensOfSubAgentsAreDrawnFromTheRun(t *testing.T) {
	tool, sub := scout(t, agent.Config{Tools: []tools.Tool{echo}}, always()) // 1,000 tokens a step
	result, requests := run(t, agent.Config{Tools: []tools.Tool{tool}, Limits: agent.Limits{InputTokens: 5_000}},
		scripted.Calls(callScout("go")), scripted.Text("closing words"))
	if result.Stop != agent.TokenLimit || len(sub.Requests()) != 6 || requests[1].Choice != providers.None {
		t.Errorf("%s, %d requests of the sub-agent, %+v", result.Stop, len(sub.Requests()), result.Usage)
	}
	if got := requests[1].Messages[2].Text; !strings.HasPrefix(got, "closing words\n\n(The run ended by its token limit") {
		t.Errorf("the model sees %q", got)
	}
}

func TestTimeOfSubAgentsIsWithinThatOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := scripted.Line{Text: "half", Hang: true}
		tool, _ := scout(t, agent.Config{}, hang, scripted.Text("what I have"))
		result, requests := run(t, agent.Config{Tools: []tools.Tool{tool}, Limits: agent.Limits{Time: 10 * time.Minute}}, scripted.Calls(callScout("go")), scripted.Text("done"))
		if result.Stop != agent.Answered || result.Duration != 8*time.Minute+31500*time.Millisecond || !strings.HasPrefix(lastText(requests[1]), "what I have\n\n(The run ended by its time limit") {
			t.Errorf("%s after %v: %q", result.Stop, result.Duration, lastText(requests[1]))
		}
		tool, _ = scout(t, agent.Config{Limits: agent.Limits{Time: time.Minute}}, hang, scripted.Text("what I have"))
		result, _ = run(t, agent.Config{Tools: []tools.Tool{tool}}, scripted.Calls(callScout("go")), scripted.Text("done"))
		if result.Duration != 48*time.Second || result.Tools[0].Err != nil {
			t.Errorf("own limit: %v, %v", result.Duration, result.Tools[0].Err)
		}
	})
}
