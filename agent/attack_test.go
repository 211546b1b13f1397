package agent_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/internal/attacktable"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

// A nest is agents that each have a plain tool, which runs the next of them with its own context.
type nest struct {
	agents   []*agent.Agent
	models   []*scripted.Model
	deepest  atomic.Int64
	refusals atomic.Int64
}

// tooMany is where a nest without a limit of its own ends.
const tooMany = 100

func newNest(t *testing.T, limits agent.Limits, calls int, size int) *nest {
	n := &nest{agents: make([]*agent.Agent, size)}
	type depth struct{}
	for i := range size {
		type in struct {
			Task string `json:"task"`
		}
		dig := tools.New("dig", "Digs deeper.", func(ctx context.Context, in in) (string, error) {
			d, _ := ctx.Value(depth{}).(int)
			if d++; d > tooMany {
				return "", errors.New("the nest has no end")
			}
			if int64(d) > n.deepest.Load() {
				n.deepest.Store(int64(d))
			}
			r, err := n.agents[(i+1)%size].Do(context.WithValue(ctx, depth{}, d), agent.Task{Prompt: in.Task})
			if err != nil {
				if strings.Contains(err.Error(), "the sub-agent was not started: ") {
					n.refusals.Add(1)
				}
				return "", err
			}
			return r.Text, nil
		})
		m := scripted.New(scripted.Repeat(0, scripted.Func(func(req *providers.Request) scripted.Line {
			if req.Choice == providers.None || len(req.Messages) > 2 {
				return scripted.Line{Text: "enough", Usage: providers.Usage{Input: 100, Output: 1}}
			}
			line := scripted.Line{Usage: providers.Usage{Input: 100, Output: 1}}
			for c := range calls {
				line.Calls = append(line.Calls, scripted.Call{Name: "dig", Args: map[string]string{"task": fmt.Sprint("go on ", c)}})
			}
			return line
		})))
		a, err := agent.New(agent.Config{Model: m, Tools: []tools.Tool{dig}, Limits: limits})
		if err != nil {
			t.Fatal(err)
		}
		n.agents[i], n.models = a, append(n.models, m)
	}
	return n
}

// A plain tool that runs its own agent, and agents whose tools run each other, nest as deep as sub-agents do, and
// together spend no more than the first run may: they nested 2,178 deep.
func TestAttackNestedRuns(t *testing.T) {
	attacktable.Watch(t, "agent", "the depth of sub-agents")
	for name, c := range map[string]struct {
		limits      agent.Limits
		calls, size int
		deepest     int64 // of attempts: the last is refused
	}{
		"itself":            {agent.Limits{}, 1, 1, 4},
		"each other":        {agent.Limits{}, 1, 2, 4},
		"settable":          {agent.Limits{Depth: 8}, 1, 1, 9},
		"in parallel":       {agent.Limits{Steps: 30}, 8, 1, 4},
		"without a depth":   {agent.Limits{Depth: -1, Steps: 20}, 1, 1, 0},
		"without any steps": {agent.Limits{Depth: 2, Steps: -1}, 3, 2, 3},
	} {
		n := newNest(t, c.limits, c.calls, c.size)
		r, err := n.agents[0].Run(t.Context(), "dig")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		requests := 0
		for _, m := range n.models {
			requests += len(m.Requests())
		}
		most := c.limits.Steps
		switch {
		case most == 0:
			most = 50
		case most < 0:
			most = 2 * (1 + 3 + 9)
		}
		if requests > most || r.Usage.Input != 100*requests {
			t.Errorf("%s: %d requests, at most %d; the first run counts %d tokens", name, requests, most, r.Usage.Input)
		}
		deep, refusals := n.deepest.Load(), n.refusals.Load()
		short := c.limits.Steps <= 0 && (deep < c.deepest || refusals == 0) // else the steps may end before the deepest run
		if c.deepest > 0 && (deep > c.deepest || short) {
			t.Errorf("%s: %d deep with %d refusals, want %d", name, deep, refusals, c.deepest)
		}
		if n.deepest.Load() >= tooMany {
			t.Errorf("%s: no end", name)
		}
	}
}

// Arguments that are too large to decode are refused, and neither the record nor the next request carries them.
func TestAttackArguments(t *testing.T) {
	attacktable.Watch(t, "agent", "arguments are refused unread")
	var fields strings.Builder
	for i := range 500_000 {
		fmt.Fprintf(&fields, `,"field%d":1`, i)
	}
	type in struct {
		Path string `json:"path"`
	}
	for name, args := range map[string]string{
		"fields": `{"path":"a"` + fields.String() + "}",
		"list":   `{"path":[` + strings.Repeat("1,", 2_000_000) + "1]}",
		"text":   `{"path":"` + strings.Repeat("x", 10<<20) + `"}`,
	} {
		tool := tools.New("t", "", func(context.Context, in) (string, error) {
			t.Errorf("%s: the call was made", name)
			return "", nil
		})
		var before, after runtime.MemStats
		var r *agent.Result
		m := scripted.New(scripted.Calls(scripted.Call{Name: "t", Args: args}), scripted.Func(func(*providers.Request) scripted.Line {
			runtime.ReadMemStats(&after)
			return scripted.Text("done")
		}))
		a, err := agent.New(agent.Config{Model: m, Tools: []tools.Tool{tool}})
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&before)
		if r, err = a.Run(t.Context(), "go"); err != nil {
			t.Fatal(err)
		}
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 80 {
			t.Errorf("%s: took %d MiB, want at most 80", name, took)
		}
		record := r.Tools[0]
		if record.Err == nil || !strings.Contains(record.Err.Error(), `at most 1048576 are allowed; the first fields are "path"`) {
			t.Errorf("%s: %.300v", name, record.Err)
		}
		size := len(record.Call.Args)
		for _, message := range m.Requests()[1].Messages {
			for _, c := range message.Calls {
				size += len(c.Args)
			}
		}
		if size > 2_000 {
			t.Errorf("%s: %d bytes of arguments are kept", name, size)
		}
	}
}
