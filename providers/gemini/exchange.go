package gemini

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/forayhq/foray/providers"
)

// An exchange is the transport under the library: it turns an answer without success into an error with its headers,
// and hands a stream to its tap event by event.
type exchange struct {
	model *Model
	under http.RoundTripper
}

// RoundTrip sends a request of the library.
func (x *exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := x.under.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer resp.Body.Close()
		return nil, x.model.refused(resp)
	}
	if t, ok := req.Context().Value(tapKey{}).(*tap); ok {
		resp.Body = &ticks{tap: t, events: newEvents(x.model, resp)}
		return resp, nil
	}
	if err := x.whole(resp); err != nil {
		resp.Body.Close()
		return nil, err
	}
	return resp, nil
}

// whole checks that an answer that is no stream is JSON: the library would put all of a web page into its error.
func (x *exchange) whole(resp *http.Response) error {
	start := make([]byte, 1)
	n, err := io.ReadFull(resp.Body, start)
	if err != nil && err != io.EOF {
		return err
	}
	if n == 0 || start[0] != '{' {
		return x.model.error(providers.Malformed, "the service answered with something other than JSON"+x.model.hint())
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(start), resp.Body), resp.Body}
	return nil
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
	events *events
	out    string
}

// Read gives the rest of the empty event, or waits for the next event.
func (t *ticks) Read(p []byte) (int, error) {
	if t.out == "" {
		if t.tap.event, t.tap.err = t.events.next(); t.tap.err != nil {
			return 0, io.EOF
		}
		t.tap.cut, t.out = t.events.cut, "data: {}\n\n"
	}
	n := copy(p, t.out)
	t.out = t.out[n:]
	return n, nil
}

// Close frees the connection.
func (t *ticks) Close() error {
	t.events.body.Close()
	return nil
}

// isPage reports whether an answer is a web page.
func isPage(resp *http.Response, start []byte) bool {
	return strings.Contains(resp.Header.Get("Content-Type"), "html") || bytes.HasPrefix(bytes.TrimSpace(start), []byte("<"))
}
