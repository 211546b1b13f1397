package generativeai

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/geminiwire"
	"github.com/forayhq/foray/providers/internal/wire"
)

// An exchange is the transport below the library. It moves the key from the URL into a header, returns an answer
// without success as an error with its headers, and rewrites a stream so that the library loses nothing.
type exchange struct {
	service *geminiwire.Service
	key     string
	under   http.RoundTripper
}

// RoundTrip sends a request of the library.
func (x *exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("X-Goog-Api-Key", x.key)
	streamed := strings.HasSuffix(req.URL.Path, ":streamGenerateContent")
	query := req.URL.Query()
	query.Del("key")
	if streamed { // every service of this dialect sends events; the library asks for a list with numbers as names
		query.Del("$alt")
		query.Set("alt", "sse")
	}
	req.URL.RawQuery = query.Encode()
	resp, err := x.service.Send(x.under, req)
	if err != nil {
		return nil, err
	}
	if streamed {
		resp.Body = &list{service: x.service, events: x.service.Events(resp), out: []byte("[")}
		return resp, nil
	}
	return x.service.Whole(resp)
}

// A list is a stream as the library reads it: a list of objects. Errors inside the stream, which the library would take
// for empty answers, are errors of Read.
type list struct {
	service *geminiwire.Service
	events  *wire.Events
	out     []byte // not read yet
	begun   bool   // an element was written
	settled bool   // the answer would be complete if the body ended now
	err     error
}

// Read returns the rest of an element, or waits for the next one.
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
func (l *list) Close() error { return l.events.Close() }

// next writes the next event to out.
func (l *list) next() error {
	next, err := l.events.Next()
	if err == io.EOF {
		l.out = append(l.out[:0], ']')
		return err
	}
	if err != nil {
		return err
	}
	if !next.JSON {
		return l.service.Error(providers.Malformed, "an event of the answer is not JSON: "+string(next.Data))
	}
	l.settled = isSettled(next.Data, l.settled)
	l.events.Settle(l.settled)
	event, err := rewritten(l.service, next.Data)
	if err != nil {
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

// isSettled reports whether an answer would be complete if the body ended after event; before says so for the event
// before. A finish settles an answer, unless its event has content, as from some proxies.
func isSettled(event []byte, before bool) bool {
	var e struct {
		Candidates []struct {
			FinishReason json.RawMessage `json:"finishReason"`
			Content      struct {
				Parts []json.RawMessage `json:"parts"`
			} `json:"content"`
		} `json:"candidates"`
	}
	if !before && !bytes.Contains(event, []byte(`"finishReason"`)) || json.Unmarshal(event, &e) != nil {
		return false
	}
	for _, c := range e.Candidates {
		if len(c.Content.Parts) > 0 {
			return false
		}
		before = before || len(c.FinishReason) > 0 && string(c.FinishReason) != "null"
	}
	return before
}
