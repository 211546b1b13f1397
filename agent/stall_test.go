package agent_test

import (
	"context"
	"errors"
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
		result, requests := run(t, agent.Config{Tools: []tools.Tool{echo}}, scripted.Repeat(3, line), scripted.Text("gave up"))
		if result.Stop != agent.Stalled || result.Text != "gave up" || len(requests) != 4 {
			t.Errorf("%s: %s after %d requests: %q", name, result.Stop, len(requests), result.Text)
			continue
		}
		var told []int
		for i, req := range requests {
			if strings.Contains(lastText(req), "Do not repeat it") {
				told = append(told, i)
			}
		}
		if !slices.Equal(told, []int{2}) {
			t.Errorf("%s: the model was told in the requests %v, want once, in 2", name, told)
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
		"two steps":       {scripted.Repeat(2, scripted.Calls(callEcho("x")))},
		"other arguments": {scripted.Repeat(2, scripted.Calls(scripted.Call{Name: "same", Args: `{"text":"1"}`})), scripted.Repeat(2, scripted.Calls(scripted.Call{Name: "same", Args: `{"text":"2"}`}))},
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

// TestRepeatedStepsAreStopped has models that never stop calling. Each run ends with its closing request after so many steps.
func TestRepeatedStepsAreStopped(t *testing.T) {
	n := 0
	var polls atomic.Int32
	find := tools.New("find", "Find.", func(_ context.Context, in struct {
		Text  string `json:"text"`
		Limit int    `json:"limit,omitempty"`
	}) (string, error) {
		return "hits for " + strings.ToLower(strings.TrimSpace(in.Text)), nil
	})
	poll := tools.New("poll", "Poll.", func(context.Context, struct{}) (int32, error) { return polls.Add(1), nil })
	wait := tools.New("wait", "Wait.", func(context.Context, struct{}) (string, error) { return "still running", nil })
	wait.Effects = true
	status := tools.New("status", "Job status.", func(_ context.Context, in struct{ Job int }) (string, error) {
		if in.Job == 0 {
			return "", errors.New("no such job")
		}
		return strings.Repeat("pending ", 100), nil
	})
	status.Polls = true
	call := func(name, args string) scripted.Line { return scripted.Calls(scripted.Call{Name: name, Args: args}) }
	for name, tt := range map[string]struct {
		lines []scripted.Line // again and again
		steps int             // before the closing request
	}{
		"one call":               {[]scripted.Line{call("find", `{"text":"a"}`)}, 3},
		"other case and spaces":  {[]scripted.Line{call("find", `{"text":"a"}`), call("find", `{ "text": " A " }`), call("find", `{"text":"A"}`)}, 3},
		"two in turn":            {[]scripted.Line{call("find", `{"text":"a"}`), call("find", `{"text":"b"}`)}, 5},
		"three in turn":          {[]scripted.Line{call("find", `{"text":"a"}`), call("find", `{"text":"b"}`), call("find", `{"text":"c"}`)}, 6},
		"an unknown tool":        {[]scripted.Line{call("nosuch", `{"text":"a"}`)}, 3},
		"garbage, new each time": {make([]scripted.Line, 1), 8},
		"polling":                {[]scripted.Line{call("poll", `{}`)}, 19},
		"waiting":                {[]scripted.Line{call("wait", `{}`)}, 5},
		"pending":                {[]scripted.Line{call("status", `{"Job":1}`)}, 19},
		"pending jobs":           {[]scripted.Line{call("status", `{"Job":1}`), call("status", `{"Job":2}`)}, 19},
		"pending, and a search":  {[]scripted.Line{scripted.Calls(scripted.Call{Name: "status", Args: `{"Job":1}`}, scripted.Call{Name: "find", Args: `{"text":"a"}`})}, 5},
		"no job":                 {[]scripted.Line{call("status", `{"Job":0}`)}, 3},
	} {
		turn := 0
		model := scripted.New(scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
			if req.Choice == providers.None {
				return scripted.Text("that is all")
			}
			turn++
			line := tt.lines[(turn-1)%len(tt.lines)]
			if name == "garbage, new each time" {
				n++
				line = call("nosuch"+strings.Repeat("x", n), `{"a":`)
			}
			return line
		})))
		a, err := agent.New(agent.Config{Model: model, Tools: []tools.Tool{find, poll, wait, status}, Limits: agent.Limits{Steps: 20}})
		if err != nil {
			t.Fatal(err)
		}
		result, err := a.Run(t.Context(), "prompt")
		want := agent.Stalled
		if tt.steps == 19 {
			want = agent.StepLimit
		}
		if err != nil || result.Stop != want || result.Text != "that is all" || result.Steps != tt.steps+1 {
			t.Errorf("%s: %s after %d steps: %q, %v", name, result.Stop, result.Steps, result.Text, err)
		}
	}
}

// pointing is a guide that knows files that the model has not looked at.
func pointing(s agent.Step) agent.Move {
	return agent.Move{Stop: s.Answered(), Unread: []string{"a.go", "b.go", "c.go", "d.go"}}
}

func TestRepeatedCallIsToldWhereToLook(t *testing.T) {
	c := agent.Config{Tools: []tools.Tool{echo}, Guide: func() agent.Guide { return pointing }}
	_, requests := run(t, c, scripted.Repeat(2, scripted.Calls(callEcho("again"))), scripted.Text("done"))
	want := "You called echo with these arguments before, and the result is the same. Do not repeat it: " +
		"look at what you have not read yet (a.go, b.go, c.go), or answer from what you have found."
	if !strings.Contains(lastText(requests[2]), want) || strings.Contains(lastText(requests[1]), "Do not repeat") {
		t.Errorf("%q", lastText(requests[2]))
	}
}
