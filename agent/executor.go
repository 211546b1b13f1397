package agent

import (
	"errors"
	"fmt"

	"github.com/sourcegraph/conc/pool"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// errNotExecuted marks a call that the model may repeat as it is.
var (
	errNotExecuted = errors.New("not executed")
	errRunOver     = fmt.Errorf("%w: the run is over", errNotExecuted)
)

// An executor makes the calls of a run.
type executor struct {
	*env
	facts     tools.Run          // what every tool may know of the run
	typed     *typed             // its tool reports bad arguments itself
	depth     int                // how many runs are above this one
	workers   *pool.Pool         // runs tools; a goroutine serves one call after another
	subagents chan subagentEvent // what sub-agents report
	done      chan struct{}      // closed when the run is over
}

func newExecutor(e *env, t Task) executor {
	facts := tools.Run{
		Thread: t.Thread, User: t.User, Agent: e.config.Name, Input: t.Input, Repository: t.Repository, Scope: t.Scope,
	}
	if facts.Input == "" {
		facts.Input = t.Prompt
	}
	return executor{env: e, facts: facts, workers: pool.New(), subagents: make(chan subagentEvent), done: make(chan struct{})}
}

// close ends the workers. It waits for them if every tool has ended.
func (x *executor) close(wait bool) {
	close(x.done)
	if wait {
		x.workers.Wait()
	} else {
		go x.workers.Wait()
	}
}

// run makes the calls of a step: those without effects side by side, those with effects one by one and in order. Records
// and results are in the order of the calls; the ends are yielded as they come.
func (x *executor) run(calls []transcript.ToolCall) ([]ToolRecord, []transcript.Message) {
	records, results := make([]ToolRecord, len(calls)), make([]transcript.Message, len(calls))
	ready := make([]*tools.Tool, len(calls))
	for i, c := range calls {
		records[i] = ToolRecord{Step: x.step.Number, Call: c}
		ready[i], records[i].Err = x.admit(i, c)
	}
	for from := 0; from < len(calls); {
		to := from + 1
		if hasEffects(ready[from]) {
			x.approve(&records[from])
		} else {
			for to < len(calls) && !hasEffects(ready[to]) {
				to++
			}
		}
		b := batch{executor: x, records: records[from:to], results: results[from:to], tools: ready[from:to], first: from}
		b.run()
		from = to
	}
	for i, c := range calls {
		m := &results[i]
		m.Role, m.CallID, m.Name = transcript.Tool, c.ID, c.Name
		if err := records[i].Err; err != nil {
			m.Kind, m.Text, m.Failed = toollimit.Error, err.Error(), true
		}
	}
	return records, results
}

func hasEffects(t *tools.Tool) bool { return t != nil && t.Effects }

// admit returns the tool of a call, or why the call is not made.
func (x *executor) admit(i int, c transcript.ToolCall) (*tools.Tool, error) {
	if limit := x.config.Limits.CallsPerStep; limit > 0 && i >= limit {
		return nil, fmt.Errorf("%w: limit %d calls a step; call again in the next step", errNotExecuted, limit)
	}
	tool, ok := x.tools.Lookup(c.Name)
	if !ok {
		return nil, x.unknownTool(c.Name)
	}
	if x.typed.takes(c.Name) {
		return &tool, nil
	}
	if err := x.tools.Validate(c.Name, c.Args); err != nil {
		bad := (*tools.ArgumentError)(nil)
		if _, unparsed := providers.Unparsed(c.Args); unparsed && errors.As(err, &bad) {
			return nil, fmt.Errorf("%w\nthe schema of the arguments is %s", err, tool.Schema)
		}
		return nil, err
	}
	return &tool, nil
}

func (x *executor) unknownTool(name string) error {
	if len(x.tools.schemas) == 0 {
		return fmt.Errorf("there is no tool %q: this run has no tools; answer in text", name)
	}
	names := make([]string, len(x.tools.schemas))
	for i, s := range x.tools.schemas {
		names[i] = s.Name
	}
	return fmt.Errorf("there is no tool %q; nearest: %s; tools: %v", name, x.tools.Nearest(name), names)
}

// storable returns calls in a form that every service accepts back. The name of an unknown tool keeps only letters,
// digits, "_" and "-"; arguments that are not a JSON object are wrapped in one. The result says what was wrong.
func (x *executor) storable(calls []transcript.ToolCall) []transcript.ToolCall {
	out := make([]transcript.ToolCall, len(calls))
	for i, c := range calls {
		if _, known := x.tools.Lookup(c.Name); !known {
			c.Name = storableName(c.Name)
		}
		if text, bad := providers.Unparsed(c.Args); bad {
			c.Args = wrapArguments(text)
		}
		out[i] = c
	}
	return out
}
