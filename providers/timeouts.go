package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// TimeoutOptions are how long an answer may let wait. Zero is the default, below zero no limit.
type TimeoutOptions struct {
	First time.Duration // until the first delta, counted from the start of the iteration; 0: 5 min
	Idle  time.Duration // from the end of the caller's work on a delta to the next delta; 0: 5 min
}

// defaultTimeout is generous, because silence is not idleness: a model may think without showing it, and a call comes
// whole, after all its arguments.
const defaultTimeout = 5 * time.Minute

// errTimedOut is why Timeouts ends the request within.
var errTimedOut = errors.New("timed out")

// Timeouts returns m with its answers ended when they let wait for longer than o allows, with an error of class
// Network: one that Retry tries again when nothing had come. The time that the caller takes for a delta does not count.
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

// late says what took too long.
func (t *timeouts) late(begun bool) error {
	if begun {
		return fmt.Errorf("nothing more came for %v", t.Idle)
	}
	return fmt.Errorf("no answer began within %v", t.First)
}
