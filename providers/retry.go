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

// RetryOptions say how [Retry] tries again. Nil and zero values are the defaults.
type RetryOptions struct {
	Tries    int           // requests in total, including the first; 0: 4
	Base     time.Duration // longest wait before the second request; doubles with each further request; 0: 1 s
	Cap      time.Duration // longest random wait; 0: 30 s
	Patience time.Duration // longest RetryAfter to wait for; an error that asks for more is returned; 0: 2 min

	Rand func() float64 // returns numbers in [0, 1), safe for concurrent use; nil: math/rand/v2

	// OnRetry is called before each wait, on the goroutine of the request, with the error and how many tries were made.
	// nil: not called.
	OnRetry func(err error, tries int, wait time.Duration)
}

// spread is the largest random share added to a RetryAfter, so that clients refused together do not return together.
const spread = 0.1

// retryable are the classes of errors that a later try may not meet.
var retryable = []Class{Rate, Transient, Network}

// Retry returns a model that sends a request to m again after an error of class [Rate], [Transient] or [Network]. It
// does so only before the first delta of the answer, because the caller has seen all later ones. It waits for the
// error's RetryAfter, else for a random time up to a bound that doubles with each try (exponential back-off with full
// jitter). It does not wait for an open [Breaker]. If the context ends during a wait, the error has the class
// [Cancelled].
func Retry(m Model, o *RetryOptions) Model {
	r := retry{*cmp.Or(o, &RetryOptions{}), m}
	r.Tries, r.Patience = cmp.Or(r.Tries, 4), cmp.Or(r.Patience, 2*time.Minute)
	r.Base, r.Cap = cmp.Or(r.Base, time.Second), cmp.Or(r.Cap, 30*time.Second)
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
			r.OnRetry(err, tries, wait)
		}
		if ended := pause(ctx, wait); ended != nil {
			refuse(r.model, Cancelled, fmt.Errorf("%w, while waiting to try again after: %v", ended, err), yield)
			return
		}
	}
}

// try sends the request once. It returns an error and a wait if the request should be sent again, and nil once the
// caller has received the answer or a final error.
func (r *retry) try(
	ctx context.Context, req *Request, tries int, yield func(Delta, error) bool,
) (time.Duration, error) {
	begun := false
	for d, err := range r.model.Stream(ctx, req) {
		if err != nil && !begun && tries < r.Tries && ctx.Err() == nil {
			if wait, ok := r.wait(err, tries); ok {
				return wait, err
			}
		}
		begun = begun || d.Reading == nil
		if !yield(d, err) {
			break
		}
	}
	return 0, nil
}

// wait returns how long to wait after err, and whether err is worth another try.
func (r *retry) wait(err error, tries int) (time.Duration, bool) {
	var e *Error
	if !errors.As(err, &e) || errors.Is(err, ErrOpen) || !slices.Contains(retryable, e.Class) {
		return 0, false
	}
	if after := e.RetryAfter; after > 0 {
		return after + time.Duration(r.Rand()*spread*float64(after)), after <= r.Patience
	}
	bound := min(r.Base, r.Cap)
	for i := 1; i < tries && bound < r.Cap; i++ {
		bound = min(bound, r.Cap/2) * 2 // no overflow
	}
	return time.Duration(r.Rand() * float64(bound)), true
}
