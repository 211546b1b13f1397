package openai

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

// An events is the body of an answer as the library can read it without loss: "data: <JSON>\n" for each event and
// nothing between, at the end "data: [DONE]\n". Errors inside the stream, a web page, and what is no JSON are errors of
// Read. A body that is one JSON value, from a server that does not stream, is one event.
type events struct {
	model *Model
	body  io.ReadCloser
	in    *bufio.Reader
	head  http.Header
	begun bool

	out  []byte // what Read has still to give
	data []byte // the data lines of the event under way
	kind string // the name of the event under way
	done bool   // the end of the answer was seen
	err  error  // what Read returns when out is empty
}

func newEvents(m *Model, resp *http.Response) *events {
	return &events{model: m, body: resp.Body, in: bufio.NewReader(resp.Body), head: resp.Header}
}

// Read gives the next events, whole lines as far as p goes.
func (e *events) Read(p []byte) (int, error) {
	for len(e.out) == 0 && e.err == nil {
		e.err = e.next()
	}
	n := copy(p, e.out)
	if e.out = e.out[n:]; n > 0 {
		return n, nil
	}
	return 0, e.err
}

// Close frees the connection, for another request if the answer was read to its end.
func (e *events) Close() error {
	if e.done {
		return drain(e.body)
	}
	return e.body.Close()
}

// next reads one line of the body and puts what it completes into out.
func (e *events) next() error {
	if !e.begun {
		e.begun = true
		if err := e.begin(); err != nil {
			return err
		}
	}
	line, err := e.line()
	if fault := e.take(line); fault != nil {
		return fault
	}
	if e.done {
		return io.EOF
	}
	if err == io.EOF {
		if fault := e.flush(); fault != nil {
			return fault
		}
	}
	return err
}

// mark is the byte order mark, which the form of events allows in front.
const mark = "\ufeff"

// begin looks at the first bytes of the body, which tell a web page and plain JSON from a stream.
func (e *events) begin() error {
	start, err := e.in.Peek(1)
	if err == nil && start[0] == mark[0] {
		if start, err = e.in.Peek(len(mark)); string(start) == mark {
			e.in.Discard(len(mark))
			start, err = e.in.Peek(1)
		}
	}
	for err == nil && bytes.ContainsAny(start, " \t\r\n") {
		e.in.Discard(1)
		start, err = e.in.Peek(1)
	}
	if err != nil && err != io.EOF {
		return err
	}
	switch {
	case wire.IsPage(e.head, start):
		return e.model.report.Misled(providers.Malformed, "the server answered with a web page")
	case bytes.HasPrefix(start, []byte("{")), bytes.HasPrefix(start, []byte("[")):
		return e.whole()
	}
	return nil
}

// whole takes the body as one JSON value, or as a stream of them without the form of events.
func (e *events) whole() error {
	decoder := json.NewDecoder(io.LimitReader(e.in, maxEvent))
	for {
		var value json.RawMessage
		err := decoder.Decode(&value)
		var syntax *json.SyntaxError
		switch {
		case err == io.EOF:
			return io.EOF
		case errors.As(err, &syntax):
			return e.model.report.Misled(providers.Malformed, "the server answered with something other than JSON")
		case err != nil:
			return err
		}
		if err := e.emit(value); err != nil {
			return err
		}
	}
}

// line reads one line, without its end. At the end of the body it returns what is there and io.EOF.
func (e *events) line() ([]byte, error) {
	var line []byte
	for {
		part, err := e.in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxEvent {
			return nil, e.model.report.Error(providers.Malformed, fmt.Sprintf("a line of the answer is longer than %d bytes", maxEvent))
		}
		if err != bufio.ErrBufferFull {
			return bytes.TrimRight(line, "\r\n"), err
		}
	}
}

// take interprets one line of a stream of events. A data line that completes a JSON value ends its event, for there
// are servers that forget the empty line.
func (e *events) take(line []byte) error {
	if len(line) == 0 {
		return e.flush()
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch {
	case line[0] == '{': // an error that was written over the stream, without its form
		name, value = []byte("data"), line
	case string(name) == "event":
		e.kind = string(value)
	}
	if string(name) != "data" {
		return nil
	}
	if len(e.data)+len(value) > maxEvent {
		return e.model.report.Error(providers.Malformed, fmt.Sprintf("an event of the answer is longer than %d bytes", maxEvent))
	}
	e.data = append(append(e.data, value...), ' ') // a line end inside JSON is space
	data := bytes.TrimSpace(e.data)
	switch {
	case len(data) == 0:
		return nil
	case string(data) == "[DONE]":
		e.done, e.data = true, nil
		e.out = append(e.out, "data: [DONE]\n"...)
		return nil
	case data[len(data)-1] != '}' || !json.Valid(data):
		return nil
	}
	err := e.emit(data)
	e.data = e.data[:0]
	return err
}

// flush ends the event under way: one that is no JSON by now never will be.
func (e *events) flush() error {
	data := bytes.TrimSpace(e.data)
	defer func() { e.data, e.kind = e.data[:0], "" }()
	switch {
	case len(data) == 0:
		return nil
	case e.kind == "error":
		return e.model.classify(fault{message: string(data)}, http.StatusOK)
	}
	return e.model.report.Error(providers.Malformed, "an event of the answer is not JSON: "+string(data))
}

// emit puts one JSON value into out, or returns it as the error that it is.
func (e *events) emit(data []byte) error {
	if e.kind == "error" || bytes.Contains(data, []byte(`"error"`)) {
		if f, ok := inside(data, e.kind == "error"); ok {
			return e.model.classify(f, http.StatusOK)
		}
	}
	e.out = append(e.out, "data: "...)
	if bytes.HasPrefix(data, []byte(`{"error":`)) { // null; but the library takes any such line for an error
		e.out, data = append(e.out, "{ "...), data[1:]
	}
	if bytes.ContainsAny(data, "\r\n") { // a line end inside JSON is space
		data = bytes.Join(bytes.FieldsFunc(data, func(r rune) bool { return r == '\r' || r == '\n' }), []byte(" "))
	}
	e.out = append(append(e.out, data...), '\n')
	return nil
}

// inside reads the error in an event. One that is not called an error is one only if it says so.
func inside(data []byte, called bool) (fault, bool) {
	var o struct {
		Error        json.RawMessage
		Object, Type string
	}
	if data[0] == '[' {
		return readFault(data)
	}
	if json.Unmarshal(data, &o) != nil && !called {
		return fault{}, false
	}
	if f, ok := readFaultObject(o.Error); ok {
		return f, true
	}
	if called || o.Object == "error" || o.Type == "error" {
		f, ok := readFault(data)
		if !ok {
			f = fault{message: string(data)}
		}
		return f, true
	}
	return fault{}, false
}
