package openai

import (
	"context"
	"errors"
	"io"
	"iter"

	library "github.com/sashabaranov/go-openai"

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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// The request that the library builds is empty: exchange sends ours.
	stream, err := m.client(body).CreateChatCompletionStream(ctx, library.ChatCompletionRequest{})
	if err != nil {
		return err
	}
	defer stream.Close()
	a := answer{model: m}
	for {
		raw, err := stream.RecvRaw()
		switch {
		case err == io.EOF, err != nil && a.finish != "" && !isError(err): // what broke behind the finish is not missed
			deltas, err := a.end(req)
			if err != nil {
				return err
			}
			return pass(ctx, deltas, yield)
		case err != nil:
			return err
		}
		deltas, err := a.add(raw)
		if err != nil {
			return err
		}
		if err := pass(ctx, deltas, yield); err != nil {
			return err
		}
	}
}

// isError reports whether err was told by the server, and not by the transport.
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

// client returns a client of the library for one request.
func (m *Model) client(body []byte) *library.Client {
	c := library.DefaultConfig(m.config.Key)
	c.BaseURL, c.OrgID = m.base.String(), m.config.Organization
	c.HTTPClient = &exchange{model: m, body: body}
	return library.NewClientWithConfig(c)
}
