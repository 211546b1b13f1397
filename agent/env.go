package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// An env is what the parts of a run share. One goroutine owns it: the caller's, which takes the events.
type env struct {
	clock
	config    Config // the agent's, with what the task overrides
	budget    contextwindow.Budget
	tools     toolbox
	window    *contextwindow.Window
	account   *account
	compacted []contextwindow.Compaction // by the processes that ran it before
	result    Result
	journal   *journal // of the session; nil: none
	most      int      // longest answer to ask for after a refusal, in tokens; 0: none was refused; -1: name no length

	sent []transcript.Message // by the last request; never modified

	step    Step // the last finished one
	current int  // number of the step in progress
	closing bool // the request in progress is the closing one

	yield  func(Event, error) bool
	logged int // entries of the window's log that were yielded
}

// emit yields an event. If the caller breaks off, everything in progress is cancelled.
func (e *env) emit(event Event) {
	if !e.broken && !e.yield(event, nil) {
		e.broken = true
		e.cancel()
	}
}

// warn adds a warning to the result and yields it.
func (e *env) warn(text string) {
	e.result.Warnings = append(e.result.Warnings, text)
	e.emit(WarningRaised{Agent: e.config.Name, Step: e.step.Number, Warning: text})
}

// note writes a note for the model, unless the window holds the same one already.
func (e *env) note(kind, text string) {
	before := e.window.Usage().Entries
	e.window.Note(kind, text)
	if e.window.Usage().Entries > before {
		e.emit(NoteWritten{Agent: e.config.Name, Step: e.step.Number, Note: contextwindow.Note{Kind: kind, Text: text}})
	}
}

// appendAnswer appends an answer with the results of its calls, and yields what the service compacted for it.
func (e *env) appendAnswer(
	head transcript.Message, results ...transcript.Message,
) (contextwindow.Appended, error) {
	unit, err := e.window.Append(head, results...)
	if unit.Server.Level > 0 {
		e.emit(WindowCompacted{Agent: e.config.Name, Step: e.current, Compaction: unit.Server})
	}
	return unit, err
}

// flush yields the new entries of the window's log.
func (e *env) flush() {
	if entries := e.window.Entries(e.logged); len(entries) > 0 {
		e.emit(EntriesAppended{Agent: e.config.Name, Step: e.current, From: e.logged, Entries: entries})
		e.logged += len(entries)
	}
}

// compactions returns those of the run, also of the processes that ran it before.
func (e *env) compactions() []contextwindow.Compaction {
	return append(slices.Clip(e.compacted), e.window.Compactions()...)
}

// grace fires when work that ignores the end of the run is abandoned; nil: never.
func (e *env) grace() <-chan time.Time {
	if limit := e.config.Limits.ToolGrace; limit >= 0 {
		return time.After(limit)
	}
	return nil
}

var (
	// errNotExecuted marks a call that the model may repeat unchanged.
	errNotExecuted = errors.New("not executed")
	errRunOver     = fmt.Errorf("%w: the run is over", errNotExecuted)
)

// Kinds of notes that the loop writes.
const (
	noteNudge    = "nudge"
	noteStatus   = "status"
	noteClosing  = "closing"
	noteContinue = "continue"
	noteStall    = "repeated"
	noteAnswer   = "answer"
)

// A clock bounds the time of a run.
type clock struct {
	parent  context.Context    // the caller's
	ctx     context.Context    // of the request in progress: ends with whole or, before the closing one, with its time
	whole   context.Context    // ends with parent, when the run's time is up, or when the caller takes no more events
	cancel  context.CancelFunc // ends whole
	steps   context.CancelFunc // ends ctx before the closing request
	started time.Time
	elapsed time.Duration // of the run before it was resumed
	broken  bool          // the caller takes no more events
}

func newClock(parent context.Context, limit time.Duration) clock {
	c := clock{parent: parent, started: time.Now()}
	c.whole, c.cancel = withTimeout(parent, limit)
	c.ctx, c.steps = withTimeout(c.whole, limit-min(limit/5, maxClosingTime))
	return c
}

// withTimeout is [context.WithTimeout], but 0 or less means no timeout.
func withTimeout(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit)
}

// startClosing gives the closing request what is left of the run's time, at least what was kept for it.
func (c *clock) startClosing() {
	c.steps()
	c.ctx = c.whole
}

// cancelled reports whether the caller ended the run.
func (c *clock) cancelled() bool { return c.broken || c.parent.Err() != nil }

// timeIsUp reports whether the time of the steps, or of the closing request, is over, and the caller has not ended it.
func (c *clock) timeIsUp() bool { return c.ctx.Err() != nil && !c.cancelled() }

// A conversation is the messages of a request, for tools to read.
type conversation []transcript.Message

// String writes each message with its role, its text and its calls.
func (c *conversation) String() string {
	var b strings.Builder
	for i, m := range *c {
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(string(m.Role))
		if m.Name != "" {
			b.WriteString(" " + m.Name)
		}
		b.WriteString(":")
		if text := m.Described(); text != "" {
			b.WriteString("\n" + text)
		}
		for _, call := range m.Calls {
			b.WriteString("\ncalls " + call.Name + " " + string(call.Args))
		}
	}
	return b.String()
}
