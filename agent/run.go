package agent

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"time"

	"github.com/sourcegraph/conc/pool"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory"
	"github.com/forayhq/foray/providers"
)

// A run is one task on its way. One goroutine owns it: that of the caller who takes its events.
type run struct {
	*Agent
	parent   context.Context // the caller's; ctx ends before it when the run's time is over
	ctx      context.Context // of all that is under way; the closing request has one of its own
	cancel   context.CancelFunc
	task     Task
	yield    func(Event, error) bool
	broken   bool // the caller takes no more events
	over     bool // the loop has returned
	closing  bool // the request under way is the closing one
	started  time.Time
	deadline time.Time // zero: none

	window  *contextwindow.Window
	scope   *memory.Scope
	guide   Guide
	workers *pool.Pool // runs tools; its goroutines serve one call after another
	step    Step
	at      int // number of the step that is under way
	logged  int // entries of the window's log that were told
	result  Result

	preflight preflight
	repairing bool // every view is repaired before it is sent
	summary   summarizer

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
)

func newRun(ctx context.Context, a *Agent, t Task, yield func(Event, error) bool) *run {
	r := &run{
		Agent: a, parent: ctx, task: t, yield: yield, started: time.Now(),
		at: 1, guide: a.config.Guide(), workers: pool.New(), seed: maphash.MakeSeed(), seen: make(map[callKey]sighting),
	}
	r.step.Limit = a.config.Limits.Steps
	r.preflight.rules = a.rules
	if limit := a.config.Limits.Time; limit > 0 {
		r.deadline = r.started.Add(limit)
		r.ctx, r.cancel = context.WithDeadline(ctx, r.deadline)
	} else {
		r.ctx, r.cancel = context.WithCancel(ctx)
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
	if r.over && r.result.Abandoned == 0 {
		r.workers.Wait()
	} else {
		go r.workers.Wait()
	}
	if r.scope != nil {
		r.scope.Close()
	}
}

// loop is the whole run. It returns the error that ended it, nil if a Stop without an error did.
func (r *run) loop() error {
	if err := r.open(); err != nil {
		return r.fail(err)
	}
	for move := r.next(); !move.Stop; move = r.next() {
		if r.ctx.Err() != nil && !r.timeIsUp() {
			return r.fail(r.ctx.Err())
		}
		if stop := r.exhausted(); stop != "" {
			return r.conclude(stop)
		}
		r.note(move)
		switch err := r.think(move.Choice); {
		case err != nil && r.timeIsUp() && providers.ClassOf(err) != providers.Refused:
			return r.conclude(TimeLimit)
		case errors.Is(err, contextwindow.ErrThrash):
			r.warn(fmt.Sprintf("%v: results are too large for the budget of %d tokens", contextwindow.ErrThrash, r.window.Usage().Limit))
			return r.conclude(Stalled)
		case err != nil:
			return r.fail(err)
		}
	}
	r.result.Stop = Answered
	if len(r.step.Calls) > 0 || r.step.Number == 0 {
		r.result.Stop = GuideStopped
	}
	return nil
}

// next asks the guide, unless an answer that its length cut off has to be continued first.
func (r *run) next() Move {
	if r.lengths > 0 {
		return Move{}
	}
	return r.guide.Next(r.step)
}

// open writes what the run is told into its window.
func (r *run) open() error {
	r.emit(Started{Agent: r.config.Name, Budget: r.budget})
	if r.budget.Fallback {
		r.warn(fmt.Sprintf("the context window of model %q is not known: %d tokens are assumed", r.budget.Model, r.budget.Window))
	}
	r.window.Open(contextwindow.Frame{System: r.config.System, Tools: r.schemas})
	if err := r.appendHistory(); err != nil {
		return err
	}
	prompt := contextwindow.Message{Role: contextwindow.User, Text: r.task.Prompt, Origin: contextwindow.Prompt}
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
	share := float64(u.Frame+u.Prompt) / float64(u.Limit)
	sizes := fmt.Sprintf("system prompt and tools take %d tokens and the prompt %d, of a budget of %d", u.Frame, u.Prompt, u.Limit)
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
	answer, err := r.ask(choice)
	if err != nil {
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
	r.emit(Stepped{Agent: r.config.Name, Step: r.step, Usage: usage, Duration: time.Since(started)})
	return nil
}

// count counts a request that the model answered.
func (r *run) count() {
	r.step.Number++
	r.result.Steps++
}

// exhausted returns the budget that leaves room for nothing but the closing request, or "".
func (r *run) exhausted() Stop {
	l, used := r.config.Limits, r.result.Usage
	over := func(limit, n int) bool { return limit > 0 && n >= limit }
	switch {
	case r.stalled:
		return Stalled
	case over(l.Steps, r.step.Number+1):
		return StepLimit
	case r.timeIsUp():
		return TimeLimit
	case over(l.InputTokens, used.Input), over(l.OutputTokens, used.Output), over(l.TotalTokens, used.Input+used.Output):
		return TokenLimit
	}
	return ""
}

// timeIsUp reports whether the run's own time is over, and not the caller's.
func (r *run) timeIsUp() bool {
	return r.ctx.Err() != nil && r.parent.Err() == nil && !r.broken
}

// note writes for the model what the guide wants, or that it is to continue an answer. After an answer that did not end
// the run something is said in any case: no request ends with the model's own words.
func (r *run) note(m Move) {
	before := r.window.Usage().Entries
	if r.lengths > 0 {
		r.write(noteContinue, fmt.Sprintf("Your answer was cut off by its length limit. Go on exactly where it ended (part %d).", r.lengths+1))
	}
	r.write(noteStatus, m.Status)
	r.write(noteNudge, m.Nudge)
	if r.step.Number > 0 && len(r.step.Calls) == 0 && r.window.Usage().Entries == before {
		r.write(noteContinue, fmt.Sprintf("Step %d of %d: go on.", r.at+1, r.step.Limit))
	}
}

func (r *run) write(kind, text string) {
	before := r.window.Usage().Entries
	r.window.Note(kind, text)
	if r.window.Usage().Entries > before {
		r.emit(Noted{Agent: r.config.Name, Step: r.step.Number, Note: contextwindow.Note{Kind: kind, Text: text}})
	}
}

func (r *run) warn(text string) {
	r.result.Warnings = append(r.result.Warnings, text)
	r.emit(Warned{Agent: r.config.Name, Step: r.step.Number, Warning: text})
}

// emit yields an event. When the caller breaks off, everything under way is cancelled.
func (r *run) emit(e Event) {
	if !r.broken && !r.yield(e, nil) {
		r.broken = true
		r.cancel()
	}
}

// log tells what was written to the window's log of which nobody was told yet.
func (r *run) log() {
	if entries := r.window.Entries(r.logged); len(entries) > 0 {
		r.emit(Logged{Agent: r.config.Name, Step: r.at, From: r.logged, Entries: entries})
		r.logged += len(entries)
	}
}

// fail ends the run with an error. What came of the answer until then is its text. A time-out of the model's own is a
// failure: only the end of the caller's context cancels.
func (r *run) fail(err error) error {
	r.result.Stop = Failed
	if r.parent.Err() != nil || r.broken {
		r.result.Stop = Cancelled
		if cause := r.parent.Err(); cause != nil && !errors.Is(err, cause) {
			err = fmt.Errorf("%w: %w", cause, err)
		}
	}
	if text := r.carried + r.partial; text != "" {
		r.result.Text = text
	}
	return fmt.Errorf("step %d: %w", r.at, err)
}

// finish completes the result.
func (r *run) finish() *Result {
	r.result.Transcript = r.window.Entries(0)
	r.result.Compactions = r.window.Compactions()
	r.result.Context = r.window.Explain()
	r.result.Duration = time.Since(r.started)
	return &r.result
}
