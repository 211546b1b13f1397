package providers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Class says what can be done about a model's error.
type Class string

// The classes of errors.
const (
	Auth      Class = "auth"      // the key is missing, wrong or not permitted: stop and ask the user
	Invalid   Class = "invalid"   // the service rejects the request: stop
	Overflow  Class = "overflow"  // the request is longer than the window: shrink it and try again
	Rate      Class = "rate"      // too many requests, or the quota is used up: wait for RetryAfter
	Transient Class = "transient" // the service failed: try again
	Refused   Class = "filtered"  // the provider withheld or refused the content: stop
	Network   Class = "network"   // the service was not reached, or the answer broke off: try again
	Malformed Class = "malformed" // the answer is not in this dialect: wrong address, or a broken proxy
	Cancelled Class = "cancelled" // the caller's context ended
	Spent     Class = "spent"     // a [Meter] reached its bound on the cost: stop
	Repeating Class = "repeating" // the answer repeated itself and was stopped by [Bound]: ask once more, warmer
	TooLong   Class = "too long"  // the service did not end its answer: take what arrived
)

// An Error is a model's error with its class. It never contains a key.
type Error struct {
	Class      Class
	Status     int           // HTTP; 0: none
	Code       string        // the provider's own code; may be empty
	RetryAfter time.Duration // how long the provider asks to wait; 0: it does not say
	Limit      int           // Overflow: the provider's limit in tokens; 0: it does not say
	Tokens     int           // Overflow: the request's size in tokens; 0: it does not say
	Tail       int           // Repeating: bytes at the end of the text that arrived which only repeat what is before them
	Provider   string
	Model      string
	Err        error
}

// Error returns the provider, the model, the class and the cause, as far as they are set.
func (e *Error) Error() string {
	var parts []string
	if name := strings.Trim(e.Provider+"/"+e.Model, "/"); name != "" {
		parts = append(parts, name)
	}
	class := string(e.Class)
	if e.Status != 0 {
		class = strings.TrimSpace(fmt.Sprintf("%s (HTTP %d)", class, e.Status))
	}
	if class != "" {
		parts = append(parts, class)
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	return strings.Join(parts, ": ")
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ClassOf returns the class of the [*Error] in the chain of err, [Cancelled] if a context ended, and "" for nil and any
// other error. Do not retry an error without a class.
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

// Errors in a configuration. The user can correct them.
var (
	ErrNotEncrypted = errors.New("plain HTTP to a remote host exposes the key")
	ErrKeyForm      = errors.New("the key contains a space, a line break or a non-ASCII character")
	ErrModelName    = errors.New("it cannot be part of a URL")
	ErrNoCompaction = errors.New("server compaction is not available")
)
