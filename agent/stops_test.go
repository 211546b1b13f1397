package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// always calls a tool in every step.
func always() scripted.Line {
	n := 0
	return scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
		if req.Choice == providers.None {
			return scripted.Text("closing words")
		}
		n++
		return scripted.Line{Calls: []scripted.Call{callEcho(fmt.Sprint(n))}, Usage: providers.Usage{Input: 1_000, Output: 100}}
	}))
}

func TestStepLimitCountsTheClosingRequest(t *testing.T) {
	for steps := 1; steps <= 4; steps++ {
		result, requests := run(t, agent.Config{Tools: []tools.Tool{echo}, Limits: agent.Limits{Steps: steps}}, always())
		if result.Stop != agent.StepLimit || result.Steps != steps || len(requests) != steps || result.Text != "closing words" {
			t.Errorf("%d steps: %s after %d requests, %q", steps, result.Stop, len(requests), result.Text)
		}
		last := requests[steps-1]
		if last.Choice != providers.None || len(own(last)) != 1 || !strings.Contains(lastText(last), "last step") {
			t.Errorf("%d steps: closing request with choice %q, %q", steps, last.Choice, lastText(last))
		}
		if len(result.Tools) != steps-1 {
			t.Errorf("%d steps: %d calls", steps, len(result.Tools))
		}
	}
}

func TestAnswerInTheLastStepIsAnAnswer(t *testing.T) {
	result, _ := run(t, agent.Config{Tools: []tools.Tool{echo}, Limits: agent.Limits{Steps: 3}},
		scripted.Calls(callEcho("a")), scripted.Text("in time"))
	if result.Stop != agent.Answered || result.Steps != 2 {
		t.Errorf("%s after %d steps", result.Stop, result.Steps)
	}
}

// TestBlankAnswers has a model that answers with spaces only.
func TestBlankAnswers(t *testing.T) {
	a, model := start(t, agent.Config{}, scripted.Repeat(0, scripted.Text(" \n\t ")))
	_, err := a.Run(t.Context(), "prompt")
	if len(model.Requests()) != 3 || !strings.Contains(fmt.Sprint(err), "empty answer three times") {
		t.Errorf("after %d requests: %v", len(model.Requests()), err)
	}
}

func TestTokenLimits(t *testing.T) {
	for name, limits := range map[string]agent.Limits{
		"input":  {InputTokens: 3_000},
		"output": {OutputTokens: 300},
		"total":  {TotalTokens: 3_300},
	} {
		result, _ := run(t, agent.Config{Tools: []tools.Tool{echo}, Limits: limits}, always())
		if result.Stop != agent.TokenLimit || result.Steps != 4 || result.Text != "closing words" {
			t.Errorf("%s: %s after %d steps, %q", name, result.Stop, result.Steps, result.Text)
		}
	}
}

func TestTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := tools.New("slow", "Wait.", func(ctx context.Context, _ struct{}) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		})
		result, requests := run(t, agent.Config{Tools: []tools.Tool{slow}, Limits: agent.Limits{Time: 10 * time.Second}},
			scripted.Calls(scripted.Call{Name: "slow"}), scripted.Text("what I have"))
		if result.Stop != agent.TimeLimit || result.Text != "what I have" || result.Duration != 8*time.Second {
			t.Errorf("%s after %v, %q", result.Stop, result.Duration, result.Text)
		}
		if requests[1].Choice != providers.None || !requests[1].Messages[2].Failed {
			t.Errorf("closing request %+v", requests[1])
		}
		hang := scripted.Line{Text: "half an ", Hang: true}
		result, _ = run(t, agent.Config{Limits: agent.Limits{Time: 10 * time.Second}}, hang, hang)
		if result.Stop != agent.TimeLimit || result.Duration != 10*time.Second || result.Text != "half an " {
			t.Errorf("%s after %v, %q", result.Stop, result.Duration, result.Text)
		}
	})
}

func TestCancellationKeepsThePartialResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := start(t, agent.Config{Tools: []tools.Tool{echo}}, scripted.Calls(callEcho("one")), scripted.Line{Text: "half an ans", Hang: true})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		result, err := a.Run(ctx, "prompt")
		if !errors.Is(err, context.DeadlineExceeded) || result == nil {
			t.Fatalf("%v %+v", err, result)
		}
		if result.Stop != agent.Cancelled || result.Text != "half an ans" || len(result.Tools) != 1 {
			t.Errorf("%+v", result)
		}
	})
}

func TestBreakingOffWaitsForWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended atomic.Int32
		slow := tools.New("slow", "Wait.", func(ctx context.Context, _ struct{}) (string, error) {
			<-ctx.Done()
			time.Sleep(time.Second)
			ended.Add(1)
			return "", ctx.Err()
		})
		call := scripted.Call{Name: "slow"}
		a, model := start(t, agent.Config{Tools: []tools.Tool{slow}}, scripted.Calls(call, call, call), scripted.Text("never"))
		started := 0
		for e := range a.Stream(t.Context(), agent.Task{Prompt: "prompt"}) {
			if _, ok := e.(agent.ToolStarted); ok {
				if started++; started == 3 {
					break
				}
			}
		}
		if ended.Load() != 2 || len(model.Requests()) != 1 {
			t.Errorf("%d tools ended, %d requests", ended.Load(), len(model.Requests()))
		}
	})
}

func TestErrorsEndTheRun(t *testing.T) {
	for _, class := range []providers.Class{providers.Auth, providers.Invalid, providers.Rate, providers.Transient, providers.Refused, providers.Malformed} {
		a, model := start(t, agent.Config{Tools: []tools.Tool{echo}}, scripted.Calls(callEcho("one")), scripted.Fail(class), scripted.Text("never"))
		result, err := a.Run(context.Background(), "prompt")
		if providers.ClassOf(err) != class || result.Stop != agent.Failed || len(model.Requests()) != 2 || len(result.Tools) != 1 {
			t.Errorf("%s: %v, %+v", class, err, result)
		}
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	result, requests := run(t, agent.Config{}, scripted.Text(""), scripted.Text("  \n"), scripted.Text("third time"))
	if result.Text != "third time" || len(requests) != 3 || result.Steps != 1 {
		t.Errorf("%+v", result)
	}
	a, model := start(t, agent.Config{}, scripted.Repeat(0, scripted.Text("")))
	if _, err := a.Run(context.Background(), "prompt"); err == nil || len(model.Requests()) != 3 {
		t.Errorf("%v after %d requests", err, len(model.Requests()))
	}
	result, requests = run(t, agent.Config{}, scripted.Broken("half an"), scripted.Text("a whole answer"))
	if result.Text != "a whole answer" || len(requests) != 2 {
		t.Errorf("%+v", result)
	}
}

// TestErrorInsideAnAnswer has a service that fails in the midst of its answer, as an overloaded one does: it is asked
// again, because no tool has run, and at most twice.
func TestErrorInsideAnAnswer(t *testing.T) {
	overloaded := scripted.Line{Text: "half an", Err: &providers.Error{Class: providers.Transient, Code: "overloaded_error"}}
	result, requests := run(t, agent.Config{}, overloaded, overloaded, scripted.Text("a whole answer"))
	if result.Text != "a whole answer" || result.Stop != agent.Answered || len(requests) != 3 {
		t.Errorf("%+v after %d requests", result, len(requests))
	}
	a, model := start(t, agent.Config{}, scripted.Repeat(0, overloaded))
	result, err := a.Run(t.Context(), "prompt")
	if providers.ClassOf(err) != providers.Transient || len(model.Requests()) != 3 || result.Text != "half an" {
		t.Errorf("%q, %v after %d requests", result.Text, err, len(model.Requests()))
	}
}

func TestLengthIsContinued(t *testing.T) {
	cut := func(text string) scripted.Line { return scripted.Line{Text: text, Finish: providers.Length} }
	result, requests := run(t, agent.Config{}, cut("one "), cut("two "), scripted.Text("three"))
	if result.Text != "one two three" || result.Stop != agent.Answered || len(requests) != 3 {
		t.Errorf("%+v", result)
	}
	if last := requests[2].Messages; last[len(last)-1].Role != transcript.User {
		t.Errorf("a request ends with a message of the %s", last[len(last)-1].Role)
	}
	result, requests = run(t, agent.Config{}, scripted.Repeat(0, cut("x")))
	if result.Text != "xxxx" || result.Stop != agent.CutOff || len(requests) != 4 || len(result.Warnings) != 1 {
		t.Errorf("%+v after %d requests", result, len(requests))
	}
}

// TestAnswerWithoutEnd has a service that ignores the length of answers: the error says so, nothing is continued or asked
// again, and what arrived is the text of the result.
func TestAnswerWithoutEnd(t *testing.T) {
	for _, reasoning := range []bool{false, true} {
		line := scripted.Line{Text: distinct(3_000)}
		if reasoning {
			line = scripted.Line{Reasoning: line.Text}
		}
		model := scripted.Options{Piece: 20}.New(scripted.Repeat(0, line))
		a := mustNew(t, agent.Config{Model: providers.Bound(model), Sampling: agent.Sampling{MaxOutput: 100}})
		result, err := a.Run(t.Context(), "prompt")
		if providers.ClassOf(err) != providers.TooLong || result.Stop != agent.Failed || len(model.Requests()) != 1 {
			t.Errorf("%s, %v after %d requests", result.Stop, err, len(model.Requests()))
		}
		if !strings.HasPrefix(line.Text, result.Text) || reasoning != (result.Text == "") {
			t.Errorf("kept %.80q… of %d bytes", result.Text, len(result.Text))
		}
	}
}

// distinct returns n different words.
func distinct(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%x ", uint32(i+1)*2654435761)
	}
	return b.String()
}
