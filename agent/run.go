package agent

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory/working"
)

// A run is one task in progress. Its parts share an env: the asker gets an answer from the model, the executor makes
// its calls, the summarizer works in the background, and typed checks a structured answer.
type run struct {
	*env
	task     Task
	guide    Guide
	scope    *working.Scope // working memory of the run's own window; nil: none
	reserved bool           // a step is reserved for the closing request
	over     bool           // the loop has returned

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
	r := &run{env: e, task: t, guide: t.Guide, stall: newStallDetector(), executor: newExecutor(e, t)}
	if t.parent != nil {
		e.account.above, r.executor.depth = t.parent.account, t.parent.depth+1
	}
	if r.guide == nil {
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
	options := r.config.Window
	if r.config.Memory != nil {
		r.scope = r.config.Memory.Open()
		r.executor.facts.Scope = r.scope.ID()
		options.Store = r.scope
	}
	r.window = contextwindow.New(r.budget, &options)
}

// close frees what the run holds. It waits for tools, unless one was abandoned or the caller panicked.
func (r *run) close() {
	r.cancel()
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

// A result that is shown in stallNote steps causes a warning for the model; in stallStop steps it ends the run.
const (
	stallNote = 3
	stallStop = 5
)

// stallText is the least length, in bytes, of a result that counts as the same one for calls with other arguments. A
// shorter one ("ok", "no match") is the honest answer to many calls.
const stallText = 200

// A stallDetector finds calls that bring nothing new: the same call with the same result, or calls of one tool that
// show the same text whatever their arguments are.
type stallDetector struct {
	seed    maphash.Seed
	seen    map[uint64]sighting // by hash of what is the same
	stalled bool
}

// A sighting counts the steps in which something was seen.
type sighting struct{ steps, last int }

func newStallDetector() stallDetector {
	return stallDetector{seed: maphash.MakeSeed(), seen: make(map[uint64]sighting)}
}

// watch counts a call, its result as it was received, and the result as the model sees it, once a step. Shown must not
// name the id of the result, which differs each time. It returns a warning for the model, or "". Calls that were not
// executed do not count: the model was asked to repeat them. Neither do the results of tools with effects count for
// other arguments: each call did something else.
func (d *stallDetector) watch(rec *ToolRecord, effects bool, received, shown string) (warning string) {
	if errors.Is(rec.Err, errNotExecuted) {
		return ""
	}
	name, args := rec.Made.Name, string(rec.Made.Args)
	same := max(d.count(rec.Step, "received", name, args, received), d.count(rec.Step, "shown", name, args, shown))
	what := "with the same arguments"
	for kind, text := range map[string]string{"text received": received, "text shown": shown} {
		if n := d.count(rec.Step, kind, name, text); n > same && !effects && len(text) >= stallText {
			same, what = n, "with other arguments"
		}
	}
	switch {
	case same >= stallStop:
		d.stalled = true
	case same == stallNote:
		return fmt.Sprintf("%s was called %s in %d steps and gave the same result. "+
			"Do something else, or answer.", name, what, same)
	}
	return ""
}

// count counts a step in which the parts were seen together, and returns in how many steps they were; 0 if this step
// was counted before.
func (d *stallDetector) count(step int, parts ...string) int {
	var h maphash.Hash
	h.SetSeed(d.seed)
	for _, s := range parts {
		h.WriteString(s)
		h.WriteByte(0)
	}
	key := h.Sum64()
	seen := d.seen[key]
	if seen.last == step {
		return 0
	}
	seen = sighting{seen.steps + 1, step}
	d.seen[key] = seen
	return seen.steps
}
