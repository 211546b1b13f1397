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
	return m.report.Stream(ctx, func(put func([]providers.Delta) error) error { return m.stream(ctx, req, put) })
}

func (m *Model) stream(ctx context.Context, req *providers.Request, put func([]providers.Delta) error) error {
	body, err := m.form.encode(m, req)
	if err != nil {
		return m.report.Wrap(providers.Invalid, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	x := &exchange{model: m, body: body}
	stream, err := m.form.open(ctx, m.client(x))
	if err != nil {
		return err
	}
	defer stream.Close()
	a := m.form.answer(m)
	for !a.ended() {
		raw, err := stream.RecvRaw()
		if err == io.EOF || err != nil && a.whole() && !isError(err) { // what broke behind the finish is not missed
			break
		}
		if err != nil {
			return err
		}
		deltas, err := a.add(raw)
		if err != nil {
			return err
		}
		if err := put(deltas); err != nil {
			return err
		}
	}
	x.events.done = true
	deltas, err := a.end(req)
	if err != nil {
		return err
	}
	return put(deltas)
}

// isError reports whether err was told by the server, and not by the transport.
func isError(err error) bool {
	_, ok := errors.AsType[*providers.Error](err)
	return ok
}

// client returns a client of the library for one request.
func (m *Model) client(x *exchange) *library.Client {
	c := library.DefaultConfig(m.config.Key)
	c.BaseURL, c.OrgID, c.HTTPClient = m.base.String(), m.config.Organization, x
	return library.NewClientWithConfig(c)
}
