package agent_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

func TestSameCallSameResultStalls(t *testing.T) {
	for name, line := range map[string]scripted.Line{
		"call":         scripted.Calls(callEcho("again")),
		"side by side": scripted.Calls(callEcho("again"), callEcho("again"), callEcho("again"), callEcho("again"), callEcho("again")),
		"unknown":      scripted.Calls(scripted.Call{Name: "nosuch"}, scripted.Call{Name: "nosuch"}),
		"invalid":      scripted.Calls(scripted.Call{Name: "echo", Args: `{"text":1}`}),
	} {
		result, requests := run(t, agent.Config{Tools: []tools.Tool{echo}}, scripted.Repeat(5, line), scripted.Text("gave up"))
		if result.Stop != agent.Stalled || result.Text != "gave up" || len(requests) != 6 {
			t.Errorf("%s: %s after %d requests: %q", name, result.Stop, len(requests), result.Text)
			continue
		}
		var told []int
		for i, req := range requests {
			if strings.Contains(lastText(req), "with the same arguments") {
				told = append(told, i)
			}
		}
		if !slices.Equal(told, []int{3}) || !strings.Contains(lastText(requests[3]), "in 3 steps") {
			t.Errorf("%s: the model was told in the requests %v, want once, in 3", name, told)
		}
	}
}

func TestWhatIsNoStall(t *testing.T) {
	var n atomic.Int32
	next := tools.New("next", "Count.", func(context.Context, struct{}) (int32, error) { return n.Add(1), nil })
	same := tools.New("same", "Give the same.", func(context.Context, textInput) (string, error) { return "same", nil })
	many := slices.Repeat([]scripted.Call{{Name: "next"}}, 13)
	for name, lines := range map[string][]scripted.Line{
		"other results":   {scripted.Repeat(8, scripted.Calls(scripted.Call{Name: "next"}))},
		"surplus calls":   {scripted.Repeat(8, scripted.Calls(many...))},
		"one answer":      {scripted.Calls(callEcho("x"), callEcho("x"), callEcho("x"), callEcho("x"), callEcho("x"))},
		"13 unknown":      {scripted.Calls(slices.Repeat([]scripted.Call{{Name: "nosuch"}}, 13)...)},
		"four steps":      {scripted.Repeat(4, scripted.Calls(callEcho("x")))},
		"other arguments": {scripted.Repeat(4, scripted.Calls(scripted.Call{Name: "same", Args: `{"text":"1"}`})), scripted.Repeat(4, scripted.Calls(scripted.Call{Name: "same", Args: `{"text":"2"}`}))},
	} {
		requests := 0
		for _, l := range lines {
			left, _ := scripted.New(l).Left()
			requests += left
		}
		result, got := run(t, agent.Config{Tools: []tools.Tool{echo, next, same}}, append(lines, scripted.Text("done"))...)
		if result.Stop != agent.Answered || result.Text != "done" || len(got) != requests+1 {
			t.Errorf("%s: %s after %d requests", name, result.Stop, len(got))
		}
	}
}

// TestThrashConcludes has turns with long texts that fill the window each time: the run ends with the closing request, and nothing of it
// is lost.
func TestThrashConcludes(t *testing.T) {
	c := agent.Config{Tools: []tools.Tool{pages}, Budget: contextwindow.Budget{Limit: 1_500}}
	n := 0
	ask := func(closing scripted.Line) scripted.Line {
		return scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
			if req.Choice == providers.None {
				return closing
			}
			line := numbered("read", 8)
			line.Text = strings.Repeat("so much to say ", 600)
			for i := range line.Calls {
				n++
				line.Calls[i].Args = map[string]int{"n": n}
			}
			return line
		}))
	}
	c.Model = scripted.New(ask(scripted.Text("what there is")))
	trace, result := traced(t, c, agent.Task{Prompt: "prompt"})
	if result.Stop != agent.Stalled || result.Text != "what there is" || result.Steps*8-8 != len(result.Tools) || len(result.Compactions) < 6 {
		t.Errorf("%s after %d steps and %d calls: %q", result.Stop, result.Steps, len(result.Tools), result.Text)
	}
	if len(result.Warnings) != 1 || !strings.Contains(result.Warnings[0], "too large for the budget of 1500 tokens") {
		t.Errorf("%q", result.Warnings)
	}
	if requests, err := readTrace(trace); err != nil || len(requests) != result.Steps || strings.Count(string(trace), `"thrash":true`) == 0 {
		t.Errorf("%d requests in the trace: %v", len(requests), err)
	}
	limited := c
	n, limited.Limits.Steps, limited.Model = 0, result.Steps, scripted.New(ask(scripted.Text("what there is")))
	if result, err := mustNew(t, limited).Run(t.Context(), "prompt"); err != nil || result.Stop != agent.StepLimit || result.Text != "what there is" || len(result.Warnings) != 0 {
		t.Errorf("in the last step: %v, %s, %q, %q", err, result.Stop, result.Text, result.Warnings)
	}
	c.Model = nil
	a, _ := start(t, c, ask(scripted.Line{}))
	if result, err := a.Run(t.Context(), "prompt"); err != nil || result.Stop != agent.Stalled || len(result.Warnings) != 2 {
		t.Errorf("without closing words: %v, %s, %q", err, result.Stop, result.Warnings)
	}
}
