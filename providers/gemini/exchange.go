package gemini

import (
	"context"
	"io"
	"net/http"

	"github.com/forayhq/foray/providers/internal/geminiwire"
	"github.com/forayhq/foray/providers/internal/wire"
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
	event wire.Event // the event that the library yields now
	err   error      // why no event follows; io.EOF at the end
}

type tapKey struct{}

func (t *tap) into(ctx context.Context) context.Context { return context.WithValue(ctx, tapKey{}, t) }

// ticks is the body that the library reads: an empty event for each that the tap gets. The library reads no further
// while it yields one. It never fails, for the library would print why.
type ticks struct {
	tap    *tap
	events *wire.Events
	out    string
}

// Read gives the rest of the empty event, or waits for the next event.
func (t *ticks) Read(p []byte) (int, error) {
	if t.out == "" {
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
