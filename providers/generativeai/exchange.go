package generativeai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/forayhq/foray/providers"
)

// An exchange is the transport under the library: it puts the key into its header and takes it out of the URL, turns an
// answer without success into an error with its headers, and hands up a stream in which nothing is lost.
type exchange struct {
	model *Model
	under http.RoundTripper
}

// RoundTrip sends a request of the library.
func (x *exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("X-Goog-Api-Key", x.model.config.Key)
	streamed := strings.HasSuffix(req.URL.Path, ":streamGenerateContent")
	query := req.URL.Query()
	query.Del("key")
	if streamed { // events, which all services of this dialect have, in place of a list with numbers for names
		query.Del("$alt")
		query.Set("alt", "sse")
	}
	req.URL.RawQuery = query.Encode()
	resp, err := x.under.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer resp.Body.Close()
		return nil, x.model.refused(resp)
	}
	if streamed {
		resp.Body = &list{model: x.model, events: newEvents(x.model, resp), out: []byte("[")}
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

// A list is a stream as the library reads it: a list of objects. Errors inside the stream, which the library would
// take for empty answers, are errors of Read.
type list struct {
	model  *Model
	events *events
	out    []byte // what Read has still to give
	begun  bool   // an element was given
	err    error
}

// Read gives the rest of an element, or waits for the next one.
func (l *list) Read(p []byte) (int, error) {
	if len(l.out) == 0 && l.err == nil {
		l.err = l.next()
	}
	n := copy(p, l.out)
	if l.out = l.out[n:]; n > 0 {
		return n, nil
	}
	return 0, l.err
}

// Close frees the connection.
func (l *list) Close() error { return l.events.body.Close() }

// next puts the next event into out.
func (l *list) next() error {
	event, err := l.events.next()
	if err == io.EOF {
		l.out = append(l.out[:0], ']')
		return err
	}
	if err != nil {
		return err
	}
	switch {
	case json.Valid(event):
	case l.events.cut:
		return fmt.Errorf("an event of the answer is cut: %w", io.ErrUnexpectedEOF)
	default:
		return l.model.error(providers.Malformed, "an event of the answer is not JSON: "+string(event))
	}
	if event, err = l.model.rewritten(event); err != nil {
		return err
	}
	l.out = l.out[:0]
	if l.begun {
		l.out = append(l.out, ',')
	}
	l.begun = true
	l.out = append(l.out, event...)
	return nil
}

// isPage reports whether an answer is a web page.
func isPage(resp *http.Response, start []byte) bool {
	return strings.Contains(resp.Header.Get("Content-Type"), "html") || bytes.HasPrefix(bytes.TrimSpace(start), []byte("<"))
}
