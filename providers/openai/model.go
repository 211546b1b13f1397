package openai

import (
	"context"
	"iter"
	"net/http"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
)

// Stream sends req and yields the answer as it arrives.
func (m *Model) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	encode := func(req *providers.Request) ([]byte, error) { return m.form.encode(m, req) }
	post := func(ctx context.Context, body []byte) (*http.Response, error) { return m.post(ctx, m.form.path, body) }
	return wire.Ask(ctx, m.report, req, encode, post, func() wire.Answer { return m.form.answer(m) })
}

// post sends a body to a path below the base URL. A status that is not a success is an error.
func (m *Model) post(ctx context.Context, path string, body []byte) (*http.Response, error) {
	req, err := wire.Post(ctx, m.base.String()+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream, application/json")
	if m.config.Key != "" {
		req.Header.Set("Authorization", "Bearer "+m.config.Key)
	}
	if m.config.Organization != "" {
		req.Header.Set("OpenAI-Organization", m.config.Organization)
	}
	for name, value := range m.config.ExtraHeaders {
		req.Header.Set(name, value)
	}
	return wire.Do(m.http, req, m.statusError)
}
