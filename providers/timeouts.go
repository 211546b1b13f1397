package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// TimeoutOptions bound the silence of an answer. Zero is the default, below zero means no limit.
type TimeoutOptions struct {
	First time.Duration // until the first delta, from the start of the iteration; 0: 5 min
	Idle  time.Duration // between deltas, without the caller's own time; 0: 5 min
}

// defaultTimeout is generous because a silent model is not idle: it may think without showing it, and a call arrives
// whole, after all its arguments.
const defaultTimeout = 5 * time.Minute

// errTimedOut is the cause with which [Timeouts] cancels the inner request.
var errTimedOut = errors.New("timed out")

// Timeouts returns m with answers that stay silent for too long ended with an error of class [Network], which [Retry]
// tries again if nothing had arrived. The time that the caller spends on a delta does not count.
func Timeouts(m Model, o *TimeoutOptions) Model {
	t := timeouts{model: m}
	if o != nil {
		t.TimeoutOptions = *o
	}
	t.First, t.Idle = cmp.Or(t.First, defaultTimeout), cmp.Or(t.Idle, defaultTimeout)
	if t.First < 0 && t.Idle < 0 {
		return m
	}
	return layer{m, t.stream}
}

type timeouts struct {
	TimeoutOptions
	model Model
}

func (t *timeouts) stream(ctx context.Context, req *Request, yield func(Delta, error) bool) {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	first := t.First
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
		begun = true
		if !yield(d, err) {
			return
		}
		if t.Idle > 0 {
			timer.Reset(t.Idle)
		}
	}
}

// late returns which time-out expired.
func (t *timeouts) late(begun bool) error {
	if begun {
		return fmt.Errorf("nothing more came for %v", t.Idle)
	}
	return fmt.Errorf("no answer began within %v", t.First)
}
