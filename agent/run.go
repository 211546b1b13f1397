package agent

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"time"

	"github.com/sourcegraph/conc/pool"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// A run is one task on its way. One goroutine owns it: that of the caller who takes its events.
type run struct {
	*Agent
	parent   context.Context // the caller's; ctx ends before it when the run's time is over
	ctx      context.Context // of all that is under way; the closing request has one of its own
	cancel   context.CancelFunc
	task     Task
	account  *account
	depth    int  // runs above
	reserved bool // a step is held for the closing request
	yield    func(Event, error) bool
	broken   bool // the caller takes no more events
	over     bool // the loop has returned
	closing  bool // the request under way is the closing one
	started  time.Time

	window  *contextwindow.Window
	scope   *working.Scope
	guide   Guide
	workers *pool.Pool     // runs tools; its goroutines serve one call after another
	said    chan toldEvent // what sub-agents tell
	gone    chan struct{}  // closed when the run is over
	step    Step
	at      int // number of the step that is under way
	logged  int // entries of the window's log that were told
	result  Result

	preflight preflight
	repairing bool // every view is repaired before it is sent
	unforced  bool // the service refused to force the model to call a tool
	summary   summarizer
	typed     *typed // what the answer has to be; nil: a text

	seed    maphash.Seed
	seen    map[callKey]sighting // what calls gave, for watch
	stalled bool
	begun   bool   // something came of the answer that is under way
	partial string // text of the last answer if it broke off
	carried string // what came of an answer that its length cut off
	lengths int    // continuations of that answer
}

// Kinds of notes that the loop writes.
const (
	noteNudge    = "nudge"
	noteStatus   = "status"
	noteClosing  = "closing"
	noteContinue = "continue"
	noteStall    = "repeated"
	noteAnswer   = "answer"
)

func newRun(ctx context.Context, a *Agent, t Task, yield func(Event, error) bool) *run {
	r := &run{
		Agent: a, parent: ctx, task: t, yield: yield, started: time.Now(), account: &account{limits: a.config.Limits},
		at: 1, guide: a.config.Guide(), workers: pool.New(), seed: maphash.MakeSeed(), seen: make(map[callKey]sighting),
	}
	r.step.Limit = a.config.Limits.Steps
	r.preflight.rules = a.rules
	if limit := a.config.Limits.Time; limit > 0 {
		r.ctx, r.cancel = context.WithDeadline(ctx, r.started.Add(limit))
	} else {
		r.ctx, r.cancel = context.WithCancel(ctx)
	}
	r.said, r.gone = make(chan toldEvent), make(chan struct{})
	if t.Window != nil {
		r.window = t.Window
		return r
	}
	options := a.config.Window
	if a.config.Memory != nil {
		r.scope = a.config.Memory.Open()
		options.Store = r.scope
	}
	r.window = contextwindow.New(a.budget, &options)
	return r
}

// close ends what the run holds. All tools have ended then but those that were abandoned, and, where a panic or Goexit
// of the caller or of its model unwinds the run, those under way: nobody waits for these.
func (r *run) close() {
	r.cancel()
	close(r.gone)
	if r.reserved {
		r.account.give()
	}
	if r.over && r.result.Abandoned == 0 {
		r.workers.Wait()
	} else {
		go r.workers.Wait()
	}
	if r.scope != nil {
		r.scope.Close()
	}
}

// errNoSteps is the error of a run for which the runs above have left no step.
var errNoSteps = errors.New("no steps are left")

// loop is the whole run. It returns the error that ended it, nil if a Stop without an error did.
func (r *run) loop() error {
	if err := r.open(); err != nil {
		return r.fail(err)
	}
	if r.reserved = r.account.take(); !r.reserved {
		return r.fail(errNoSteps)
	}
	for move := r.next(); !move.Stop; move = r.next() {
		if r.ctx.Err() != nil && !r.timeIsUp() {
			return r.fail(r.ctx.Err())
		}
		if stop := r.begin(); stop != "" {
			return r.conclude(stop)
		}
		r.note(move)
		if err := r.think(move.Choice); err != nil {
			return r.unanswered(err)
		}
	}
	return r.end()
}

// next asks the guide, unless an answer that its length cut off has to be continued first.
func (r *run) next() Move {
	if left := r.account.left(); left < math.MaxInt { // what sub-agents took is gone
		r.step.Limit = r.step.Number + left + 1
	}
	switch {
	case r.lengths > 0:
		return Move{}
	case r.typed != nil:
		return r.nextTyped()
	}
	return r.guide.Next(r.step)
}

// open writes what the run is told into its window.
func (r *run) open() error {
	r.emit(RunStarted{Agent: r.config.Name, Budget: r.budget})
	if r.budget.Fallback {
		r.warn(fmt.Sprintf("the context window of model %q is not known: %d tokens are assumed", r.budget.Model, r.budget.Window))
	}
	if err := r.openTyped(); err != nil {
		return err
	}
	fresh := !slices.ContainsFunc(r.window.View(), func(m transcript.Message) bool { return m.Origin != transcript.Runtime })
	r.window.Open(contextwindow.Prefix{System: r.config.System, Tools: r.schemas})
	if err := r.task.Inbox.open(); err != nil {
		r.task.Inbox = nil // it is not ours to close
		return err
	}
	if err := r.appendHistory(); err != nil {
		return err
	}
	prompt := transcript.Message{Role: transcript.User, Text: r.task.Prompt}
	if fresh {
		prompt.Origin = transcript.Prompt
	}
	if _, err := r.window.Append(prompt); err != nil {
		return err
	}
	return r.checkRoom()
}

// The shares of the budget that the fixed parts may take before a run warns, and before it does not start: with tools
// to call, there would be no room for what they give.
const (
	fixedWarn  = .5
	fixedError = .8
)

// checkRoom looks at what no compaction can make smaller.
func (r *run) checkRoom() error {
	u := r.window.Usage()
	share := float64(u.Prefix+u.Prompt) / float64(u.Limit)
	sizes := fmt.Sprintf("system prompt and tools take %d tokens and the prompt %d, of a budget of %d", u.Prefix, u.Prompt, u.Limit)
	switch {
	case share > 1:
		return nil // Fit says so
	case share > fixedError && len(r.schemas) > 0:
		return fmt.Errorf("%s: too little is left for results; choose a larger budget or fewer tools", sizes)
	case share > fixedWarn:
		r.warn(sizes)
	}
	return nil
}

// think is one step: make the window fit, ask, act on the answer. A whole answer counts also when the run's time ended
// beside it: whether there is time is asked before the next step.
func (r *run) think(choice providers.ToolChoice) error {
	started := time.Now()
	r.at = r.step.Number + 1
	before := r.account.used()
	answer, err := r.ask(choice)
	if err != nil {
		r.account.give()
		return err
	}
	r.count()
	if err := r.act(answer); err != nil {
		return err
	}
	if len(r.step.Calls) > 0 { // a text may be the answer
		r.summarize()
	}
	r.log()
	usage := r.window.Usage()
	r.step.Window = usage.Share()
	r.emit(StepFinished{Agent: r.config.Name, Step: r.step, Usage: usage, Tokens: between(before, r.account.used()), Duration: time.Since(started)})
	return nil
}

// count counts a request that the model answered.
func (r *run) count() {
	r.step.Number++
	r.result.Steps++
}

// begin takes a step, or returns the budget that leaves room for nothing but the closing request.
func (r *run) begin() Stop {
	switch {
	case r.stalled:
		return Stalled
	case r.account.left() < 1:
		return StepLimit
	case r.timeIsUp():
		return TimeLimit
	case r.account.outOfTokens():
		return TokenLimit
	case !r.account.take(): // another run took the last one since
		return StepLimit
	}
	return ""
}

// timeIsUp reports whether the run's own time is over, and not the caller's.
func (r *run) timeIsUp() bool {
	return r.ctx.Err() != nil && r.parent.Err() == nil && !r.broken
}
