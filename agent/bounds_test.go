package agent_test

import (
	"strings"
	"testing"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// TestRepetitionIsAskedAgainOnce: an answer that repeats itself is retracted and requested once more, warmer. If that one repeats itself too,
// the run fails in its first step; later it closes with what it has found.
func TestRepetitionIsAskedAgainOnce(t *testing.T) {
	loop := scripted.Text("The answer is in a.go." + strings.Repeat("\nSee a.go.", 300))
	for name, tt := range map[string]struct {
		lines    []scripted.Line
		stop     agent.Stop
		text     string
		requests int
	}{
		"second try":     {[]scripted.Line{loop, scripted.Text("fine")}, agent.Answered, "fine", 2},
		"first step":     {[]scripted.Line{scripted.Repeat(0, loop)}, agent.Failed, "The answer is in a.go.\nSee a.go.", 2},
		"after a call":   {[]scripted.Line{scripted.Calls(callEcho("x")), scripted.Repeat(2, loop), scripted.Text("found")}, agent.Stalled, "found", 4},
		"whatever asked": {[]scripted.Line{scripted.Calls(callEcho("x")), scripted.Repeat(0, loop)}, agent.Stalled, "The answer is in a.go.\nSee a.go.", 5},
	} {
		model := scripted.Options{Piece: 4}.New(tt.lines...)
		a, _ := start(t, agent.Config{Model: providers.Bound(model), Tools: []tools.Tool{echo}})
		shown, retried := "", 0
		var result *agent.Result
		var failed error
		for e, err := range a.Stream(t.Context(), agent.Task{Prompt: "prompt"}) {
			switch e := e.(type) {
			case agent.Text:
				shown += e.Text
			case agent.RequestRetried:
				shown = ""
				retried++
				if !strings.Contains(e.Reason, `the answer repeated "See a.go.\n"`) {
					t.Errorf("%s: retried for %s", name, e.Reason)
				}
			case agent.RunFinished:
				result, failed = e.Result, err
			}
		}
		requests := model.Requests()
		if result.Stop != tt.stop || result.Text != tt.text || len(requests) != tt.requests || retried == 0 {
			t.Errorf("%s: %s after %d requests, %d retried: %q, %v", name, result.Stop, len(requests), retried, result.Text, failed)
		}
		if (failed != nil) != (tt.stop == agent.Failed) || failed != nil && providers.ClassOf(failed) != providers.Repeating {
			t.Errorf("%s: %v", name, failed)
		}
		warm := 0
		for _, req := range requests {
			if req.Temperature != nil {
				warm++
			}
		}
		if warm != retried {
			t.Errorf("%s: %d of %d requests are warmer, %d were retried", name, warm, len(requests), retried)
		}
		if tt.stop == agent.Answered && shown != result.Text {
			t.Errorf("%s: shown %q", name, shown)
		}
	}
}

// TestEveryRunEnds has models that never come to an end in one way each. Every run stops after a bounded number of requests.
func TestEveryRunEnds(t *testing.T) {
	for name, tt := range map[string]struct {
		line scripted.Line
		stop agent.Stop
		most int // requests
	}{
		"newlines":       {scripted.Text(strings.Repeat("\n", 20_000)), agent.Failed, 3},
		"one word":       {scripted.Text(strings.Repeat("the ", 20_000)), agent.Failed, 2},
		"nothing":        {scripted.Text(""), agent.Failed, 3},
		"cut off":        {scripted.Line{Text: "and then", Finish: providers.Length}, agent.CutOff, 4},
		"broken off":     {scripted.Broken("and then"), agent.Failed, 3},
		"announced call": {scripted.Line{Text: "I call it.", Finish: providers.Calls}, agent.Answered, 3},
	} {
		model := scripted.Options{Piece: 3}.New(scripted.Repeat(0, tt.line))
		a, err := agent.New(agent.Config{Model: providers.Bound(model), Tools: []tools.Tool{echo}})
		if err != nil {
			t.Fatal(err)
		}
		result, err := a.Run(t.Context(), "prompt")
		if n := len(model.Requests()); result.Stop != tt.stop || n > tt.most || (err != nil) != (tt.stop == agent.Failed) {
			t.Errorf("%s: %s after %d requests: %v", name, result.Stop, n, err)
		}
		for i, req := range model.Requests() {
			if req.MaxOutput <= 0 {
				t.Errorf("%s: request %d has no bound", name, i+1)
			}
		}
	}
}
