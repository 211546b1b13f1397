package providers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Class says what can be done about an error of a model.
type Class string

// The classes of errors.
const (
	Auth      Class = "auth"      // the key is missing, wrong or not allowed: stop, ask the user
	Invalid   Class = "invalid"   // the request itself is refused: stop
	Overflow  Class = "overflow"  // the request is longer than the window: shrink and try again
	Rate      Class = "rate"      // too many requests or no quota left: wait RetryAfter
	Transient Class = "transient" // the service failed: try again
	Refused   Class = "filtered"  // the provider withheld or refused the content: stop
	Network   Class = "network"   // the service was not reached or the answer broke off: try again
	Malformed Class = "malformed" // the answer is not one of this dialect: no model endpoint, a broken proxy
	Cancelled Class = "cancelled" // the caller's context ended
	Spent     Class = "spent"     // a Meter's bound on the cost is reached: stop
)

// An Error is an error of a model, with its class. It never holds a key.
type Error struct {
	Class      Class
	Status     int           // HTTP status; 0: none
	Code       string        // the provider's own code, if any
	RetryAfter time.Duration // how long the provider asks to wait; 0: not said
	Limit      int           // Overflow: the provider's limit in tokens, if it said so
	Tokens     int           // Overflow: the request's size in tokens, if it said so
	Provider   string
	Model      string
	Err        error
}

// Error says the provider, the model, the class and the cause.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s: %s", e.Provider, e.Model, e.Class)
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ClassOf returns the class of err: that of the *Error in its chain, Cancelled for the end of a context, and "" for nil
// and for an error that no model made. An error without a class is nothing to try again.
func ClassOf(err error) Class {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Class
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Cancelled
	}
	return ""
}

// Errors of a configuration that the user can correct.
var (
	ErrNotEncrypted = errors.New("plain HTTP to a remote host exposes the key")
	ErrKeyForm      = errors.New("the key holds a space, a line end or a character that is not ASCII")
	ErrModelName    = errors.New("it cannot be part of a URL")
)
