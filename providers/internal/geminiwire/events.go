package geminiwire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
)

// maxEvent is how long one event may be, in bytes: far above any answer, and below what would fill the memory.
const maxEvent = 32 << 20

// Events is the body of a stream as texts that are to be JSON objects: server-sent events, or the list of objects that
// the service sends to those who do not ask for events.
type Events struct {
	service *Service
	head    http.Header
	body    io.ReadCloser
	in      *bufio.Reader
	list    *json.Decoder // of a body that is a list; nil: events
	begun   bool
	cut     bool
	data    []byte // the event under way
	lines   []byte // a line longer than the buffer
}

// Events returns the events of an answer, whose body they read.
func (s *Service) Events(resp *http.Response) *Events {
	return &Events{service: s, head: resp.Header, body: resp.Body, in: bufio.NewReader(resp.Body)}
}

// Cut reports whether the body ended in the event that Next returned last, so that this may be a part of one.
func (e *Events) Cut() bool { return e.cut }

// Close frees the connection.
func (e *Events) Close() error { return e.body.Close() }

// Next returns the next event, valid until the one after it, and io.EOF at the end of the body. It may be no JSON.
func (e *Events) Next() ([]byte, error) {
	if !e.begun {
		e.begun = true
		if err := e.begin(); err != nil {
			return nil, err
		}
	}
	if e.list != nil {
		return e.element()
	}
	e.data = e.data[:0]
	for {
		line, err := e.line()
		if err != nil && err != io.EOF {
			return nil, err
		}
		if fault := e.take(line); fault != nil {
			return nil, fault
		}
		switch data := bytes.TrimSpace(e.data); {
		case len(line) > 0 && err == nil: // the event may go on
		case len(data) > 0:
			e.cut = err != nil
			return data, nil
		case err != nil:
			return nil, err
		}
	}
}

// mark is the byte order mark, which the form of events allows in front.
const mark = "\ufeff"

// begin looks at the first bytes of the body, which tell a web page and a list from events.
func (e *Events) begin() error {
	if start, err := e.in.Peek(len(mark)); err == nil && string(start) == mark {
		e.in.Discard(len(mark))
	}
	start, err := e.in.Peek(1)
	for err == nil && bytes.ContainsAny(start, " \t\r\n") {
		e.in.Discard(1)
		start, err = e.in.Peek(1)
	}
	switch {
	case err != nil && err != io.EOF:
		return err
	case wire.IsPage(e.head, start):
		return e.service.Misled(providers.Malformed, "the server answered with a web page")
	case string(start) == "[", string(start) == "{":
		e.list = json.NewDecoder(e.in)
		if string(start) == "[" {
			e.list.Token()
		}
	}
	return nil
}

// element returns the next element of a body that is a list, or one object.
func (e *Events) element() ([]byte, error) {
	if !e.list.More() {
		if _, err := e.list.Token(); err != nil && err != io.EOF {
			return nil, e.listFault(err)
		}
		return nil, io.EOF
	}
	var element json.RawMessage
	if err := e.list.Decode(&element); err != nil {
		return nil, e.listFault(err)
	}
	return element, nil
}

func (e *Events) listFault(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return e.service.Misled(providers.Malformed, "the server answered with something other than JSON")
	}
	return err
}

// line returns the next line without its end, valid until the next one; at the end of the body what is there and io.EOF.
func (e *Events) line() ([]byte, error) {
	line, err := e.in.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return bytes.TrimRight(line, "\r\n"), err
	}
	e.lines = e.lines[:0]
	for {
		e.lines = append(e.lines, line...)
		if len(e.lines) > maxEvent {
			return nil, e.tooLong()
		}
		if err != bufio.ErrBufferFull {
			return bytes.TrimRight(e.lines, "\r\n"), err
		}
		line, err = e.in.ReadSlice('\n')
	}
}

// take adds a line to the event under way. Comments and other fields than data say nothing here.
func (e *Events) take(line []byte) error {
	name, value, _ := bytes.Cut(line, []byte(":"))
	switch {
	case len(line) > 0 && (line[0] == '{' || line[0] == '['): // an error that was written over the stream, without its form
		value = line
	case len(line) > 0 && line[0] == '<':
		return e.service.Misled(providers.Malformed, "the server answered with a web page")
	case string(name) != "data":
		return nil
	}
	if len(e.data)+len(value) > maxEvent {
		return e.tooLong()
	}
	if value = bytes.TrimSpace(value); string(value) != "[DONE]" { // which some proxies send behind the end
		e.data = append(append(e.data, value...), '\n')
	}
	return nil
}

func (e *Events) tooLong() error {
	return e.service.Error(providers.Malformed, fmt.Sprintf("an event of the answer is longer than %d bytes", maxEvent))
}
