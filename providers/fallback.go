package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// FallbackOptions say when [Fallback] asks another model. Nil and zero values are the defaults.
type FallbackOptions struct {
	Classes []Class // errors after which the next model is asked; nil: Rate, Transient, Network, Malformed, TooLong

	// OnFallback is called when a model other than the first begins to answer, on the goroutine of the request, with the
	// errors of the models before it, in order. nil: not called.
	OnFallback func(answers Info, failed []error)
}

// defaultClasses are the errors that another service may not have: neither the request nor the key caused them.
var defaultClasses = []Class{Rate, Transient, Network, Malformed, TooLong}

// Fallback returns a model that asks first. If that fails before its first delta with one of the Classes, it asks the
// next of others, and so on. Its Info is that of first. Each of others gets the request adapted to what it supports: at
// most its MaxOutput, and no forced tools if it refuses them. A request with a Schema skips those of others without
// StructuredOutput. If all fail, the error is the last one, and its text names the others.
func Fallback(first Model, o *FallbackOptions, others ...Model) Model {
	f := fallback{*cmp.Or(o, &FallbackOptions{}), append([]Model{first}, others...)}
	if f.Classes == nil {
		f.Classes = defaultClasses
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

// after returns the index of the next model after i that can answer req, or -1.
func (f *fallback) after(i int, req *Request) int {
	for i++; i < len(f.models); i++ {
		if req.Schema == nil || f.models[i].Info().StructuredOutput {
			return i
		}
	}
	return -1
}

// try asks model i. It returns an error if the next model should be asked, and nil once the caller has received the
// answer or a final error.
func (f *fallback) try(
	ctx context.Context, i int, req *Request, failed []error, last bool, yield func(Delta, error) bool,
) error {
	m, begun := f.models[i], false
	if i > 0 {
		req = adapt(req, m.Info())
	}
	for d, err := range m.Stream(ctx, req) {
		if err != nil && !begun {
			if !last && ctx.Err() == nil && slices.Contains(f.Classes, ClassOf(err)) {
				return err
			}
			err = withEarlier(err, failed)
		}
		if err == nil && d.Reading != nil {
			if !yield(d, nil) {
				break
			}
			continue
		}
		if err == nil && !begun && i > 0 && f.OnFallback != nil {
			f.OnFallback(m.Info(), slices.Clone(failed))
		}
		begun = true
		if !yield(d, err) {
			break
		}
	}
	return nil
}

// adapt returns a copy of req without what the model does not support.
func adapt(req *Request, info Info) *Request {
	r := *req
	if info.NoForcedTools && r.Choice == Required {
		r.Choice = Auto
	}
	if info.MaxOutput > 0 {
		r.MaxOutput = min(r.MaxOutput, info.MaxOutput)
	}
	return &r
}

// withEarlier returns err with the errors of the models before it in its text.
func withEarlier(err error, failed []error) error {
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
