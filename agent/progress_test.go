package agent_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// counter is a tool that counts ten files of n+10, one in so long, and then works on for as long without counting.
func counter(each time.Duration) tools.Tool {
	return tools.New("count", "Count.", func(ctx context.Context, in numberInput) (int, error) {
		c := tools.CountProgress(ctx, "files", in.N+10)
		defer c.End()
		for range 10 {
			time.Sleep(each)
			c.Add(1)
		}
		time.Sleep(10 * each)
		return in.N, nil
	})
}

// heard is a run in words: the calls that began and ended, by number, and how far they were between.
func heard(t *testing.T, a *agent.Agent, ctx context.Context) (words []string, result *agent.Result) {
	t.Helper()
	for e, err := range a.Stream(ctx, agent.Task{Prompt: "prompt"}) {
		switch e := e.(type) {
		case agent.ToolStarted:
			words = append(words, "+"+string(e.Call.Args))
		case agent.ToolProgressed:
			words = append(words, fmt.Sprintf("%s %d/%d", e.Call.Args, e.Progress.Done, e.Progress.Total))
			if e.Progress.Unit != "files" || e.Step != 1 || e.Call.ID == "" {
				t.Errorf("%+v", e)
			}
		case agent.ToolFinished:
			words = append(words, "-"+string(e.Record.Call.Args))
		case agent.RunFinished:
			if result = e.Result; err != nil {
				t.Error(err)
			}
		}
	}
	return words, result
}

func TestProgressOfCallsIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := start(t, agent.Config{Tools: []tools.Tool{counter(150 * time.Millisecond)}}, numbered("count", 1), scripted.Text("done"))
		words, _ := heard(t, a, t.Context())
		// At 200 ms one is counted, at 400 two, at 600 three or four; behind the tenth nothing changes.
		want := []string{`+{"n":0}`, `{"n":0} 1/10`, `{"n":0} 2/10`}
		if len(words) != 10 || !slices.Equal(words[:3], want) || !slices.Equal(words[len(words)-2:], []string{`{"n":0} 10/10`, `-{"n":0}`}) {
			t.Errorf("%q", words)
		}
		if again := slices.Compact(slices.Clone(words)); len(again) != len(words) {
			t.Errorf("told twice: %q", words)
		}
	})
}

func TestProgressOfCallsSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := start(t, agent.Config{Tools: []tools.Tool{counter(time.Second)}}, numbered("count", 3), scripted.Text("done"))
		words, _ := heard(t, a, t.Context())
		for n := range 3 {
			var own []string
			for _, w := range words {
				if call := fmt.Sprintf(`{"n":%d}`, n); strings.Contains(w, call) {
					own = append(own, strings.TrimPrefix(w, call+" "))
				}
			}
			want := []string{fmt.Sprintf(`+{"n":%d}`, n)}
			for done := range 11 {
				want = append(want, fmt.Sprintf("%d/%d", done, n+10))
			}
			want = append(want, fmt.Sprintf(`-{"n":%d}`, n))
			if diff := cmp.Diff(want, own); diff != "" {
				t.Errorf("call %d (-want +got):\n%s", n, diff)
			}
		}
	})
}

func TestNothingIsToldOfACallThatIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stubborn := tools.New("stubborn", "Ignore.", func(ctx context.Context, in numberInput) (int, error) {
			c := tools.CountProgress(ctx, "files", 0)
			for range 600 {
				time.Sleep(time.Second)
				c.Add(1)
			}
			return 0, nil
		})
		quick := tools.New("quick", "Count and return.", func(ctx context.Context, in numberInput) (int, error) {
			tools.CountProgress(ctx, "files", 0).Add(1)
			return 0, nil
		})
		c := agent.Config{Tools: []tools.Tool{stubborn, quick, counter(20 * time.Second)}, Limits: agent.Limits{ToolTimeout: 10 * time.Second, ToolGrace: 5 * time.Second}}
		lines := scripted.Calls(scripted.Call{Name: "stubborn", Args: `{"n":1}`}, scripted.Call{Name: "quick", Args: `{"n":2}`}, scripted.Call{Name: "count", Args: `{"n":3}`})
		a, _ := start(t, c, lines, scripted.Text("done"))
		words, result := heard(t, a, t.Context())
		for _, call := range []string{`{"n":1}`, `{"n":2}`, `{"n":3}`} {
			end := slices.Index(words, "-"+call)
			if end < 0 || slices.ContainsFunc(words[end+1:], func(w string) bool { return strings.HasPrefix(w, call) }) {
				t.Errorf("%s: %q", call, words)
			}
		}
		if result.Abandoned != 2 || !slices.Contains(words, `{"n":1} 14/0`) || slices.Contains(words, `{"n":2} 1/0`) {
			t.Errorf("%d abandoned: %q", result.Abandoned, words)
		}
		time.Sleep(time.Hour) // what was abandoned counts on, and ends
	})
}

// Progress is no part of what a run gives, sends or writes.
func TestProgressLeavesNoTrace(t *testing.T) {
	var transcripts, requests [2]any
	for i, each := range []time.Duration{0, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			model := scripted.New(numbered("count", 3), scripted.Text("done"))
			trace, result := traced(t, agent.Config{Model: model, Tools: []tools.Tool{counter(each)}}, agent.Task{Prompt: "prompt"})
			transcripts[i], requests[i] = result.Transcript, model.Requests()
			checkLines(t, each.String(), trace)
			if bytes.Contains(trace, []byte("progress")) || bytes.Count(trace, []byte("\n")) != bytes.Count(trace, []byte(`{"seq":`)) {
				t.Errorf("%v: %s", each, trace)
			}
			if sent, err := readTrace(trace); err != nil || len(sent) != len(model.Requests()) {
				t.Errorf("%v: %d requests, %v", each, len(sent), err)
			}
		})
	}
	if diff := cmp.Diff(transcripts[0], transcripts[1]); diff != "" {
		t.Errorf("the transcript depends on the time (-at once +slow):\n%s", diff)
	}
	if diff := cmp.Diff(requests[0], requests[1]); diff != "" {
		t.Errorf("the requests depend on the time (-at once +slow):\n%s", diff)
	}
}

func TestProgressOfSubAgents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tool, _ := scout(t, agent.Config{Tools: []tools.Tool{counter(time.Second)}}, numbered("count", 1), scripted.Text("counted"))
		a, _ := start(t, agent.Config{Name: "lead", Tools: []tools.Tool{tool}}, scripted.Calls(callScout("count")), scripted.Text("done"))
		last := map[string]tools.Status{}
		for e, err := range a.Stream(t.Context(), agent.Task{Prompt: "prompt"}) {
			if err != nil {
				t.Fatal(err)
			}
			if p, ok := e.(agent.ToolProgressed); ok {
				last[p.Agent] = p.Progress
			}
		}
		want := map[string]tools.Status{"lead/scout@1.1": {Unit: "files", Done: 10, Total: 10}}
		if diff := cmp.Diff(want, last); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestBreakingOffAtProgressEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := false
		wait := tools.New("wait", "Count and wait.", func(ctx context.Context, _ numberInput) (int, error) {
			tools.CountProgress(ctx, "files", 0).Add(1)
			<-ctx.Done()
			ended = true
			return 0, ctx.Err()
		})
		a, _ := start(t, agent.Config{Tools: []tools.Tool{wait}}, numbered("wait", 1), scripted.Text("never"))
		for e := range a.Stream(t.Context(), agent.Task{Prompt: "prompt"}) {
			if _, ok := e.(agent.ToolProgressed); ok {
				break
			}
		}
		if !ended {
			t.Error("the call is not over")
		}
	})
}
