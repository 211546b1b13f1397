package agent

import (
	"context"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory/working"
)

// A run is one task in progress. Its parts share an env: the asker gets an answer from the model, the executor makes
// its calls, the summarizer works in the background, and typed checks a structured answer.
type run struct {
	*env
	task     Task
	caller   *call          // the call that the run is made in; nil: none
	guide    Guide          // nil: until an answer
	unread   []string       // [Move].Unread of the last move
	scope    *working.Scope // working memory of the run's own window; nil: none
	options  contextwindow.Options
	past     *past // that the run resumes; nil: none
	reserved bool  // a step is reserved for the closing request
	over     bool  // the loop has returned

	asker      asker
	executor   executor
	summarizer summarizer
	typed      *typedAnswer // checks a structured answer; nil: any text will do
	stall      stallDetector
	cut        continuation // an answer that the length limit cut off
}

func newRun(ctx context.Context, a *Agent, t Task, yield func(Event, error) bool) *run {
	e := &env{config: a.config, budget: a.budget, tools: a.tools, yield: yield, current: 1}
	e.config.Limits = a.config.Limits.within(t.Limits)
	if t.System != "" {
		e.config.System = t.System
	}
	if t.Sampling != nil {
		e.config.Sampling = *t.Sampling
	}
	if t.Inbox == nil {
		t.Inbox = new(Inbox)
	}
	e.account = &account{limits: e.config.Limits}
	e.clock = newClock(ctx, e.config.Limits.Time)
	e.step.Limit = e.config.Limits.Steps
	r := &run{env: e, task: t, caller: callerOf(ctx, &t), guide: t.Guide, stall: newStallDetector(), executor: newExecutor(e, t)}
	if c := r.caller; c != nil {
		e.account.above, r.executor.depth = c.account, c.depth+1
		e.config.Limits.Depth = tighter(e.config.Limits.Depth, c.config.Limits.Depth)
	}
	if r.guide == nil && a.config.Guide != nil {
		r.guide = a.config.Guide()
	}
	r.typed = newTyped(e, t.form)
	r.executor.typed = r.typed
	r.asker = asker{env: e, typed: r.typed, preflight: preflight{rules: a.rules}}
	r.summarizer.env = e
	r.openWindow()
	return r
}

func (r *run) openWindow() {
	if r.task.Window != nil {
		r.window, r.budget = r.task.Window, r.task.Window.Budget()
		return
	}
	r.options = r.config.Window
	if r.options.ImageTokens == nil {
		r.options.ImageTokens = r.config.Model.Info().Vision.Tokens
	}
	if r.options.Owns == nil {
		r.options.Owns = r.config.Model.Info().Compacted
	}
	if r.config.Memory != nil {
		r.scope = r.config.Memory.Open()
		r.executor.facts.Scope = r.scope.ID()
		r.options.Store = r.scope
	}
	r.window = contextwindow.New(r.budget, &r.options)
}

// close frees what the run holds. It waits for tools, unless one was abandoned or the caller panicked.
func (r *run) close() {
	r.cancel()
	r.journal.release() // if the caller panicked
	if r.reserved {
		r.account.give()
	}
	r.executor.close(r.over && r.result.Abandoned == 0)
	if r.scope != nil {
		r.scope.Close()
	}
}

// maxContinuations is how often an answer that its length limit cut off is continued.
const maxContinuations = 3

// A continuation collects the parts of an answer that its length limit cut off.
type continuation struct {
	text  string
	parts int
}
