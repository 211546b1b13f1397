package gemini

import (
	"context"
	"io"
	"net/http"

	"github.com/forayhq/foray/providers/internal/geminiwire"
	"github.com/forayhq/foray/providers/internal/wire"
)

// An exchange is the transport below the library. It returns an answer without success as an error with its headers,
// and passes the events of a stream to a tap.
type exchange struct {
	service *geminiwire.Service
	under   http.RoundTripper
}

// RoundTrip sends a request of the library.
func (x *exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := x.service.Send(x.under, req)
	if err != nil {
		return nil, err
	}
	if t, ok := req.Context().Value(tapKey{}).(*tap); ok {
		resp.Body = &ticks{tap: t, events: x.service.Events(resp)}
		return resp, nil
	}
	return x.service.Whole(resp)
}

// A tap receives the events of one answer as the service wrote them. The library's own decoder loses the numbers of
// calls and unknown parts, and panics on events of another form. The tap reaches the exchange in the context of the
// request, because the library offers no other way.
type tap struct {
	event   wire.Event // that the library yields now
	err     error      // why no event follows; io.EOF at the end
	settled bool       // the answer would be complete if the body ended now
}

type tapKey struct{}

func (t *tap) into(ctx context.Context) context.Context { return context.WithValue(ctx, tapKey{}, t) }

// ticks is the body that the library reads: one empty event for each event of the tap. The library does not read ahead.
// Read never fails, because the library would print the error.
type ticks struct {
	tap    *tap
	events *wire.Events
	out    string
}

// Read returns the rest of an empty event, or waits for the next event.
func (t *ticks) Read(p []byte) (int, error) {
	if t.out == "" {
		t.events.Settle(t.tap.settled)
		if t.tap.event, t.tap.err = t.events.Next(); t.tap.err != nil {
			return 0, io.EOF
		}
		t.out = "data: {}\n\n"
	}
	n := copy(p, t.out)
	t.out = t.out[n:]
	return n, nil
}

// Close frees the connection.
func (t *ticks) Close() error { return t.events.Close() }
