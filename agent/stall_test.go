package agent_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/providers/offline"
	"github.com/forayhq/foray/tools"
)

func TestSameCallSameResultStalls(t *testing.T) {
	for name, line := range map[string]offline.Line{
		"call":         offline.Calls(callEcho("again")),
		"side by side": offline.Calls(callEcho("again"), callEcho("again"), callEcho("again"), callEcho("again"), callEcho("again")),
		"unknown":      offline.Calls(offline.Call{Name: "nosuch"}, offline.Call{Name: "nosuch"}),
		"invalid":      offline.Calls(offline.Call{Name: "echo", Args: `{"text":1}`}),
	} {
		result, requests := run(t, agent.Config{Tools: []tools.Tool{echo}}, offline.Repeat(5, line), offline.Text("gave up"))
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
	many := slices.Repeat([]offline.Call{{Name: "next"}}, 13)
	for name, lines := range map[string][]offline.Line{
		"other results":   {offline.Repeat(8, offline.Calls(offline.Call{Name: "next"}))},
		"surplus calls":   {offline.Repeat(8, offline.Calls(many...))},
		"one answer":      {offline.Calls(callEcho("x"), callEcho("x"), callEcho("x"), callEcho("x"), callEcho("x"))},
		"13 unknown":      {offline.Calls(slices.Repeat([]offline.Call{{Name: "nosuch"}}, 13)...)},
		"four steps":      {offline.Repeat(4, offline.Calls(callEcho("x")))},
		"other arguments": {offline.Repeat(4, offline.Calls(offline.Call{Name: "same", Args: `{"text":"1"}`})), offline.Repeat(4, offline.Calls(offline.Call{Name: "same", Args: `{"text":"2"}`}))},
	} {
		requests := 0
		for _, l := range lines {
			left, _ := offline.Script(l).Left()
			requests += left
		}
		result, got := run(t, agent.Config{Tools: []tools.Tool{echo, next, same}}, append(lines, offline.Text("done"))...)
		if result.Stop != agent.Answered || result.Text != "done" || len(got) != requests+1 {
			t.Errorf("%s: %s after %d requests", name, result.Stop, len(got))
		}
	}
}
