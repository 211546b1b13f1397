package providers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// FallbackOptions say when Fallback asks another model. Nil and zero values are the defaults.
type FallbackOptions struct {
	Classes []Class // of errors after which the next model is asked; nil: Rate, Transient, Network, Malformed

	OnFallback func(FallbackEvent) // told when another model than the first begins to answer, on the goroutine of the request
}

// A FallbackEvent is an answer by another model than the first: by which, and the errors of those before it, in order.
type FallbackEvent struct {
	Model  Info
	Failed []error
}

// defaultFalls are the classes that say something about a service and nothing about the request or the key.
var defaultFalls = []Class{Rate, Transient, Network, Malformed}

// Fallback returns the model that asks first, and the others in their order when those before failed with one of the
// classes and before their first delta. Info is that of first; a request is put the way another model supports it: at
// most its MaxOutput, no forced tools where it has none; and with a Schema only models with StructuredOutput are asked.
// When all fail the error is the last one's, and its text names the others.
func Fallback(first Model, o *FallbackOptions, others ...Model) Model {
	f := fallback{models: append([]Model{first}, others...)}
	if o != nil {
		f.FallbackOptions = *o
	}
	if f.Classes == nil {
		f.Classes = defaultFalls
	}
	f.Classes = slices.Clone(f.Classes)
	return layer{first, f.stream}
}

type fallback struct {
	FallbackOptions
	models []Model
}

func (f *fallback) stream(ctx context.Context, req *Request, yield func(Delta, error) bool) {
	var failed []error
	for i := 0; i >= 0; {
		next := f.after(i, req)
		err := f.try(ctx, i, req, failed, next < 0, yield)
		if err == nil {
			return
		}
		failed, i = append(failed, err), next
	}
}

// after returns the next model that can be asked req after model i; -1 when there is none.
func (f *fallback) after(i int, req *Request) int {
	for i++; i < len(f.models); i++ {
		if req.Schema == nil || f.models[i].Info().StructuredOutput {
			return i
		}
	}
	return -1
}

// try asks one model and returns the error after which the next is asked; nil when the caller has the answer or error.
func (f *fallback) try(ctx context.Context, i int, req *Request, failed []error, last bool, yield func(Delta, error) bool) error {
	m, begun := f.models[i], false
	if i > 0 {
		req = suited(req, m.Info())
	}
	for d, err := range m.Stream(ctx, req) {
		if err != nil && !begun {
			if !last && ctx.Err() == nil && slices.Contains(f.Classes, ClassOf(err)) {
				return err
			}
			err = beside(err, failed)
		}
		if err == nil && !begun && i > 0 && f.OnFallback != nil {
			f.OnFallback(FallbackEvent{Model: m.Info(), Failed: slices.Clone(failed)})
		}
		begun = true
		if !yield(d, err) {
			break
		}
	}
	return nil
}

// suited returns req the way a model supports it, as a copy where that differs.
func suited(req *Request, info Info) *Request {
	r := *req
	if info.NoForcedTools && r.Choice == Required {
		r.Choice = Auto
	}
	if info.MaxOutput > 0 {
		r.MaxOutput = min(r.MaxOutput, info.MaxOutput)
	}
	return &r
}

// beside returns err with the errors of the models before it in its text.
func beside(err error, failed []error) error {
	var e *Error
	if len(failed) == 0 || !errors.As(err, &e) {
		return err
	}
	texts := make([]string, len(failed))
	for i, before := range failed {
		texts[i] = before.Error()
	}
	whole := *e
	whole.Err = fmt.Errorf("%w (asked before: %s)", e.Err, strings.Join(texts, "; "))
	return &whole
}
