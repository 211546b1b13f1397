package providers

import (
	"context"
	"iter"
	"time"
)

// A layer is a model around another, with the same Info. Each answer runs through stream, which keeps the contract:
// deltas in order, an error last, and when yield returns false the inner request ends.
type layer struct {
	Model
	stream func(ctx context.Context, req *Request, yield func(Delta, error) bool)
}

// Stream sends req through the layer.
func (l layer) Stream(ctx context.Context, req *Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) { l.stream(ctx, req, yield) }
}

// pass yields an answer as it arrives.
func pass(answer iter.Seq2[Delta, error], yield func(Delta, error) bool) {
	for d, err := range answer {
		if !yield(d, err) {
			return
		}
	}
}

// refuse yields an error that the layer itself makes, with the provider and name of the inner model.
func refuse(m Model, class Class, cause error, yield func(Delta, error) bool) {
	info := m.Info()
	yield(Delta{}, &Error{Class: class, Provider: info.Provider, Model: info.Name, Err: cause})
}

// pause returns after d, or earlier with the error of ctx.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
