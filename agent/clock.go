package agent

import (
	"context"
	"time"
)

// A clock bounds the time of a run.
type clock struct {
	parent  context.Context    // the caller's
	ctx     context.Context    // ends with parent, when the run's time is up, or when the caller takes no more events
	cancel  context.CancelFunc // ends ctx
	started time.Time
	broken  bool // the caller takes no more events
}

func newClock(parent context.Context, limit time.Duration) clock {
	c := clock{parent: parent, started: time.Now()}
	if limit > 0 {
		c.ctx, c.cancel = context.WithDeadline(parent, c.started.Add(limit))
	} else {
		c.ctx, c.cancel = context.WithCancel(parent)
	}
	return c
}

// restartForClosing gives the closing request time of its own: a quarter of the limit, at most [maxClosingTime].
func (c *clock) restartForClosing(limit time.Duration) {
	c.cancel()
	if limit > 0 {
		c.ctx, c.cancel = context.WithTimeout(c.parent, min(limit/4, maxClosingTime))
	} else {
		c.ctx, c.cancel = context.WithCancel(c.parent)
	}
}

// cancelled reports whether the caller ended the run.
func (c *clock) cancelled() bool { return c.broken || c.parent.Err() != nil }

// timeIsUp reports whether the run's own time is over, and the caller has not ended it.
func (c *clock) timeIsUp() bool { return c.ctx.Err() != nil && !c.cancelled() }
