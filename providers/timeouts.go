package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// defaultTimeout is generous because a silent model is not idle: it may think without showing it, and a call arrives
// whole, after all its arguments.
const defaultTimeout = 5 * time.Minute

// errTimedOut is the cause with which [Timeouts] cancels the inner request.
var errTimedOut = errors.New("timed out")

// Timeouts returns m with silent answers ended by an error of class [Network], which [Retry] tries again if nothing had
// arrived. First is how long the first delta may take from the start of the iteration, idle how long each further one
// may; 0 means 5 minutes, below 0 no limit. The time that the caller spends on a delta does not count.
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
		begun = true
		if !yield(d, err) {
			return
		}
		if t.idle > 0 {
			timer.Reset(t.idle)
		}
	}
}

// late returns which time-out expired.
func (t *timeouts) late(begun bool) error {
	if begun {
		return fmt.Errorf("nothing more came for %v", t.idle)
	}
	return fmt.Errorf("no answer began within %v", t.first)
}
