package providers

import (
	"context"
	"iter"
	"time"
)

// A layer is a model around another. Its Info is that of the model within; each answer runs through stream, which keeps
// the contract: deltas in their order, an error last, and when yield returns false the request within is over.
type layer struct {
	Model
	stream func(ctx context.Context, req *Request, yield func(Delta, error) bool)
}

// Stream sends req through the layer.
func (l layer) Stream(ctx context.Context, req *Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) { l.stream(ctx, req, yield) }
}

// pass yields an answer as it comes.
func pass(answer iter.Seq2[Delta, error], yield func(Delta, error) bool) {
	for d, err := range answer {
		if !yield(d, err) {
			return
		}
	}
}

// refuse yields an error of class that the layer makes itself, in the name of the model within.
func refuse(m Model, class Class, cause error, yield func(Delta, error) bool) {
	info := m.Info()
	yield(Delta{}, &Error{Class: class, Provider: info.Provider, Model: info.Name, Err: cause})
}

// pause returns after d, or with the error of ctx as soon as that ends.
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
