package gemini

import (
	"context"
	"io"
	"net/http"

	"github.com/forayhq/foray/providers/internal/geminiwire"
)

// An exchange is the transport under the library: it turns an answer without success into an error with its headers,
// and hands a stream to its tap event by event.
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

// A tap is where the events of one answer come out as the service wrote them. It goes by the context of the request to
// the exchange, for the library has no other way there: what it makes of an event itself is without calls' numbers and
// unknown parts, and it panics on events of another form.
type tap struct {
	event []byte // the event that the library yields now
	cut   bool   // the body ended in it
	err   error  // why there is no next one; io.EOF at the end
}

type tapKey struct{}

func (t *tap) into(ctx context.Context) context.Context { return context.WithValue(ctx, tapKey{}, t) }

// ticks is the body that the library reads: an empty event for each that the tap gets. The library reads no further
// while it yields one. It never fails, for the library would print why.
type ticks struct {
	tap    *tap
	events *geminiwire.Events
	out    string
}

// Read gives the rest of the empty event, or waits for the next event.
func (t *ticks) Read(p []byte) (int, error) {
	if t.out == "" {
		if t.tap.event, t.tap.err = t.events.Next(); t.tap.err != nil {
			return 0, io.EOF
		}
		t.tap.cut, t.out = t.events.Cut(), "data: {}\n\n"
	}
	n := copy(p, t.out)
	t.out = t.out[n:]
	return n, nil
}

// Close frees the connection.
func (t *ticks) Close() error { return t.events.Close() }
