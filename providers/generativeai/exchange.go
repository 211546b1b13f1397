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
	return resp, x.whole(resp)
}

// whole checks that an answer that is no stream is JSON: the library would put all of a web page into its error.
func (x *exchange) whole(resp *http.Response) error {
	start := make([]byte, 1)
	n, err := io.ReadFull(resp.Body, start)
	if err != nil && err != io.EOF {
		resp.Body.Close()
		return err
	}
	if n == 0 || start[0] != '{' {
		resp.Body.Close()
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

// rewritten returns an event as the library can read it without loss: arguments are packed with the id of their call,
// and thoughts, which the library takes for text, are left out. An error of the service is returned as one.
func (m *Model) rewritten(event []byte) ([]byte, error) {
	if bytes.Contains(event, []byte(`"error"`)) {
		if f := readFault(event); f.Message != "" || f.Status != "" {
			return nil, m.classify(f, 0)
		}
	}
	if !bytes.Contains(event, []byte(`"functionCall"`)) && !bytes.Contains(event, []byte(`"thought"`)) {
		return event, nil
	}
	var whole map[string]json.RawMessage
	var candidates []map[string]json.RawMessage
	if json.Unmarshal(event, &whole) != nil || json.Unmarshal(whole["candidates"], &candidates) != nil {
		return event, nil // the library says what is wrong
	}
	for _, candidate := range candidates {
		var content map[string]json.RawMessage
		var parts []map[string]json.RawMessage
		if json.Unmarshal(candidate["content"], &content) != nil || json.Unmarshal(content["parts"], &parts) != nil {
			continue
		}
		kept, err := rewrittenParts(parts)
		if err != nil {
			return nil, m.error(providers.Malformed, "reading a part of the answer: "+err.Error())
		}
		if content["parts"], err = json.Marshal(kept); err != nil {
			return nil, m.error(providers.Malformed, err.Error())
		}
		if candidate["content"], err = json.Marshal(content); err != nil {
			return nil, m.error(providers.Malformed, err.Error())
		}
	}
	var err error
	if whole["candidates"], err = json.Marshal(candidates); err != nil {
		return nil, m.error(providers.Malformed, err.Error())
	}
	return json.Marshal(whole)
}

func rewrittenParts(parts []map[string]json.RawMessage) ([]map[string]json.RawMessage, error) {
	kept := make([]map[string]json.RawMessage, 0, len(parts))
	for _, part := range parts {
		if string(part["thought"]) == "true" {
			continue
		}
		if raw, isCall := part["functionCall"]; isCall {
			var call struct {
				ID   string          `json:"id"`
				Name string          `json:"name"`
				Args json.RawMessage `json:"args,omitempty"`
			}
			if err := json.Unmarshal(raw, &call); err != nil {
				return nil, err
			}
			var err error
			if call.Args, err = packed(call.ID, call.Args); err != nil {
				return nil, err
			}
			call.ID = ""
			if part["functionCall"], err = json.Marshal(call); err != nil {
				return nil, err
			}
		}
		kept = append(kept, part)
	}
	return kept, nil
}

// isPage reports whether an answer is a web page.
func isPage(resp *http.Response, start []byte) bool {
	return strings.Contains(resp.Header.Get("Content-Type"), "html") || bytes.HasPrefix(bytes.TrimSpace(start), []byte("<"))
}
