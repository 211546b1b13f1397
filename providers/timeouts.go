package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// defaultTimeout is long because a silent model may be busy: it may reason without showing it, and a call arrives only
// when all its arguments are complete.
const defaultTimeout = 5 * time.Minute

// errTimedOut is the cause with which [Timeouts] cancels the inner request.
var errTimedOut = errors.New("timed out")

// Timeouts returns a model that ends a silent answer of m with an error of class [Network]. [Retry] sends the request
// again if no delta had arrived. First bounds the wait for the first delta of the answer, from the last [Reading] on if
// the server sends any; idle bounds the wait for each later delta. 0 means 5 minutes, below 0 no limit. The time that
// the caller spends on a delta does not count.
func Timeouts(m Model, first, idle time.Duration) Model {
	t := timeouts{m, cmp.Or(first, defaultTimeout), cmp.Or(idle, defaultTimeout)}
	if t.first < 0 && t.idle < 0 {
		return m
	}
	return layer{m, t.stream}
}

type timeouts struct {
	model       Model
	first, idle time.Duration
}

func (t *timeouts) stream(ctx context.Context, req *Request, yield func(Delta, error) bool) {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	first := t.first
	if first < 0 {
		first = math.MaxInt64
	}
	timer := time.AfterFunc(first, func() { cancel(errTimedOut) })
	defer timer.Stop()
	begun := false
	for d, err := range t.model.Stream(within, req) {
		timer.Stop()
		if err != nil && ctx.Err() == nil && context.Cause(within) == errTimedOut && ClassOf(err) == Cancelled {
			refuse(t.model, Network, t.late(begun), yield)
			return
		}
		begun = begun || d.Reading == nil
		if !yield(d, err) {
			return
		}
		switch {
		case !begun:
			timer.Reset(first)
		case t.idle > 0:
			timer.Reset(t.idle)
		}
	}
}

// late returns which time-out expired.
func (t *timeouts) late(begun bool) error {
	if begun {
		return fmt.Errorf("the answer stopped for %v", t.idle)
	}
	return fmt.Errorf("the answer did not begin within %v", t.first)
}
