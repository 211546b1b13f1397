package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc/panics"
	"github.com/sourcegraph/conc/pool"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// A batch is calls of one step that run side by side. The goroutine of the run owns it and its records. Tools only
// report their ends over a channel, so that an abandoned tool changes nothing when it ends.
type batch struct {
	*executor
	records []ToolRecord
	results []transcript.Message // rendered values; those of failed calls are empty
	tools   []*tools.Tool        // nil: the call is not made, and its record has the error
	tasks   []callTask
	ends    chan callEnd
	reader  *contextwindow.Reader // of the window before the step; nil: no call reads again
	first   int                   // index in the step of the first call
	running int
	next    int // the next call to start
}

// A callTask is a call in progress.
type callTask struct {
	started  time.Time
	timeout  time.Duration // 0 or less: none
	ctx      context.Context
	cancel   context.CancelFunc // nil: not started, ended, or abandoned
	deadline time.Time          // when the call is abandoned
	gauge    *tools.Progress    // its progress
	shown    tools.Status       // the progress that was yielded last
	tokens   atomic.Int64       // spent by runs below the call
}

// A callEnd is how a call ended: with a value and its text, or an error.
type callEnd struct {
	index int
	value any
	kind  toollimit.Kind
	text  string
	shown []toollimit.Image
	err   error
}

// progressInterval is how often the progress of calls is yielded.
const progressInterval = 200 * time.Millisecond

// run makes the calls, as many at once as the limits allow. It yields their ends, their progress and the events of
// their sub-agents as they come, and abandons calls that ignore their timeout.
func (b *batch) run() {
	b.tasks, b.ends = make([]callTask, len(b.records)), make(chan callEnd, len(b.records))
	b.startCalls()
	if b.running == 0 {
		return
	}
	cancelled := b.ctx.Done()
	b.timer.Reset(b.untilDeadline())
	defer b.timer.Stop()
	b.ticker.Reset(progressInterval)
	defer b.ticker.Stop()
	for b.running > 0 {
		select {
		case end := <-b.ends:
			b.finish(end)
		case e := <-b.subagents:
			if e.batch == b && b.tasks[e.index].cancel != nil { // else the call was abandoned
				b.emit(e.event)
			}
		case <-b.ticker.C:
			b.reportProgress()
		case <-b.timer.C:
			b.abandon(time.Now())
		case <-cancelled:
			cancelled = nil
			latest := b.abandonAt(time.Now())
			for i := range b.tasks {
				if c := &b.tasks[i]; latest.Before(c.deadline) {
					c.deadline = latest
				}
			}
		}
		b.startCalls()
		b.timer.Reset(b.untilDeadline())
	}
}

// startCalls starts the next calls while the limits allow and the run is not over.
func (b *batch) startCalls() {
	for ; b.next < len(b.records) && b.running < b.config.Limits.Parallel; b.next++ {
		i := b.next
		if b.mayStart(i) {
			b.emit(ToolStarted{Agent: b.config.Name, Step: b.step.Number, Call: b.records[i].Made})
			if b.mayStart(i) { // the event may have ended the run
				b.start(i, *b.tools[i])
				continue
			}
		}
		b.emit(ToolFinished{Agent: b.config.Name, Step: b.step.Number, Record: b.records[i]})
	}
}

// mayStart reports whether a call is made. If not, its record has the error.
func (b *batch) mayStart(i int) bool {
	rec := &b.records[i]
	if rec.Err == nil && b.ctx.Err() != nil {
		rec.Err = errRunOver
	}
	return rec.Err == nil
}

// start hands a call to a worker. The tool gets a copy of the arguments, so that it cannot change the record.
func (b *batch) start(i int, tool tools.Tool) {
	c := &b.tasks[i]
	if c.timeout = tool.Timeout; c.timeout <= 0 {
		c.timeout = b.config.Limits.ToolTimeout
	}
	c.started = time.Now()
	b.records[i].Started = c.started
	c.ctx, c.cancel = withTimeout(b.ctx, c.timeout)
	if c.deadline = never; c.timeout > 0 {
		c.deadline = b.abandonAt(c.started.Add(c.timeout))
	}
	c.gauge = new(tools.Progress)
	facts, args := b.facts, slices.Clone(b.records[i].Made.Args)
	facts.Step, facts.CallID, facts.Key = b.step.Number, b.records[i].Call.ID, b.journal.key(b.first+i)
	sent := conversation(b.sent)
	facts.System, facts.Messages = b.config.System, &sent
	facts.Progress, facts.Caller = c.gauge, &call{b, i}
	ctx := tools.WithRun(c.ctx, facts)
	b.running++
	b.workers.Go(func() {
		end := callEnd{err: errNoReturn}
		defer func() { // a tool that ends its goroutine skips the rest
			end.index = i
			b.ends <- end
		}()
		if caught := panics.Try(func() { end = invoke(ctx, tool, args) }); caught != nil {
			end.err = fmt.Errorf("tool %s panicked: %v", tool.Name, caught.Value)
		}
	})
}

// errNoReturn is the error of a call whose tool ended the goroutine.
var errNoReturn = errors.New("the tool ended its goroutine without a result " +
	"(runtime.Goexit; t.Fatal in a test does that)")

// invoke calls a tool and renders its value. A value that renders as an error is one.
func invoke(ctx context.Context, tool tools.Tool, args json.RawMessage) callEnd {
	value, err := tool.Call(ctx, args)
	if err != nil {
		return callEnd{err: err}
	}
	kind, text := tools.Render(value)
	if kind == toollimit.Error {
		return callEnd{err: errors.New(text)}
	}
	return callEnd{value: value, kind: kind, text: text, shown: tools.Images(value)}
}

// finish records the end of a call, unless it was abandoned before.
func (b *batch) finish(end callEnd) {
	c, rec := &b.tasks[end.index], &b.records[end.index]
	if c.cancel == nil {
		return
	}
	rec.Value, rec.Err, rec.Duration = end.value, end.err, time.Since(c.started)
	b.results[end.index] = transcript.Message{Kind: end.kind, Text: end.text, Images: end.shown}
	if rec.Err != nil {
		rec.Err = b.timedOut(c, rec.Err)
	}
	b.release(end.index)
}

// abandon gives up the calls that ignore their timeout.
func (b *batch) abandon(now time.Time) {
	for i := range b.tasks {
		c, rec := &b.tasks[i], &b.records[i]
		if c.cancel == nil || now.Before(c.deadline) {
			continue
		}
		rec.Abandoned, rec.Duration = true, now.Sub(c.started)
		rec.Err = b.timedOut(c, context.Cause(c.ctx))
		b.result.Abandoned++
		b.warn(fmt.Sprintf("tool %s ignored the end of its time and was abandoned", rec.Made.Name))
		b.release(i)
	}
}

// timedOut says in an error that the call timed out, unless the run ended first.
func (b *batch) timedOut(c *callTask, err error) error {
	if errors.Is(c.ctx.Err(), context.DeadlineExceeded) && b.ctx.Err() == nil {
		return fmt.Errorf("timed out after %v: %w", c.timeout, err)
	}
	return err
}

// release frees the place of a call and yields its end.
func (b *batch) release(i int) {
	b.records[i].Tokens = int(b.tasks[i].tokens.Load())
	b.tasks[i].cancel()
	b.tasks[i].cancel = nil
	b.running--
	b.emit(ToolFinished{Agent: b.config.Name, Step: b.step.Number, Record: b.records[i]})
}

// reportProgress yields the progress of calls where it changed.
func (b *batch) reportProgress() {
	for i := range b.tasks {
		c := &b.tasks[i]
		if c.cancel == nil {
			continue
		}
		if p, ok := c.gauge.Read(); ok && p != c.shown {
			c.shown = p
			b.emit(ToolProgressed{Agent: b.config.Name, Step: b.step.Number, Call: b.records[i].Call, Progress: p})
		}
	}
}

// never is later than any deadline.
var never = time.Unix(1<<40, 0)

// abandonAt returns when to abandon a call that was to end at a given time.
func (b *batch) abandonAt(end time.Time) time.Time {
	if b.config.Limits.ToolGrace < 0 {
		return never
	}
	return end.Add(b.config.Limits.ToolGrace)
}

// untilDeadline returns the time until the next running call is abandoned.
func (b *batch) untilDeadline() time.Duration {
	first := never
	for i := range b.tasks {
		if c := &b.tasks[i]; c.cancel != nil && c.deadline.Before(first) {
			first = c.deadline
		}
	}
	return time.Until(first)
}

// A call is what a tool knows of its call: enough to start a sub-agent below the run.
type call struct {
	*batch
	index int
}

// Reader returns the reader of the window's stored texts, for the tool that reads them again.
func (c *call) Reader() *contextwindow.Reader { return c.reader }

// charge counts what a run below the call has spent.
func (c *call) charge(u providers.Usage) { c.tasks[c.index].tokens.Add(int64(u.Input + u.Output)) }

// A subagentEvent is an event of the sub-agent that a call started.
type subagentEvent struct {
	call
	event Event
}

// report passes an event of a sub-agent to the run, which yields it. It returns false when the run is over.
func (c *call) report(e Event) bool {
	select {
	case c.subagents <- subagentEvent{*c, e}:
		return true
	case <-c.done:
		return false
	}
}

// An executor makes the calls of a run.
type executor struct {
	*env
	facts      tools.Run          // what every tool may know of the run
	typed      *typedAnswer       // its tool reports bad arguments itself
	pending    *session.Pending   // what is known of the calls that the run was resumed with; nil: nothing
	journaling func() error       // writes the answer into the session, before its first call
	depth      int                // how many runs are above this one
	workers    *pool.Pool         // runs tools; a goroutine serves one call after another
	subagents  chan subagentEvent // events of sub-agents
	done       chan struct{}      // closed when the run is over
	timer      *time.Timer        // of the batch that runs: when a call is abandoned
	ticker     *time.Ticker       // of the batch that runs: when progress is yielded
}

func newExecutor(e *env, t Task) executor {
	facts := tools.Run{
		Thread: t.Thread, User: t.User, Agent: e.config.Name, Input: t.Input, Repository: t.Repository, Scope: t.Scope,
		Sees: e.config.Model.Info().Vision.Sees(),
	}
	if facts.Input == "" {
		facts.Input = t.Prompt
	}
	timer, ticker := time.NewTimer(0), time.NewTicker(progressInterval)
	timer.Stop()
	ticker.Stop()
	return executor{
		timer: timer, ticker: ticker,
		env: e, facts: facts, workers: pool.New(), subagents: make(chan subagentEvent), done: make(chan struct{}),
	}
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
