package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

func TestBreakingOffCancelsTheClosingRequest(t *testing.T) {
	for _, limits := range []agent.Limits{{Steps: 1}, {Steps: 1, Time: time.Hour}} {
		synctest.Test(t, func(t *testing.T) {
			a, _ := start(t, agent.Config{Limits: limits}, scripted.Line{Text: "closing", Hang: true})
			began := time.Now()
			for e := range a.Stream(t.Context(), agent.Task{Prompt: "prompt"}) {
				if _, ok := e.(agent.Text); ok {
					break
				}
			}
			if d := time.Since(began); d > 0 {
				t.Errorf("breaking off took %v", d)
			}
		})
	}
}

// closingAfter runs a tool call, then the closing request.
func closingAfter(t *testing.T, closing ...scripted.Line) (*agent.Result, []providers.Request) {
	t.Helper()
	return run(t, agent.Config{Tools: []tools.Tool{echo}, Limits: agent.Limits{Steps: 2}}, append([]scripted.Line{scripted.Calls(callEcho("x"))}, closing...)...)
}

func TestCallsInTheClosingAnswerAreNotMade(t *testing.T) {
	calls := scripted.Line{Calls: []scripted.Call{callEcho("again")}, ProviderData: &transcript.ProviderData{Dialect: "scripted", Data: []byte("signed")}}
	withText := calls
	withText.Text = "closing words"
	result, requests := closingAfter(t, calls, withText)
	if result.Text != "closing words" || result.Stop != agent.StepLimit || len(result.Tools) != 1 || len(requests) != 3 || len(result.Warnings) != 0 {
		t.Errorf("%+v after %d requests", result, len(requests))
	}
	last := result.Transcript[len(result.Transcript)-1].Unit
	if last == nil || last.Messages[0].Text != "closing words" || len(last.Messages[0].Calls) != 0 || last.Messages[0].ProviderData != nil {
		t.Errorf("the transcript ends with %+v", last)
	}
	result, requests = closingAfter(t, scripted.Repeat(0, calls))
	if result.Text != "" || len(requests) != 4 || len(result.Warnings) != 1 || result.Steps != 1 {
		t.Errorf("only calls: %+v after %d requests", result, len(requests))
	}
}

func TestFaultsOfTheClosingAnswerAreWarnings(t *testing.T) {
	for name, test := range map[string]struct {
		line          scripted.Line
		text, warning string
	}{
		"length":   {scripted.Line{Text: "cut", Finish: providers.Length}, "cut", "length limit"},
		"filtered": {scripted.Line{Text: "I was", Finish: providers.Filtered}, "I was", "withheld"},
		"nothing":  {scripted.Line{Finish: providers.Filtered}, "", "withheld"},
		"failed":   {scripted.Fail(providers.Transient), "", "scripted transient error"},
		"broken":   {scripted.Repeat(0, scripted.Line{Text: "half", Err: &providers.Error{Class: providers.Transient}}), "half", "transient"},
	} {
		result, _ := closingAfter(t, test.line)
		if result.Text != test.text || result.Stop != agent.StepLimit || len(result.Warnings) != 1 || !strings.Contains(result.Warnings[0], test.warning) {
			t.Errorf("%s: %+v", name, result)
		}
	}
}

func TestEarlierAnswerStandsWhenTheClosingRequestFails(t *testing.T) {
	c := agent.Config{Guide: func() agent.Guide { return on }, Limits: agent.Limits{Steps: 2}}
	for name, closing := range map[string]scripted.Line{
		"failed": scripted.Fail(providers.Transient), "empty": {}, "calls": scripted.Calls(callEcho("x")),
	} {
		result, _ := run(t, c, scripted.Text("good answer"), scripted.Repeat(0, closing))
		if result.Text != "good answer" || len(result.Warnings) != 1 {
			t.Errorf("%s: %q, %q", name, result.Text, result.Warnings)
		}
	}
	if result, _ := run(t, c, scripted.Text("good answer"), scripted.Text("better")); result.Text != "better" {
		t.Errorf("%q", result.Text)
	}
}

func TestClosingAnswerThatCallsTools(t *testing.T) {
	c := agent.Config{Tools: []tools.Tool{echo}, Limits: agent.Limits{Steps: 2}}
	result, requests := run(t, c, scripted.Repeat(4, scripted.Calls(callEcho("a"))))
	const want = "the closing request failed: the model called tools three times instead of giving its answer"
	if len(requests) != 4 || len(result.Warnings) != 1 || result.Warnings[0] != want || result.Stop != agent.StepLimit {
		t.Errorf("%s after %d requests: %q", result.Stop, len(requests), result.Warnings)
	}
	for i, r := range requests { // the last two offer no tools and hold no calls, but what these returned
		var calls int
		var text strings.Builder
		for _, m := range r.Messages {
			calls += len(m.Calls)
			text.WriteString(m.Text)
		}
		if bare := i >= 2; bare != (len(r.Tools) == 0) || (i > 0 && !bare) != (calls > 0) ||
			i > 0 && !strings.Contains(text.String(), "a") {
			t.Errorf("request %d: %d tools, %d calls, %q", i+1, len(r.Tools), calls, text.String())
		}
	}
}

// TestHistoryOfCallsWithoutTools: a model that has no tools at all reads what tools returned in an earlier run as text.
func TestHistoryOfCallsWithoutTools(t *testing.T) {
	model := scripted.New(scripted.Text("It was 7."))
	a, err := agent.New(agent.Config{Model: model, NoTools: true})
	if err != nil {
		t.Fatal(err)
	}
	call := transcript.ToolCall{ID: "1", Name: "count", Args: []byte(`{}`)}
	if _, err := a.Do(t.Context(), agent.Task{Prompt: "How many was it?", History: []transcript.Message{
		{Role: transcript.User, Text: "Count them."},
		{Role: transcript.Assistant, Calls: []transcript.ToolCall{call}},
		{Role: transcript.Tool, CallID: "1", Name: "count", Text: "7 files"},
		{Role: transcript.Assistant, Text: "Seven."},
	}}); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, m := range model.Requests()[0].Messages {
		lines = append(lines, string(m.Role)+": "+m.Text)
	}
	const want = "user: Count them.\n\nResult of count:\n7 files|assistant: Seven.|user: How many was it?"
	if got := strings.Join(lines, "|"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCutAnswerAtTheStepLimitIsWrittenAnew(t *testing.T) {
	half := scripted.Line{Text: "half of ", Finish: providers.Length}
	c := agent.Config{Limits: agent.Limits{Steps: 2}}
	result, requests := run(t, c, half, scripted.Text("A whole answer."))
	if result.Text != "A whole answer." || result.Stop != agent.StepLimit {
		t.Errorf("%s: %q", result.Stop, result.Text)
	}
	if note := lastText(requests[1]); strings.Contains(note, "Go on") || !strings.Contains(note, "anew") || strings.Count(note, "<note") != 1 {
		t.Errorf("the model was told: %q", note)
	}
	result, _ = run(t, c, half, scripted.Line{Text: "A", Err: &providers.Error{Class: providers.Transient}})
	if result.Text != "half of " || len(result.Warnings) != 1 {
		t.Errorf("the closing request failed: %q, %q", result.Text, result.Warnings)
	}
}

// No run is longer than its limit: a fifth of it, at most 30 seconds, is kept for the closing request.
func TestClosingRequestIsWithinTheTimeOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for limit, steps := range map[time.Duration]time.Duration{time.Minute: 48 * time.Second, time.Hour: time.Hour - 30*time.Second, 1: 1} {
			result, _ := run(t, agent.Config{Limits: agent.Limits{Time: limit}}, scripted.Line{Hang: true}, scripted.Text("so far"))
			if result.Duration != steps || result.Stop != agent.TimeLimit || limit > 1 && result.Text != "so far" {
				t.Errorf("limit %v: %s after %v, want %v; %q", limit, result.Stop, result.Duration, steps, result.Text)
			}
			result, _ = run(t, agent.Config{Limits: agent.Limits{Time: limit}}, scripted.Repeat(0, scripted.Line{Hang: true}))
			if result.Duration != limit || result.Stop != agent.TimeLimit {
				t.Errorf("limit %v: %s after %v", limit, result.Stop, result.Duration)
			}
		}
	})
}

func TestCancellationOfTheClosingRequest(t *testing.T) {
	for kept, want := range map[string]string{"most of it ": "most of it ", "a ": "half"} {
		synctest.Test(t, func(t *testing.T) {
			a, _ := start(t, agent.Config{Limits: agent.Limits{Steps: 2}}, scripted.Line{Text: kept, Finish: providers.Length}, scripted.Line{Text: "half", Hang: true})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			result, err := a.Run(ctx, "prompt")
			if !errors.Is(err, context.DeadlineExceeded) || result.Stop != agent.Cancelled || result.Text != want || !strings.HasPrefix(err.Error(), "step 2: ") {
				t.Errorf("%v, %s, %q", err, result.Stop, result.Text)
			}
		})
	}
}

func TestDiscardedTextIsNotKeptForTheEnd(t *testing.T) {
	c := agent.Config{Tools: []tools.Tool{echo}, Limits: agent.Limits{Steps: 2}}
	result, _ := run(t, c, scripted.Broken("half"), scripted.Calls(callEcho("x")), scripted.Fail(providers.Transient))
	if result.Text != "" || len(result.Warnings) != 1 {
		t.Errorf("%q, %q", result.Text, result.Warnings)
	}
}
