package wire

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"

	"github.com/forayhq/foray/providers"
)

// An Answer collects the events of one answer.
type Answer interface {
	// Add takes one event and returns the deltas that can be shown at once.
	Add(Event) ([]providers.Delta, error)
	// Ended reports whether no further event is needed.
	Ended() bool
	// Whole reports whether the answer would be complete if the connection failed now.
	Whole() bool
	// End returns the last deltas of a complete answer, or why it is not complete.
	End(*providers.Request) ([]providers.Delta, error)
}

// Ask implements [providers.Model.Stream] for a dialect over plain HTTP: it encodes req, posts that, and collects the
// answer. An error of encode is of class [providers.Invalid].
func Ask[B any](
	ctx context.Context, r *Reporter, req *providers.Request, encode func(*providers.Request) (B, error),
	post func(context.Context, B) (*http.Response, error), answer func() Answer,
) iter.Seq2[providers.Delta, error] {
	return r.Stream(ctx, func(put func([]providers.Delta) error) error {
		body, err := encode(req)
		if err != nil {
			return r.Wrap(providers.Invalid, err)
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		resp, err := post(ctx, body)
		if err != nil {
			return err
		}
		return r.Collect(resp, req, answer(), put)
	})
}

// Collect reads the answer to req, and puts its deltas as they arrive. It closes the body of resp.
func (r *Reporter) Collect(
	resp *http.Response, req *providers.Request, a Answer, put func([]providers.Delta) error,
) error {
	events := NewEvents(resp, r)
	defer events.Close()
	for !a.Ended() {
		event, err := events.Next()
		if err == io.EOF || err != nil && a.Whole() && IsHarmless(err) {
			break
		}
		if err != nil {
			return err
		}
		deltas, err := a.Add(event)
		if err != nil {
			return err
		}
		if err := put(deltas); err != nil {
			return err
		}
		events.Settle(a.Whole())
	}
	events.End()
	deltas, err := a.End(req)
	if err != nil {
		return err
	}
	return put(deltas)
}

// IsHarmless reports whether err after the end of an answer loses nothing of it: the connection failed, or the server
// sends more without an end.
func IsHarmless(err error) bool {
	e, ok := errors.AsType[*providers.Error](err)
	return !ok || e.Class == providers.TooLong
}
