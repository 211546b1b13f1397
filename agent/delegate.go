package agent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// AsTool returns the tool that gives a task to an agent. Each call is a run of its own, with a window of its own, of which
// only the answer and what it rests on come back: a Delegated. What the run uses counts for the calling run too, and it has
// at most what is left of that one's steps, tokens and time. Its events are yielded among those of the calling run, under
// the name CALLER/NAME@STEP.CALL, with Returned as the last. It ends with the call, and it is refused below Limits.Depth of
// the calling run, or where no steps are left. The tool has Effects where one of the agent's tools has: it runs alone then,
// and Approve is asked for it as well as for what it does.
func AsTool(a *Agent, name, description string) tools.Tool {
	type input struct {
		Task string `json:"task" jsonschema:"minLength=1" jsonschema_description:"What to do, with all that is needed to do it: nothing else of this conversation is seen."`
	}
	t := tools.New(name, description, func(ctx context.Context, in input) (Delegated, error) { return a.delegate(ctx, in.Task) })
	t.Timeout = noTimeout // the run has limits of its own
	t.Effects = slices.ContainsFunc(a.tools.All(), func(t tools.Tool) bool { return t.Effects })
	return t
}

// noTimeout is as good as none, in a Tool whose zero Timeout means the agent's default.
const noTimeout time.Duration = math.MaxInt64

// A Delegated is what comes back from a sub-agent.
type Delegated struct {
	Result *Result
}

// Text is the answer, and behind it what it rests on: calls, and files that were read or changed.
func (d Delegated) Text() (toollimit.Kind, string) {
	var b strings.Builder
	b.WriteString(d.Result.Text)
	if d.Result.Stop != Answered {
		fmt.Fprintf(&b, "\n\n(The run ended by its %s: the answer may not be whole.)", d.Result.Stop)
	}
	b.WriteString("\n\n" + evidence(d.Result))
	return toollimit.Text, strings.TrimLeft(b.String(), "\n")
}

// maxEvidence is how many files the evidence of a sub-agent names, of each kind.
const maxEvidence = 20

// evidence says what an answer rests on.
func evidence(r *Result) string {
	failed := 0
	files := make(map[contextwindow.FactKind][]string)
	for _, rec := range r.Tools {
		if rec.Err != nil {
			failed++
			continue
		}
		for _, f := range contextwindow.FactsByArguments(rec.Call, transcript.Message{}) {
			if !slices.Contains(files[f.Kind], f.Ref) {
				files[f.Kind] = append(files[f.Kind], f.Ref)
			}
		}
	}
	text := fmt.Sprintf("Evidence: %d steps, %d calls, %d of them failed.", r.Steps, len(r.Tools), failed)
	for _, kind := range []contextwindow.FactKind{contextwindow.FactRead, contextwindow.FactModified} {
		if names := files[kind]; len(names) > 0 {
			text += fmt.Sprintf(" Files %s: %s", kind, strings.Join(names[:min(len(names), maxEvidence)], ", "))
			if more := len(names) - maxEvidence; more > 0 {
				text += fmt.Sprintf(" and %d more", more)
			}
			text += "."
		}
	}
	return text
}

// A caller is the call of a run that a sub-agent works for.
type caller struct {
	*together
	index int
}

// delegate runs a task for the run that calls, if there is one.
func (a *Agent) delegate(ctx context.Context, task string) (Delegated, error) {
	facts := tools.RunFrom(ctx)
	above, _ := facts.Caller.(*caller)
	sub := a
	if above != nil {
		if limit := above.config.Limits.Depth; limit >= 0 && above.depth >= limit {
			return Delegated{}, fmt.Errorf("no sub-agent is started: there are %d above it already", above.depth+1)
		}
		sub = above.below(ctx, a, facts.Step)
	}
	var d Delegated
	var failed error
	sub.run(ctx, Task{Prompt: task, Thread: facts.Thread, User: facts.User, Repository: facts.Repository}, above, func(e Event, err error) bool {
		if done, ok := e.(RunFinished); ok {
			d.Result, failed = done.Result, err
			e = SubagentFinished{Agent: done.Agent, Result: done.Result, Err: err}
		}
		return above.tell(e)
	})
	switch {
	case d.Result == nil:
		return Delegated{}, errors.Join(errRunOver, ctx.Err())
	case failed != nil && d.Result.Text != "":
		return Delegated{}, fmt.Errorf("the sub-agent failed: %w; what it had written: %s", failed, d.Result.Text)
	case failed != nil:
		return Delegated{}, fmt.Errorf("the sub-agent failed: %w", failed)
	}
	return d, nil
}

// below is a, as it works for a call: under a name that no other has, within the time that is left, with the approval of
// the calling run where it has none.
func (c *caller) below(ctx context.Context, a *Agent, step int) *Agent {
	sub := *a
	sub.config.Name = fmt.Sprintf("%s/%s@%d.%d", c.config.Name, a.config.Name, step, c.first+c.index+1)
	if sub.config.Approve == nil {
		sub.config.Approve = c.config.Approve
	}
	if end, ok := ctx.Deadline(); ok && time.Until(end) < noTimeout/2 {
		left := max(time.Until(end)/5*4, 1) // the closing request may take a quarter more
		if limit := sub.config.Limits.Time; limit <= 0 || left < limit {
			sub.config.Limits.Time = left
		}
	}
	return &sub
}

// tell has an event yielded by the run above, on its goroutine. It reports false when that is over.
func (c *caller) tell(e Event) bool {
	if c == nil {
		return true
	}
	select {
	case c.said <- toldEvent{c.together, c.index, e}:
		return true
	case <-c.gone:
		return false
	}
}
