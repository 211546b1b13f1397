package gemini

import (
	"context"
	"errors"
	"io"
	"iter"

	library "google.golang.org/genai"

	"github.com/forayhq/foray/providers"
)

// Stream sends req and yields the answer as it comes.
func (m *Model) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		if err := m.stream(ctx, req, yield); err != nil && !errors.Is(err, errBrokenOff) {
			yield(providers.Delta{}, m.failed(ctx, err))
		}
	}
}

// errBrokenOff says that the caller has seen enough.
var errBrokenOff = errors.New("broken off")

func (m *Model) stream(ctx context.Context, req *providers.Request, yield func(providers.Delta, error) bool) error {
	body, err := m.encode(req)
	if err != nil {
		return m.wrap(providers.Invalid, err)
	}
	once := false // one request an answer, and no other without being asked for
	config := &library.GenerateContentConfig{HTTPOptions: replaced(body), AutomaticContinuation: &once}
	a := answer{model: m}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	var t tap
	for _, err := range m.client.Models.GenerateContentStream(t.into(inner), m.config.Name, nil, config) {
		if err != nil {
			return err
		}
		deltas, err := a.add(t.event, t.cut)
		if err != nil && a.finish != "" && !isError(err) {
			break
		}
		if err != nil {
			return err
		}
		if err := pass(ctx, deltas, yield); err != nil {
			return err
		}
	}
	if t.err != nil && t.err != io.EOF && (a.finish == "" || isError(t.err)) { // what broke behind the finish is not missed
		return t.err
	}
	deltas, err := a.end(req)
	if err != nil {
		return err
	}
	return pass(ctx, deltas, yield)
}

// replaced makes the library send body in place of what it builds.
func replaced(body map[string]any) *library.HTTPOptions {
	return &library.HTTPOptions{ExtrasRequestProvider: func(map[string]any) map[string]any { return body }}
}

// isError reports whether err was told by the service, and not by the transport.
func isError(err error) bool {
	var e *providers.Error
	return errors.As(err, &e)
}

// pass yields deltas, until the context ends.
func pass(ctx context.Context, deltas []providers.Delta, yield func(providers.Delta, error) bool) error {
	for _, d := range deltas {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !yield(d, nil) {
			return errBrokenOff
		}
	}
	return nil
}
