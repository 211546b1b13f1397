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

// ErrOpen is in the chain of the error of a request that an open Breaker did not send.
var ErrOpen = errors.New("the breaker is open")

// A BreakerState says what a Breaker does with requests.
type BreakerState string

// The states of a breaker.
const (
	BreakerClosed   BreakerState = "closed"    // all requests are sent
	BreakerOpen     BreakerState = "open"      // none is sent
	BreakerHalfOpen BreakerState = "half-open" // one is sent, the probe, and decides
)

// BreakerOptions say when a Breaker opens and for how long. Nil and zero values are the defaults.
type BreakerOptions struct {
	Failures int                // failures one after another that open it; 0: 5
	Cooldown time.Duration      // from opening to the probe; longer where the last failure's RetryAfter is; 0: 30 s
	OnChange func(BreakerState) // told of each change, on the goroutine of the request that made it; nil: nobody
}

const (
	defaultFailures = 5
	defaultCooldown = 30 * time.Second
)

// Breaker returns m with its requests no longer sent after Failures failures one after another of a service that is
// down or full: errors of class Network, of class Rate, and of class Transient with a status of 5xx or none. Any answer
// begun, and any other error of the service, says that it is up; a request that its caller ended says nothing. While
// open, each request fails at once with the class of the last failure, ErrOpen, and a RetryAfter until the next probe.
// After Cooldown one single request is sent, the probe: its first delta closes the breaker, its failure opens it again,
// and the end of its context leaves it to the next request. All users of the returned model share the breaker.
func Breaker(m Model, o *BreakerOptions) Model {
	b := &breaker{model: m}
	if o != nil {
		b.BreakerOptions = *o
	}
	b.Failures = cmp.Or(b.Failures, defaultFailures)
	b.Cooldown = cmp.Or(b.Cooldown, defaultCooldown)
	return layer{m, b.stream}
}

// A breaker guards its state with one mutex that is never held while calling out.
type breaker struct {
	BreakerOptions
	model Model

	mu       sync.Mutex
	failures int // one after another
	open     bool
	probing  bool      // open, and the probe is under way
	until    time.Time // open: when the next probe may go
	last     error     // open: what the last failure was
}

// A verdict is what a request tells about its service.
type verdict int

const (
	nothing verdict = iota
	up
	down
)

func (b *breaker) stream(ctx context.Context, req *Request, yield func(Delta, error) bool) {
	probe, err := b.admit(ctx)
	if err != nil {
		yield(Delta{}, err)
		return
	}
	told, last := nothing, error(nil)
	defer func() { b.judge(told, last, probe) }() // also when the caller panics: a probe must not stay under way
	for d, err := range b.model.Stream(ctx, req) {
		switch {
		case err != nil:
			told, last = judged(err), err
		case probe:
			b.answers()
			probe, told = false, up
		default:
			told = up
		}
		if !yield(d, err) {
			return
		}
	}
}

// judged returns what an error tells about the service that made it.
func judged(err error) verdict {
	var e *Error
	if !errors.As(err, &e) {
		return nothing
	}
	switch e.Class {
	case Network, Rate:
		return down
	case Transient:
		if e.Status == 0 || e.Status >= http.StatusInternalServerError {
			return down
		}
		return up
	case Auth, Invalid, Overflow, Refused:
		return up
	case Malformed, Cancelled, Spent:
		return nothing
	}
	return nothing
}

// admit returns whether the next request is the probe, or why it is not sent.
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
		b.changed(BreakerHalfOpen)
		return true, nil
	}
	return false, &Error{
		Class: ClassOf(last), RetryAfter: max(left, 0), Provider: info.Provider, Model: info.Name,
		Err: fmt.Errorf("%w after failures one after another, the last: %w", ErrOpen, last),
	}
}

// answers closes the breaker, for its probe is answered. The next failure opens it again, until an answer comes whole.
func (b *breaker) answers() {
	b.mu.Lock()
	b.open, b.probing, b.failures, b.last = false, false, b.Failures-1, nil
	b.mu.Unlock()
	b.changed(BreakerClosed)
}

// judge takes what a request that is over told about the service.
func (b *breaker) judge(told verdict, err error, probe bool) {
	b.mu.Lock()
	was := b.open
	switch {
	case probe:
		b.probing = false
		b.open = told != up
		if told == down {
			b.trip(err)
		}
	case b.open: // sent before the breaker opened: the probe decides
	case told == down:
		if b.failures++; b.failures >= b.Failures {
			b.trip(err)
		}
	}
	if told == up && !b.open {
		b.failures, b.last = 0, nil
	}
	open := b.open
	b.mu.Unlock()
	switch {
	case open && (probe || !was):
		b.changed(BreakerOpen)
	case was && !open:
		b.changed(BreakerClosed)
	}
}

// trip opens the breaker. The mutex is held.
func (b *breaker) trip(err error) {
	b.open, b.last = true, err
	wait := b.Cooldown
	if e := (*Error)(nil); errors.As(err, &e) {
		wait = max(wait, e.RetryAfter)
	}
	b.until = time.Now().Add(wait)
}

func (b *breaker) changed(to BreakerState) {
	if b.OnChange != nil {
		b.OnChange(to)
	}
}
