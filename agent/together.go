package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sourcegraph/conc/panics"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// errNotExecuted is in the error of a call that the model may make again: nothing was wrong with it.
var (
	errNotExecuted = errors.New("not executed")
	errRunOver     = fmt.Errorf("%w: the run is over", errNotExecuted)
)

// together is some calls of a step that are made side by side. The loop's goroutine owns it and its records; the tools
// only send how they ended, so that one that ends after it was abandoned changes nothing.
type together struct {
	*run
	records []ToolRecord
	results []transcript.Message // what the calls gave, rendered; those that failed are not
	ready   []*tools.Tool        // nil: the call is not made, its record says why
	calls   []underWay
	ends    chan toolEnd
	first   int // place of the first of them in the step
	running int
	next    int // the first call that has not been looked at
}

// underWay is a call that has been started and has not ended.
type underWay struct {
	started time.Time
	timeout time.Duration // 0 or less: none
	ctx     context.Context
	cancel  context.CancelFunc // nil: not started, ended, or abandoned
	leave   time.Time          // when the call is abandoned; zero: never
	gauge   *tools.Gauge       // on which it counts
	shown   tools.Progress     // what was told of the gauge, the last
}

// A toldEvent is an event of the sub-agent that a call started.
type toldEvent struct {
	calls *together
	index int
	event Event
}

// A toolEnd is how one call ended: with a value and its text, or an error.
type toolEnd struct {
	index int
	value any
	kind  toollimit.Kind
	text  string
	err   error
}

// callTogether makes the calls side by side, so many at once as the limits allow, and tells their ends, how far they are,
// and what their sub-agents tell, as it comes. It waits for each as long as it may take, and leaves behind what ignores the
// end of its time.
func (t *together) callTogether() {
	r := t.run
	t.calls, t.ends = make([]underWay, len(t.records)), make(chan toolEnd, len(t.records))
	t.start()
	if t.running == 0 {
		return
	}
	cancelled := r.ctx.Done()
	timer := time.NewTimer(t.untilLeave())
	defer timer.Stop()
	looks := time.NewTicker(lookEvery)
	defer looks.Stop()
	for t.running > 0 {
		select {
		case end := <-t.ends:
			t.end(end)
		case told := <-t.said:
			if told.calls == t && t.calls[told.index].cancel != nil { // else the call was abandoned
				t.emit(told.event)
			}
		case <-looks.C:
			t.look()
		case <-timer.C:
			t.abandon(time.Now())
		case <-cancelled:
			cancelled = nil
			t.leaveBy(t.afterGrace(time.Now()))
		}
		t.start()
		timer.Reset(t.untilLeave())
	}
}

// start makes the next calls, as long as there is a place and the run is not over.
func (t *together) start() {
	for ; t.next < len(t.records) && t.running < t.config.Limits.Parallel; t.next++ {
		i := t.next
		if t.mayBegin(i) {
			t.emit(ToolStarted{Agent: t.config.Name, Step: t.step.Number, Call: t.records[i].Call})
			if t.mayBegin(i) { // who was told may have ended the run
				t.begin(i, *t.ready[i])
				continue
			}
		}
		t.emit(ToolFinished{Agent: t.config.Name, Step: t.step.Number, Record: t.records[i]})
	}
}

// mayBegin reports whether a call is to be made; if not, its record says why.
func (t *together) mayBegin(i int) bool {
	rec := &t.records[i]
	if rec.Err == nil && t.ctx.Err() != nil {
		rec.Err = errRunOver
	}
	return rec.Err == nil
}

// afterGrace is when a call is abandoned whose time ends at a moment; zero: never.
func (t *together) afterGrace(end time.Time) time.Time {
	if t.config.Limits.ToolGrace < 0 {
		return time.Time{}
	}
	return end.Add(t.config.Limits.ToolGrace)
}

// begin hands one call to a worker. A panic of the tool is its error. The arguments are the tool's own: what it does to
// them changes no record.
func (t *together) begin(i int, tool tools.Tool) {
	c := &t.calls[i]
	if c.timeout = tool.Timeout; c.timeout <= 0 {
		c.timeout = t.config.Limits.ToolTimeout
	}
	c.started = time.Now()
	if c.timeout > 0 {
		c.ctx, c.cancel = context.WithTimeout(t.ctx, c.timeout)
		c.leave = t.afterGrace(c.started.Add(c.timeout))
	} else {
		c.ctx, c.cancel = context.WithCancel(t.ctx)
	}
	facts, args := t.facts(t.records[i].Call), slices.Clone(t.records[i].Call.Args)
	c.gauge = new(tools.Gauge)
	facts.Gauge, facts.Caller = c.gauge, &caller{t, i}
	ctx := tools.WithRun(c.ctx, facts)
	t.running++
	t.workers.Go(func() {
		var end toolEnd
		if caught := panics.Try(func() { end = made(ctx, tool, args) }); caught != nil {
			end.err = fmt.Errorf("tool %s panicked: %v", tool.Name, caught.Value)
		}
		end.index = i
		t.ends <- end
	})
}

// lookEvery is how often the gauges of calls are looked at: often enough to be seen moving, seldom enough to cost nothing.
const lookEvery = 200 * time.Millisecond

// look tells of the calls under way how far they are, where that changed.
func (t *together) look() {
	for i := range t.calls {
		c := &t.calls[i]
		if c.cancel == nil {
			continue
		}
		if p, ok := c.gauge.Read(); ok && p != c.shown {
			c.shown = p
			t.emit(ToolProgressed{Agent: t.config.Name, Step: t.step.Number, Call: t.records[i].Call, Progress: p})
		}
	}
}

// made makes a call and renders what it gave. What is rendered as an error is one: an error in place of a value, a value
// that cannot be encoded, a panic of its Text.
func made(ctx context.Context, tool tools.Tool, args json.RawMessage) toolEnd {
	value, err := tool.Call(ctx, args)
	if err != nil {
		return toolEnd{err: err}
	}
	kind, text := tools.Render(value)
	if kind == toollimit.Error {
		return toolEnd{err: errors.New(text)}
	}
	return toolEnd{value: value, kind: kind, text: text}
}

// end records how a call ended. One that was abandoned before is over.
func (t *together) end(end toolEnd) {
	c, rec := &t.calls[end.index], &t.records[end.index]
	if c.cancel == nil {
		return
	}
	rec.Value, rec.Err, rec.Duration = end.value, end.err, time.Since(c.started)
	t.results[end.index].Kind, t.results[end.index].Text = end.kind, end.text
	if rec.Err != nil {
		rec.Err = t.timedOut(c, rec.Err)
	}
	t.over(end.index)
}

// timedOut says so where the time of a call is over, and not that of the run.
func (t *together) timedOut(c *underWay, err error) error {
	if errors.Is(c.ctx.Err(), context.DeadlineExceeded) && t.ctx.Err() == nil {
		return fmt.Errorf("timed out after %v: %w", c.timeout, err)
	}
	return err
}

// abandon leaves the calls behind whose time to end is over.
func (t *together) abandon(now time.Time) {
	for i := range t.calls {
		c, rec := &t.calls[i], &t.records[i]
		if c.cancel == nil || c.leave.IsZero() || now.Before(c.leave) {
			continue
		}
		rec.Abandoned, rec.Duration = true, now.Sub(c.started)
		rec.Err = t.timedOut(c, context.Cause(c.ctx))
		t.result.Abandoned++
		t.warn(fmt.Sprintf("tool %s ignored the end of its time and was abandoned", rec.Call.Name))
		t.over(i)
	}
}

func (t *together) over(i int) {
	t.calls[i].cancel()
	t.calls[i].cancel = nil
	t.running--
	t.emit(ToolFinished{Agent: t.config.Name, Step: t.step.Number, Record: t.records[i]})
}

// leaveBy moves the time to end of all calls that are under way to a moment at the latest; a zero moment moves nothing.
func (t *together) leaveBy(moment time.Time) {
	for i := range t.calls {
		if c := &t.calls[i]; c.cancel != nil && (c.leave.IsZero() || moment.Before(c.leave)) {
			c.leave = moment
		}
	}
}

// untilLeave is how long until the first call under way is to be abandoned.
func (t *together) untilLeave() time.Duration {
	first := time.Duration(1<<63 - 1)
	for i := range t.calls {
		if c := &t.calls[i]; c.cancel != nil && !c.leave.IsZero() {
			first = min(first, time.Until(c.leave))
		}
	}
	return first
}
