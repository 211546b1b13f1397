package agent_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// TestRunsShareAWindow has one run go on with the window of another, and a third in a new stage of it: what was said stays,
// until the stage ends, and every request is in order.
func TestRunsShareAWindow(t *testing.T) {
	w := contextwindow.New(contextwindow.Budget{Limit: 8_000, Profile: contextwindow.Lean}, nil)
	model := scripted.New(
		scripted.Calls(callEcho("found")), scripted.Text("one"),
		scripted.Text("two"), scripted.Text("three"),
	)
	a, err := agent.New(agent.Config{Model: model, Tools: []tools.Tool{echo}})
	if err != nil {
		t.Fatal(err)
	}
	for i, prompt := range []string{"first", "again", "next stage"} {
		if i == 2 {
			if err := w.ResetStage(); err != nil {
				t.Fatal(err)
			}
		}
		result, err := a.Do(t.Context(), agent.Task{Prompt: prompt, Window: w})
		if err != nil || result.Stop != agent.Answered || result.Text != []string{"one", "two", "three"}[i] {
			t.Fatalf("%s: %+v, %v", prompt, result, err)
		}
	}
	requests := model.Requests()
	if len(requests) != 4 {
		t.Fatalf("%d requests", len(requests))
	}
	for i, r := range requests {
		if err := transcript.Check(r.Messages, transcript.AnyProvider); err != nil {
			t.Errorf("request %d: %v", i+1, err)
		}
	}
	again, stage := requests[2].Messages, requests[3].Messages
	if len(again) != 5 || again[0].Text != "first" || again[0].Origin != transcript.Prompt || again[4].Text != "again" || again[4].Origin == transcript.Prompt {
		t.Errorf("the second run was asked %+v", again)
	}
	if stage[0].Text != "next stage" || stage[0].Origin != transcript.Prompt || strings.Contains(lastText(requests[3]), "again\n\nfirst") {
		t.Errorf("the stage was asked %+v", stage)
	}
	if _, err := contextwindow.Load(w.Entries(0), w.Budget(), nil); err != nil {
		t.Errorf("the log of three runs: %v", err)
	}
}

// counted is a model that calls, each time with another text.
func counted() func(*providers.Request) scripted.Line {
	n := 0
	return func(*providers.Request) scripted.Line {
		n++
		return scripted.Line{Text: "so far", Calls: []scripted.Call{callEcho(strconv.Itoa(n))}}
	}
}

// TestTaskLimits holds a run to the tighter of two limits.
func TestTaskLimits(t *testing.T) {
	for _, test := range []struct{ own, task, want int }{{4, 2, 2}, {2, 4, 2}, {3, 0, 3}, {-1, 2, 2}, {3, -1, 3}} {
		model := scripted.New(scripted.Repeat(0, scripted.Func(counted())))
		a, err := agent.New(agent.Config{Model: model, Tools: []tools.Tool{echo}, Limits: agent.Limits{Steps: test.own}})
		if err != nil {
			t.Fatal(err)
		}
		result, err := a.Do(t.Context(), agent.Task{Prompt: "prompt", Limits: agent.Limits{Steps: test.task}})
		if err != nil || result.Steps != test.want || result.Stop != agent.StepLimit {
			t.Errorf("%+v: %d steps, %s, %v", test, result.Steps, result.Stop, err)
		}
	}
	a, err := agent.New(agent.Config{Model: scripted.New(scripted.Repeat(0, scripted.Line{Hang: true})), Limits: agent.Limits{Time: time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Do(t.Context(), agent.Task{Prompt: "prompt", Limits: agent.Limits{Time: time.Millisecond}})
	if err != nil || result.Stop != agent.TimeLimit {
		t.Errorf("%+v, %v", result, err)
	}
}
