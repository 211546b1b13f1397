package agent_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/forayhq/foray/agent"
	agenttrace "github.com/forayhq/foray/agent/trace"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// moody is a guide that says what was drawn for each step.
type moody []agent.Move

func (m moody) Next(s agent.Step) agent.Move {
	if s.Text == "end" {
		return agent.Move{Stop: true}
	}
	return m[min(s.Number, len(m)-1)]
}

// drawLine draws an answer, odd ones among them.
func drawLine(t *rapid.T) scripted.Line {
	line := scripted.Line{Text: rapid.SampledFrom([]string{"", "", "and so on", "bytes \xff", strings.Repeat("long words ", 300)}).Draw(t, "text")}
	for range rapid.SampledFrom([]int{0, 1, 1, 2, 12}).Draw(t, "calls") {
		line.Calls = append(line.Calls, scripted.Call{
			ID:   rapid.SampledFrom([]string{"", "", "same", "call_1_1", "\xff"}).Draw(t, "id"),
			Name: rapid.SampledFrom([]string{"read", "read", "read", "", "no such"}).Draw(t, "name"),
			Args: rapid.SampledFrom([]any{map[string]int{"n": rapid.IntRange(0, 50).Draw(t, "n")}, `{"n":`, `[1]`, nil}).Draw(t, "arguments"),
		})
	}
	if rapid.Bool().Draw(t, "opaque") {
		line.ProviderData = &transcript.ProviderData{Dialect: "scripted", Model: "script", Data: []byte{0xff}, Tokens: 9}
	}
	switch rapid.IntRange(0, 12).Draw(t, "end") {
	case 0:
		line.Finish = providers.Length
	case 1:
		line.Err = &providers.Error{Class: providers.Overflow, Limit: rapid.SampledFrom([]int{0, 2_500}).Draw(t, "limit"), Err: errors.New("too long")}
	case 2:
		line.Err = &providers.Error{Class: providers.Invalid, Err: errors.New(rapid.SampledFrom(refusals).Draw(t, "refusal"))}
	case 3:
		line.Err = &providers.Error{Class: providers.Network, Err: errors.New("reset")}
	}
	ratio := rapid.SampledFrom([]int{0, 90, 130}).Draw(t, "counted")
	return scripted.Func(func(req *providers.Request) scripted.Line {
		line.Usage.Input = providers.Size(req) * ratio / 100
		return line
	})
}

// TestRandomRuns plays runs of odd answers through all profiles: each request keeps the rules of every service, the trace
// gives each as it was sent, and nothing had to be repaired but what drops an opaque part.
func TestRandomRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := append(rapid.SliceOfN(rapid.Custom(drawLine), 1, 20).Draw(t, "lines"), scripted.Repeat(0, scripted.Text("end")))
		moves := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) agent.Move {
			word := func(name string) string {
				return rapid.SampledFrom([]string{"", "", "the same", fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "word"))}).Draw(t, name)
			}
			return agent.Move{Status: word("status"), Nudge: word("nudge")}
		}), 1, 20).Draw(t, "moves")
		model := scripted.New(lines...)
		a, err := agent.New(agent.Config{
			Model: model, System: "system", Tools: []tools.Tool{pages}, Guide: func() agent.Guide { return moody(moves).Next },
			Budget: contextwindow.Budget{
				Limit: rapid.SampledFrom([]int{1_500, 3_000, 8_000, 24_000}).Draw(t, "budget"), Profile: rapid.SampledFrom(contextwindow.Profiles()).Draw(t, "profile"),
			},
			Limits: agent.Limits{Steps: rapid.SampledFrom([]int{3, 30}).Draw(t, "steps")},
		})
		if err != nil {
			t.Fatal(err)
		}
		var trace strings.Builder
		var result *agent.Result
		for e, err := range agenttrace.Write(a.Stream(t.Context(), agent.Task{Prompt: "prompt"}), &trace) {
			if done, ok := e.(agent.RunFinished); ok {
				result = done.Result
				if class := providers.ClassOf(err); err != nil && !errors.Is(err, contextwindow.ErrIrreducible) && class != providers.Overflow && class != providers.Invalid && class != providers.Network && !strings.Contains(err.Error(), "empty answer") {
					t.Errorf("the run ended with %v", err)
				}
			}
		}
		for i, req := range model.Requests() {
			if err := transcript.Check(req.Messages, transcript.AnyProvider); err != nil {
				t.Errorf("request %d: %v", i, err)
			}
		}
		if got, err := readTrace([]byte(trace.String())); err != nil || !cmp.Equal(got, model.Requests()) {
			t.Errorf("the trace gives other requests: %v", err)
		}
		for _, w := range result.Warnings {
			if strings.Contains(w, "a request was repaired") && !strings.Contains(w, "neighbours of one role can be merged") {
				t.Error(w)
			}
		}
	})
}
