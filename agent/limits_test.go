package agent_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// sleeper is a tool that ignores its context for a while and knows how many of its calls were under way at once.
type sleeper struct {
	mu            sync.Mutex
	running, most int
}

func (s *sleeper) tool(d time.Duration) tools.Tool {
	return tools.New("sleep", "Sleep.", func(context.Context, numberInput) (string, error) {
		s.mu.Lock()
		s.running++
		s.most = max(s.most, s.running)
		s.mu.Unlock()
		time.Sleep(d)
		s.mu.Lock()
		s.running--
		s.mu.Unlock()
		return "slept", nil
	})
}

func TestParallelCalls(t *testing.T) {
	for limit, want := range map[int]struct {
		most  int
		hours time.Duration
	}{1: {1, 20}, 3: {3, 7}, 0: {8, 3}, -1: {20, 1}} {
		synctest.Test(t, func(t *testing.T) {
			var s sleeper
			c := agent.Config{Tools: []tools.Tool{s.tool(time.Hour)}, Limits: agent.Limits{Parallel: limit, CallsPerStep: -1, ToolTimeout: -1}}
			result, _ := run(t, c, numbered("sleep", 20), scripted.Text("done"))
			if s.most != want.most || result.Duration != want.hours*time.Hour {
				t.Errorf("limit %d: %d at once, %v; want %+v", limit, s.most, result.Duration, want)
			}
		})
	}
}

func TestTimeOfACall(t *testing.T) {
	for name, test := range map[string]struct {
		own    time.Duration // the tool's
		limits agent.Limits
		over   time.Duration // when the run is
		failed string
	}{
		"default":         {0, agent.Limits{}, 65 * time.Second, "timed out after 1m0s"},
		"limit":           {0, agent.Limits{ToolTimeout: time.Second}, 6 * time.Second, "timed out after 1s"},
		"tool's own":      {2 * time.Second, agent.Limits{ToolTimeout: time.Second}, 7 * time.Second, "timed out after 2s"},
		"grace":           {0, agent.Limits{ToolGrace: time.Second}, 61 * time.Second, "timed out after 1m0s"},
		"no time-out":     {0, agent.Limits{ToolTimeout: -1}, time.Hour, ""},
		"no end of grace": {0, agent.Limits{ToolTimeout: time.Second, ToolGrace: -1}, time.Hour, ""},
		"longest":         {0, agent.Limits{ToolTimeout: 1<<63 - 1, ToolGrace: 1<<63 - 1}, time.Hour, ""},
		"own, no limit":   {time.Second, agent.Limits{ToolTimeout: -1}, 6 * time.Second, "timed out after 1s"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var s sleeper
			tool := s.tool(time.Hour)
			tool.Timeout = test.own
			result, requests := run(t, agent.Config{Tools: []tools.Tool{tool}, Limits: test.limits}, numbered("sleep", 1), scripted.Text("done"))
			abandoned := test.failed != ""
			if result.Duration != test.over || result.Tools[0].Abandoned != abandoned || (result.Abandoned == 1) != abandoned {
				t.Errorf("%s: %v, %+v", name, result.Duration, result.Tools[0])
			}
			if got := lastText(requests[1]); abandoned && !strings.Contains(got, test.failed) || !abandoned && got != "slept" {
				t.Errorf("%s: the model sees %q", name, got)
			}
			time.Sleep(time.Hour) // until the tool that was abandoned ends
		})
	}
}

func TestCallsWithoutATimeoutEndWithTheRun(t *testing.T) {
	for grace, want := range map[time.Duration]time.Duration{0: 15 * time.Second, -1: time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			var s sleeper
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			a, _ := start(t, agent.Config{Tools: []tools.Tool{s.tool(time.Hour)}, Limits: agent.Limits{ToolTimeout: -1, ToolGrace: grace}}, numbered("sleep", 1))
			result, err := a.Run(ctx, "prompt")
			if err == nil || result.Stop != agent.Cancelled || result.Duration != want {
				t.Errorf("grace %v: %v, %s after %v", grace, err, result.Stop, result.Duration)
			}
			time.Sleep(time.Hour)
		})
	}
}

func TestCallWithoutATimeoutIsNotAbandonedWithOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s sleeper
		patient, hasty := s.tool(time.Minute), s.tool(time.Minute)
		hasty.Name, hasty.Timeout = "hasty", time.Second
		result, _ := run(t, agent.Config{Tools: []tools.Tool{patient, hasty}, Limits: agent.Limits{ToolTimeout: -1}},
			scripted.Calls(scripted.Call{Name: "sleep", Args: `{"n":0}`}, scripted.Call{Name: "hasty", Args: `{"n":0}`}), scripted.Text("done"))
		if result.Tools[0].Err != nil || !result.Tools[1].Abandoned || result.Duration != time.Minute {
			t.Errorf("%v: %+v", result.Duration, result.Tools)
		}
	})
}

func TestLateEndOfAnAbandonedCallChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The first call is abandoned after 6 s and ends after 8 s, while the second still runs.
		tool := tools.New("sleep", "Sleep.", func(ctx context.Context, in numberInput) (string, error) {
			if in.N == 0 {
				time.Sleep(8 * time.Second)
				return "too late", nil
			}
			time.Sleep(9 * time.Second)
			return "in time", nil
		})
		c := agent.Config{Tools: []tools.Tool{tool}, Limits: agent.Limits{Parallel: 2, ToolTimeout: time.Second}}
		slow := tool
		slow.Name, slow.Timeout = "slow", time.Minute
		c.Tools = append(c.Tools, slow)
		a, model := start(t, c, scripted.Calls(scripted.Call{Name: "sleep", Args: `{"n":0}`}, scripted.Call{Name: "slow", Args: `{"n":1}`}), scripted.Text("done"))
		ended := 0
		var result *agent.Result
		for e := range a.Stream(t.Context(), agent.Task{Prompt: "prompt"}) {
			switch e := e.(type) {
			case agent.ToolFinished:
				ended++
			case agent.RunFinished:
				result = e.Result
			}
		}
		got := model.Requests()[1].Messages
		if ended != 2 || result.Abandoned != 1 || !got[2].Failed || got[3].Text != "in time" || result.Tools[0].Value != nil {
			t.Errorf("%d ends told, %q and %q, %+v", ended, got[2].Text, got[3].Text, result.Tools)
		}
		if result.Duration != 9*time.Second || result.Tools[0].Duration != 6*time.Second {
			t.Errorf("%v, the first call %v", result.Duration, result.Tools[0].Duration)
		}
	})
}
