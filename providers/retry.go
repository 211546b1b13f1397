package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// RetryOptions say how Retry tries again. Nil and zero values are the defaults.
type RetryOptions struct {
	Tries    int           // requests in all, the first included; 0: 4
	Base     time.Duration // the longest wait before the second request; doubles with each further one; 0: 1 s
	Cap      time.Duration // the longest wait that is drawn; 0: 30 s
	Patience time.Duration // the longest RetryAfter that is waited for: an error that asks for more is passed on; 0: 2 min

	Rand    func() float64   // draws from [0, 1), safe for concurrent use; nil: math/rand/v2
	OnRetry func(RetryEvent) // told before each wait, on the goroutine of the request; nil: nobody
}

// A RetryEvent is one more try: what failed, how often it was tried, and how long Retry waits before the next try.
type RetryEvent struct {
	Model Info
	Tries int // requests so far
	Wait  time.Duration
	Err   error
}

const (
	defaultTries    = 4
	defaultBase     = time.Second
	defaultCap      = 30 * time.Second
	defaultPatience = 2 * time.Minute

	// spread is what is drawn on top of a RetryAfter, as a part of it: those who were refused together do not come
	// back together.
	spread = 0.1
)

// passing are the classes of errors that may pass by waiting.
var passing = []Class{Rate, Transient, Network}

// Retry returns m with its failed requests tried again, where the error has the class Rate, Transient or Network and no
// delta had come: what began to answer is never asked again, for the caller has seen a part of it. It waits as long as
// the error's RetryAfter asks for, else a time drawn evenly from zero to a bound that doubles with each try (exponential
// back-off with full jitter). An open breaker is not waited for. The end of the context ends a wait with class Cancelled.
func Retry(m Model, o *RetryOptions) Model {
	var r retry
	if o != nil {
		r.RetryOptions = *o
	}
	r.model = m
	r.Tries = cmp.Or(r.Tries, defaultTries)
	r.Base = cmp.Or(r.Base, defaultBase)
	r.Cap = cmp.Or(r.Cap, defaultCap)
	r.Patience = cmp.Or(r.Patience, defaultPatience)
	if r.Rand == nil {
		r.Rand = rand.Float64
	}
	return layer{m, r.stream}
}

type retry struct {
	RetryOptions
	model Model
}

func (r *retry) stream(ctx context.Context, req *Request, yield func(Delta, error) bool) {
	for tries := 1; ; tries++ {
		wait, err := r.try(ctx, req, tries, yield)
		if err == nil {
			return
		}
		if r.OnRetry != nil {
			r.OnRetry(RetryEvent{Model: r.model.Info(), Tries: tries, Wait: wait, Err: err})
		}
		if ended := pause(ctx, wait); ended != nil {
			refuse(r.model, Cancelled, fmt.Errorf("%w, while waiting to try again after: %v", ended, err), yield)
			return
		}
	}
}

// try sends the request once. It returns the error that is worth another try, and the wait before it; nil when the
// caller has the answer, or an error.
func (r *retry) try(ctx context.Context, req *Request, tries int, yield func(Delta, error) bool) (time.Duration, error) {
	begun := false
	for d, err := range r.model.Stream(ctx, req) {
		if err != nil && !begun && tries < r.Tries && ctx.Err() == nil {
			if wait, ok := r.wait(err, tries); ok {
				return wait, err
			}
		}
		begun = true
		if !yield(d, err) {
			break
		}
	}
	return 0, nil
}

// wait returns how long to wait after err, and whether it is worth it.
func (r *retry) wait(err error, tries int) (time.Duration, bool) {
	var e *Error
	if !errors.As(err, &e) || errors.Is(err, ErrOpen) {
		return 0, false
	}
	if !slices.Contains(passing, e.Class) {
		return 0, false
	}
	if after := e.RetryAfter; after > 0 {
		return after + time.Duration(r.Rand()*spread*float64(after)), after <= r.Patience
	}
	bound := r.Base
	for range tries - 1 {
		if bound >= r.Cap/2 {
			bound = r.Cap
			break
		}
		bound *= 2
	}
	return time.Duration(r.Rand() * float64(min(bound, r.Cap))), true
}
