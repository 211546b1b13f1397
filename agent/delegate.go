package agent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/forayhq/foray/tools"
)

// AsTool returns a tool that delegates a task to an agent. Each call is a run with its own window; only its answer and
// the files it rests on come back.
//
// The run counts towards the calling run: it gets at most the steps, tokens and time that are left there. Its events
// appear among those of the calling run under the name CALLER/NAME@STEP.CALL, and end with [SubagentFinished]. It ends
// with the call. It is refused if it would be nested deeper than [Limits].Depth of a run above allows, or when no steps
// are left. The tool has Effects if one of the agent's tools has; then it runs alone, and Approve is asked for it as
// well as for what it does.
func AsTool(a *Agent, name, description string) tools.Tool {
	type input struct {
		Task string `json:"task" jsonschema:"minLength=1" jsonschema_description:"What to do, with all that is needed to do it: nothing else of this conversation is seen."`
	}
	t := tools.New(name, description, func(ctx context.Context, in input) (subagentResult, error) {
		return a.delegate(ctx, in.Task)
	})
	t.Decode = nil        // its text is what counts
	t.Timeout = noTimeout // the run has limits of its own
	t.Effects = slices.ContainsFunc(a.tools.All(), func(t tools.Tool) bool { return t.Effects })
	return t
}

// noTimeout is longer than any run. A Timeout of 0 would mean the default.
const noTimeout time.Duration = math.MaxInt64

// delegate runs a task below the run that calls, if any.
func (a *Agent) delegate(ctx context.Context, task string) (subagentResult, error) {
	facts := tools.RunFrom(ctx)
	parent, _ := facts.Caller.(*call)
	sub := a
	if parent != nil {
		if err := parent.mayNest(); err != nil {
			return subagentResult{}, err
		}
		sub = a.below(ctx, parent, facts.Step)
	}
	var d subagentResult
	var failed error
	t := Task{Prompt: task, Thread: facts.Thread, User: facts.User, Repository: facts.Repository, parent: parent}
	for e, err := range sub.Stream(ctx, t) {
		if done, ok := e.(RunFinished); ok {
			d.Result, failed = done.Result, err
			e = SubagentFinished{Agent: done.Agent, Result: done.Result, Err: err}
		}
		if parent != nil && !parent.report(e) {
			break
		}
	}
	switch {
	case d.Result == nil:
		return subagentResult{}, errors.Join(errRunOver, ctx.Err())
	case failed != nil && d.Result.Text != "":
		return subagentResult{}, fmt.Errorf("the sub-agent failed: %w; what it had written: %s", failed, d.Result.Text)
	case failed != nil:
		return subagentResult{}, fmt.Errorf("the sub-agent failed: %w", failed)
	}
	return d, nil
}

// callerOf returns the call that a run is made in: that of [AsTool], or that whose context a tool passed on; nil: none.
func callerOf(ctx context.Context, t *Task) *call {
	if t.parent != nil {
		return t.parent
	}
	c, _ := tools.RunFrom(ctx).Caller.(*call)
	return c
}

// mayNest returns an error, for the model that calls, if no run may start below the calling one. The tightest limit of
// all runs above holds.
func (c *call) mayNest() error {
	if limit := c.config.Limits.Depth; limit >= 0 && c.depth >= limit {
		return fmt.Errorf("the sub-agent was not started: %d runs are nested already, the limit; do the task without one",
			c.depth+1)
	}
	return nil
}

// below returns a copy of the agent for one call: with a unique name, the time that is left, and the approval of the
// calling run unless it has its own.
func (a *Agent) below(ctx context.Context, parent *call, step int) *Agent {
	sub := *a
	sub.config.Name = fmt.Sprintf("%s/%s@%d.%d", parent.config.Name, a.config.Name, step, parent.first+parent.index+1)
	if sub.config.Approve == nil {
		sub.config.Approve = parent.config.Approve
	}
	if end, ok := ctx.Deadline(); ok && time.Until(end) < noTimeout/2 {
		left := max(time.Until(end)/20*19, 1) // so that what it found arrives before the call ends
		if limit := sub.config.Limits.Time; limit <= 0 || left < limit {
			sub.config.Limits.Time = left
		}
	}
	return &sub
}
