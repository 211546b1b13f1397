package agent_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent"
	agenttrace "github.com/forayhq/foray/agent/trace"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// fileInput is read by the tool below.
type fileInput struct {
	Path string `json:"path"`
}

var readFile = tools.New("read_file", "Read a file.", func(_ context.Context, in fileInput) (string, error) { return "text of " + in.Path, nil })

func callReadFile(path string) scripted.Call {
	return scripted.Call{Name: "read_file", Args: map[string]string{"path": path}}
}

func callScout(task string) scripted.Call {
	return scripted.Call{Name: "ask_scout", Args: map[string]string{"task": task}}
}

// scout is an agent as a tool.
func scout(t *testing.T, c agent.Config, lines ...scripted.Line) (tools.Tool, *scripted.Model) {
	t.Helper()
	c.Name = "scout"
	a, model := start(t, c, lines...)
	return agent.AsTool(a, "ask_scout", "Look something up."), model
}

// reading is a scout that reads the file that it is asked for, and says so.
func reading() scripted.Line {
	return scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
		line := scripted.Line{Usage: providers.Usage{Input: 1_000, Cached: 400, Output: 10}}
		if len(req.Messages) == 1 {
			line.Calls = []scripted.Call{callReadFile(req.Messages[0].Text)}
		} else {
			line.Text = "found in " + req.Messages[0].Text
		}
		return line
	}))
}

func TestSubAgents(t *testing.T) {
	tool, sub := scout(t, agent.Config{Tools: []tools.Tool{readFile}}, reading())
	a, model := start(t, agent.Config{Name: "lead", Tools: []tools.Tool{tool}},
		scripted.Line{Calls: []scripted.Call{callScout("a.go"), callScout("b.go")}, Usage: providers.Usage{Input: 100, Output: 1}},
		scripted.Line{Text: "done", Usage: providers.Usage{Input: 200, Output: 1}})
	var trace bytes.Buffer
	told := make(map[string][]string)
	var result *agent.Result
	var tokens providers.Usage
	for e, err := range agenttrace.Write(a.Stream(t.Context(), agent.Task{Prompt: "prompt"}), &trace) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case agent.RunStarted:
			told[e.Agent] = append(told[e.Agent], "started")
		case agent.ToolStarted:
			told[e.Agent] = append(told[e.Agent], e.Call.Name)
		case agent.Text:
			told[e.Agent] = append(told[e.Agent], e.Text)
		case agent.StepFinished:
			if e.Agent == "lead" {
				tokens = tokens.Add(e.Tokens)
			}
		case agent.SubagentFinished:
			told[e.Agent] = append(told[e.Agent], "returned "+string(e.Result.Stop))
		case agent.RunFinished:
			told[e.Agent] = append(told[e.Agent], "done")
			result = e.Result
		}
	}
	want := map[string][]string{
		"lead":           {"started", "ask_scout", "ask_scout", "done", "done"},
		"lead/scout@1.1": {"started", "read_file", "found in a.go", "returned answered"},
		"lead/scout@1.2": {"started", "read_file", "found in b.go", "returned answered"},
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if got, want := result.Usage, (providers.Usage{Input: 4_300, Cached: 1_600, Output: 42}); got != want || tokens != want || result.Steps != 2 {
		t.Errorf("usage %+v, of the steps %+v, want %+v; %d steps", got, tokens, want, result.Steps)
	}
	seen := model.Requests()[1].Messages
	if got, want := seen[2].Text, "found in a.go\n\nEvidence: 2 steps, 1 calls, 0 of them failed. Files read: a.go."; got != want || len(seen) != 4 {
		t.Errorf("the model sees %q of %d messages", got, len(seen))
	}
	if text := textOf(result.Tools[1].Value); !strings.HasPrefix(text, "found in b.go\n\nEvidence") {
		t.Errorf("record %+v", result.Tools[1])
	}
	requests, err := readTrace(trace.Bytes())
	if err != nil || len(requests) != len(model.Requests())+len(sub.Requests()) {
		t.Errorf("%d requests in the trace: %v", len(requests), err)
	}
}

// Each call keeps when it began, what it took, and what the runs below it spent.
func TestRecordsOfRuns(t *testing.T) {
	tool, _ := scout(t, agent.Config{Tools: []tools.Tool{readFile}}, reading())
	began := time.Now()
	a, _ := start(t, agent.Config{Name: "lead", Tools: []tools.Tool{tool, readFile}},
		scripted.Calls(callScout("a.go"), callScout("b.go"), callReadFile("c.go"), scripted.Call{Name: "nothing"}), scripted.Text("done"))
	result, err := a.Run(t.Context(), "prompt")
	if err != nil {
		t.Fatal(err)
	}
	for i, tokens := range []int{2_020, 2_020, 0} {
		if r := result.Tools[i]; r.Tokens != tokens || r.Started.Before(began) || r.Duration <= 0 || r.Started.Add(r.Duration).After(time.Now()) {
			t.Errorf("%s: %d tokens, %s from %s", r.Made.Name, r.Tokens, r.Duration, r.Started)
		}
	}
	if r := result.Tools[3]; !r.Started.IsZero() {
		t.Errorf("a call that was not made began at %s", r.Started)
	}
}

func TestCancellationReachesSubAgents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := tools.New("wait", "Wait.", func(ctx context.Context, _ struct{}) (string, error) { <-ctx.Done(); return "", ctx.Err() })
		inner, _ := scout(t, agent.Config{Tools: []tools.Tool{wait}, Limits: agent.Limits{ToolTimeout: -1}}, scripted.Calls(scripted.Call{Name: "wait"}))
		outer, _ := scout(t, agent.Config{Tools: []tools.Tool{inner}}, scripted.Calls(callScout("deeper")))
		lead, _ := start(t, agent.Config{Tools: []tools.Tool{outer}}, scripted.Calls(callScout("deep")))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		time.AfterFunc(time.Minute, cancel)
		returned := 0
		for e, err := range lead.Stream(ctx, agent.Task{Prompt: "prompt"}) {
			switch e := e.(type) {
			case agent.SubagentFinished:
				returned++
				if e.Result.Stop != agent.Cancelled {
					t.Errorf("%s: %s", e.Agent, e.Result.Stop)
				}
			case agent.RunFinished:
				if !errors.Is(err, context.Canceled) || e.Result.Stop != agent.Cancelled || e.Result.Duration != time.Minute || e.Result.Abandoned != 0 {
					t.Errorf("%v, %s after %v", err, e.Result.Stop, e.Result.Duration)
				}
			}
		}
		if returned != 2 {
			t.Errorf("%d sub-agents returned", returned)
		}
		for e := range lead.Stream(t.Context(), agent.Task{Prompt: "prompt"}) { // the script of the lead is used up: it ends at once
			if _, ok := e.(agent.SubagentFinished); ok {
				t.Error("a sub-agent ran")
			}
		}
	})
}

func TestBreakingOffEndsSubAgents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tool, _ := scout(t, agent.Config{}, scripted.Repeat(0, scripted.Line{Text: "half", Hang: true}))
		a, _ := start(t, agent.Config{Tools: []tools.Tool{tool}}, scripted.Calls(callScout("a"), callScout("b")))
		for e := range a.Stream(t.Context(), agent.Task{Prompt: "prompt"}) {
			if _, ok := e.(agent.Text); ok {
				break
			}
		}
	})
}

func TestAbandonedSubAgentEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stubborn := tools.New("stubborn", "Ignore.", func(context.Context, struct{}) (string, error) { time.Sleep(time.Hour); return "", nil })
		tool, sub := scout(t, agent.Config{Tools: []tools.Tool{stubborn}, Limits: agent.Limits{ToolTimeout: -1, ToolGrace: -1}},
			scripted.Calls(scripted.Call{Name: "stubborn"}), scripted.Text("never"))
		tool.Timeout = time.Minute
		result, _ := run(t, agent.Config{Tools: []tools.Tool{tool}}, scripted.Calls(callScout("a")), scripted.Text("done"))
		if result.Text != "done" || result.Abandoned != 1 || result.Duration != 65*time.Second {
			t.Errorf("%+v", result)
		}
		time.Sleep(2 * time.Hour) // goroutines that are left fail the test
		if len(sub.Requests()) != 1 {
			t.Errorf("%d requests of the sub-agent", len(sub.Requests()))
		}
	})
}

func TestDepthOfSubAgents(t *testing.T) {
	for depth, want := range map[int]int{0: 4, 1: 2, 2: 3, -1: 6} {
		calls := 0
		tool, _ := scout(t, agent.Config{}, scripted.Text("bottom"))
		for range 4 { // the agents of each floor ask the one below
			next, model := tool, scripted.Repeat(1, scripted.Calls(callScout("down")))
			tool, _ = scout(t, agent.Config{Tools: []tools.Tool{next}, Limits: agent.Limits{Depth: depth}}, model, scripted.Text("up"))
		}
		a, _ := start(t, agent.Config{Tools: []tools.Tool{tool}, Limits: agent.Limits{Depth: depth}}, scripted.Calls(callScout("down")), scripted.Text("done"))
		for e := range a.Stream(t.Context(), agent.Task{Prompt: "prompt"}) {
			if _, ok := e.(agent.RunStarted); ok {
				calls++
			}
		}
		if calls != want {
			t.Errorf("depth %d: %d runs, want %d", depth, calls, want)
		}
	}
}

func TestFailuresOfSubAgentsAreToldToTheModel(t *testing.T) {
	tool, _ := scout(t, agent.Config{}, scripted.Fail(providers.Auth), scripted.Line{Text: "I was about to", Finish: providers.Filtered})
	result, requests := run(t, agent.Config{Tools: []tools.Tool{tool}}, scripted.Calls(callScout("a")), scripted.Calls(callScout("b")), scripted.Text("done"))
	for i, want := range []string{"the sub-agent failed: step 1: scripted/script: auth", "what it had written: I was about to"} {
		if got := lastText(requests[i+1]); !strings.Contains(got, want) || result.Tools[i].Err == nil {
			t.Errorf("call %d: %q", i, got)
		}
	}
	if result.Text != "done" || result.Stop != agent.Answered {
		t.Errorf("%+v", result)
	}
}

func TestEffectsOfSubAgentsNeedTheApprovalOfTheRun(t *testing.T) {
	var wrote, asked []string
	tool, sub := scout(t, agent.Config{Tools: []tools.Tool{writer(&wrote)}}, scripted.Calls(callWrite("x")), scripted.Text("I could not."))
	if !tool.Effects {
		t.Error("the tool has no effects, but its agent")
	}
	approve := func(_ context.Context, c transcript.ToolCall) (agent.Decision, error) {
		asked = append(asked, c.Name)
		return agent.Decision{Approved: c.Name == "ask_scout", Reason: "no"}, nil
	}
	run(t, agent.Config{Tools: []tools.Tool{tool}, Approve: approve}, scripted.Calls(callScout("go")), scripted.Text("done"))
	if !slices.Equal(asked, []string{"ask_scout", "write"}) || len(wrote) > 0 || !strings.Contains(lastText(sub.Requests()[1]), "refused: no") {
		t.Errorf("asked for %q, wrote %q", asked, wrote)
	}
}

// textOf renders the value of a tool.
func textOf(v any) string {
	_, text := tools.Render(v)
	return text
}

func TestSubAgentWithoutARun(t *testing.T) {
	tool, _ := scout(t, agent.Config{}, scripted.Text("answer"))
	v, err := tool.Call(t.Context(), []byte(`{"task":"go"}`))
	if err != nil || !strings.HasPrefix(textOf(v), "answer\n\nEvidence") {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestEvidenceIsBounded(t *testing.T) {
	var calls []scripted.Call
	for i := range 25 {
		calls = append(calls, callReadFile(fmt.Sprintf("file%d.go", i)))
	}
	tool, _ := scout(t, agent.Config{Tools: []tools.Tool{readFile}, Limits: agent.Limits{CallsPerStep: 23}}, scripted.Calls(calls...), scripted.Text("answer"))
	_, requests := run(t, agent.Config{Tools: []tools.Tool{tool}}, scripted.Calls(callScout("go")), scripted.Text("done"))
	if got := lastText(requests[1]); !strings.Contains(got, "25 calls, 2 of them failed") || !strings.Contains(got, "file19.go and 3 more.") {
		t.Errorf("the model sees %q", got)
	}
}
