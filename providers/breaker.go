package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// ErrOpen is in the chain of the error of a request that an open [Breaker] did not send.
var ErrOpen = errors.New("the breaker is open")

// The states of a breaker.
const (
	stateClosed   = "closed"
	stateOpen     = "open"
	stateHalfOpen = "half-open"
)

// BreakerOptions say when a [Breaker] opens and for how long. Nil and zero values are the defaults.
type BreakerOptions struct {
	Failures int           // consecutive failures that open it; 0: 5
	Cooldown time.Duration // from opening to the probe, or longer if the last failure's RetryAfter is; 0: 30 s

	// OnChange is called with each new state, on the goroutine of the request that caused it: "closed" (all requests are
	// sent), "open" (none is) or "half-open" (only the probe is). nil: not called.
	OnChange func(state string)
}

// Breaker returns m with a circuit breaker that all users of the returned model share. It opens after Failures
// consecutive failures of a service that is down or overloaded: errors of class [Network] or [Rate], or of class
// [Transient] with a status of 5xx or none. Any delta, and any other error of the service, shows that the service is
// up; a request that its caller cancelled shows nothing.
//
// While open, the breaker fails each request at once with the class of the last failure, [ErrOpen], and a RetryAfter
// until the next probe. After Cooldown it sends one request, the probe. The first delta of the probe closes the
// breaker, a failure opens it again, and if the caller cancels the probe, the next request becomes the probe.
func Breaker(m Model, o *BreakerOptions) Model {
	b := &breaker{model: m, BreakerOptions: *cmp.Or(o, &BreakerOptions{})}
	b.Failures, b.Cooldown = cmp.Or(b.Failures, 5), cmp.Or(b.Cooldown, 30*time.Second)
	return layer{m, b.stream}
}

// A breaker guards its state with a mutex that it never holds while calling out.
type breaker struct {
	BreakerOptions
	model Model

	mu       sync.Mutex
	failures int // consecutive
	open     bool
	probing  bool      // open, and the probe is in flight
	until    time.Time // if open: when the next probe may be sent
	last     error     // if open: the last failure
}

// A verdict says whether a request showed that its service is up or down.
type verdict int

const (
	noVerdict verdict = iota
	up
	down
)

func (b *breaker) stream(ctx context.Context, req *Request, yield func(Delta, error) bool) {
	probe, err := b.admit(ctx)
	if err != nil {
		yield(Delta{}, err)
		return
	}
	outcome, last := noVerdict, error(nil)
	defer func() { b.record(outcome, last, probe) }() // also if the caller panics: a probe must not stay in flight
	for d, err := range b.model.Stream(ctx, req) {
		switch {
		case err != nil:
			outcome, last = verdictOf(err), err
		case d.Reading != nil: // says nothing about the service: it may be an estimate
		case probe:
			b.probeAnswered()
			probe, outcome = false, up
		default:
			outcome = up
		}
		if !yield(d, err) {
			return
		}
	}
}

// verdictOf returns what an error shows about its service.
func verdictOf(err error) verdict {
	var e *Error
	if !errors.As(err, &e) {
		return noVerdict
	}
	switch e.Class {
	case Network, Rate:
		return down
	case Transient:
		if e.Status != 0 && e.Status < http.StatusInternalServerError {
			return up
		}
		return down
	case Auth, Invalid, Overflow, Refused, Repeating:
		return up
	case Malformed, Cancelled, Spent, TooLong:
		return noVerdict
	}
	return noVerdict
}

// admit reports whether the next request is the probe, or returns why it is not sent.
func (b *breaker) admit(ctx context.Context) (probe bool, err error) {
	info := b.model.Info()
	if ctx.Err() != nil {
		return false, &Error{Class: Cancelled, Provider: info.Provider, Model: info.Name, Err: ctx.Err()}
	}
	b.mu.Lock()
	open, left, last := b.open, time.Until(b.until), b.last
	probe = open && left <= 0 && !b.probing
	if probe {
		b.probing = true
	}
	b.mu.Unlock()
	switch {
	case !open:
		return false, nil
	case probe:
		b.changed(stateHalfOpen)
		return true, nil
	}
	return false, &Error{
		Class: ClassOf(last), RetryAfter: max(left, 0), Provider: info.Provider, Model: info.Name,
		Err: fmt.Errorf("%w after consecutive failures, the last: %w", ErrOpen, last),
	}
}

// probeAnswered closes the breaker at the first delta of the probe. Until an answer completes, one failure opens it
// again.
func (b *breaker) probeAnswered() {
	b.mu.Lock()
	b.open, b.probing, b.failures, b.last = false, false, b.Failures-1, nil
	b.mu.Unlock()
	b.changed(stateClosed)
}

// record updates the state after a request with the given outcome and last error. It is called with probe set if the
// probe ended before its first delta. While the breaker is closed, a success resets the count of failures, and the
// last allowed failure opens the breaker.
func (b *breaker) record(outcome verdict, err error, probe bool) {
	b.mu.Lock()
	wasOpen := b.open
	switch {
	case probe: // without a verdict the breaker stays open, and the next request is the probe
		b.probing = false
		b.open = outcome != up
		if outcome == down {
			b.trip(err)
		}
	case b.open: // sent before the breaker opened: only the probe counts now
	case outcome == down:
		if b.failures++; b.failures >= b.Failures {
			b.trip(err)
		}
	}
	if outcome == up && !b.open {
		b.failures, b.last = 0, nil
	}
	isOpen := b.open
	b.mu.Unlock()
	switch {
	case isOpen && (probe || !wasOpen): // a failed probe leaves the state half-open
		b.changed(stateOpen)
	case wasOpen && !isOpen:
		b.changed(stateClosed)
	}
}

// trip opens the breaker until Cooldown, or a longer RetryAfter, has passed. The caller holds the mutex.
func (b *breaker) trip(err error) {
	b.open, b.last = true, err
	wait := b.Cooldown
	if e := (*Error)(nil); errors.As(err, &e) {
		wait = max(wait, e.RetryAfter)
	}
	b.until = time.Now().Add(wait)
}

func (b *breaker) changed(to string) {
	if b.OnChange != nil {
		b.OnChange(to)
	}
}
