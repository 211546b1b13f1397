package gemini

import (
	"context"
	"io"
	"iter"

	library "google.golang.org/genai"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
)

// Stream sends req and yields the answer as it arrives.
func (m *Model) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return m.service.Stream(ctx, func(put func([]providers.Delta) error) error { return m.stream(ctx, req, put) })
}

func (m *Model) stream(ctx context.Context, req *providers.Request, put func([]providers.Delta) error) error {
	body, err := m.encode(req)
	if err != nil {
		return m.service.Wrap(providers.Invalid, err)
	}
	once := false // the library must not continue an answer by itself
	config := &library.GenerateContentConfig{HTTPOptions: replaced(body), AutomaticContinuation: &once}
	a := answer{model: m}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	var t tap
	for _, err := range m.client.Models.GenerateContentStream(t.into(inner), m.config.Name, nil, config) {
		if err != nil {
			return err
		}
		deltas, err := a.add(t.event.Data)
		if err == nil {
			err = put(deltas)
		}
		t.settled = a.settled
		if err != nil {
			return err
		}
	}
	if t.err != nil && t.err != io.EOF && !(a.settled && wire.IsHarmless(t.err)) {
		return t.err
	}
	deltas, err := a.end(req)
	if err != nil {
		return err
	}
	return put(deltas)
}

// replaced makes the library send body instead of its own.
func replaced(body map[string]any) *library.HTTPOptions {
	return &library.HTTPOptions{ExtrasRequestProvider: func(map[string]any) map[string]any { return body }}
}
