package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/forayhq/foray/providers"
)

// An Event is one event of an answer.
type Event struct {
	Name string // from its "event:" line
	Data []byte // valid until the next event
	JSON bool   // Data is one JSON value
}

// Events reads the body of a streamed answer: server-sent events, or JSON values from servers that do not stream. It
// tolerates comments, DOS line ends, a byte order mark, events without an empty line between them, and a last line
// without its end.
type Events struct {
	report *Reporter
	head   http.Header
	body   io.ReadCloser
	in     *bufio.Reader
	values *json.Decoder // of a body of JSON values; nil: server-sent events
	single *Bounded      // what values reads, at most one event ahead
	whole  *Bounded      // the body
	rest   *time.Timer   // closes the body of a settled answer; nil: the answer is not settled
	spared int           // bytes of the bound of the body that a settled answer may not use

	begun  bool
	count  int    // events so far
	ended  bool   // the answer is complete: ignore the rest of the body
	err    error  // from reading the body; returned after the current event
	name   string // of the current event
	data   []byte // of the current event
	checks int    // how often data was checked for being complete
	long   []byte // a line longer than the buffer of in
}

// bufferSize is how many bytes of the body are read at once. Most lines are shorter.
const bufferSize = 32 << 10

// NewEvents returns the events of an answer, whose body they read and close.
func NewEvents(resp *http.Response, r *Reporter) *Events {
	tooLong := r.TooLong(fmt.Sprintf("it is longer than %d MB", maxBody/mega))
	whole := &Bounded{resp.Body, maxBody, tooLong}
	in := bufio.NewReaderSize(whole, bufferSize)
	return &Events{report: r, head: resp.Header, body: resp.Body, whole: whole, in: in}
}

// tooLong returns the error of an event that does not end.
func (e *Events) tooLong() error {
	return e.report.TooLong(fmt.Sprintf("one event is longer than %d MB", maxEvent/mega))
}

// errCut means that the body ended inside an event, however the connection was closed: a fault of the network.
var errCut = fmt.Errorf("an event of the answer is truncated: %w", io.ErrUnexpectedEOF)

// Next returns the next event, and [io.EOF] after [DONE] or at the end of the body. A body that ends inside an event is
// an error of the transport, and a web page is an error of class [providers.Malformed].
func (e *Events) Next() (Event, error) {
	if !e.begun {
		e.begun = true
		if err := e.begin(); err != nil {
			return Event{}, err
		}
	}
	next := e.event
	if e.values != nil {
		next = e.value
	}
	event, err := next()
	e.count++
	switch {
	case err != nil:
	case e.count > maxEvents:
		err = e.report.TooLong(fmt.Sprintf("it has more than %d events", maxEvents))
	case countValues(event.Data) > maxValues:
		err = e.report.TooLong(fmt.Sprintf("one event has more than %d values", maxValues))
	}
	return event, err
}

// event returns the next server-sent event.
func (e *Events) event() (Event, error) {
	e.data, e.name, e.checks = e.data[:0], "", 0
	for {
		if e.ended {
			return Event{}, io.EOF
		}
		if e.err != nil {
			return Event{}, e.err
		}
		var line []byte
		line, e.err = e.line()
		complete, err := e.take(line)
		switch {
		case err != nil:
			return Event{}, err
		case e.ended:
			return Event{}, io.EOF
		case complete:
			return Event{Name: e.name, Data: bytes.TrimSpace(e.data), JSON: true}, nil
		case len(line) > 0 && e.err == nil: // read the next line of the event
			continue
		}
		// An empty line or the end of the body ends the event.
		if data := bytes.TrimSpace(e.data); len(data) > 0 && (e.err == nil || e.err == io.EOF) {
			if e.err == io.EOF && e.name != errorName && isPrefix(data) {
				e.err = errCut
				return Event{}, e.err
			}
			return Event{Name: e.name, Data: data, JSON: json.Valid(data)}, nil
		}
		e.data, e.name = e.data[:0], "" // an event without data: ignore it
	}
}

// End marks the answer as complete: the caller needs no further event.
func (e *Events) End() { e.ended = true }

// Bounds on what is read of an answer after its finish: the usage and the mark of the end, and no more. They are far
// above what honest servers send there, and how long it takes them.
const (
	maxRest  = 64 << 10 // bytes
	restTime = 10 * time.Second
)

// Settle says whether the answer would be complete if the body ended now. While it is, the rest of the body is bounded
// by maxRest and restTime, so that a server that does not end it costs next to nothing. Beyond them Next returns an
// error that [IsHarmless]. More content unsettles an answer.
func (e *Events) Settle(settled bool) {
	switch {
	case settled && e.rest == nil:
		e.spared = max(0, e.whole.Left-maxRest)
		e.whole.Left -= e.spared
		e.rest = time.AfterFunc(restTime, func() { e.body.Close() })
	case !settled && e.rest != nil:
		e.rest.Stop()
		e.rest = nil
		e.whole.Left += e.spared
	}
}

// Bounds on what Close reads of an ended answer, so that its connection can serve the next request: the last bytes of
// the transfer are there already, or nearly. A server that keeps the connection open costs drainTime and a new
// connection.
const (
	maxDrain  = 4 << 10
	drainTime = 100 * time.Millisecond
)

// Close frees the connection, for another request if the answer has ended.
func (e *Events) Close() error {
	e.Settle(false)
	if e.ended {
		timer := time.AfterFunc(drainTime, func() { e.body.Close() })
		defer timer.Stop()
		io.Copy(io.Discard, io.LimitReader(e.body, maxDrain)) // the answer is complete: an error here does not matter
	}
	return e.body.Close()
}

// byteOrderMark may precede server-sent events.
const byteOrderMark = "\ufeff"

// space is what may precede the first event.
const space = " \t\r\n"

// begin tells from the first bytes of the body whether it is a web page, JSON or server-sent events.
func (e *Events) begin() error {
	start, err := e.in.Peek(1)
	if err == nil && start[0] == byteOrderMark[0] {
		if start, err = e.in.Peek(len(byteOrderMark)); string(start) == byteOrderMark {
			e.in.Discard(len(byteOrderMark))
			start, err = e.in.Peek(1)
		}
	}
	for err == nil && bytes.ContainsAny(start, space) {
		read, _ := e.in.Peek(e.in.Buffered())
		e.in.Discard(len(read) - len(bytes.TrimLeft(read, space)))
		start, err = e.in.Peek(1)
	}
	switch {
	case err != nil && err != io.EOF:
		return err
	case IsPage(e.head, start):
		return e.page()
	case string(start) == "[", string(start) == "{":
		e.single = &Bounded{e.in, maxEvent, e.tooLong()}
		e.values = json.NewDecoder(e.single)
		if string(start) == "[" {
			e.values.Token()
		}
	}
	return nil
}

// value returns the next JSON value of the body, or of the list that the body is.
func (e *Events) value() (Event, error) {
	var value json.RawMessage
	var err error
	e.single.Left = maxEvent
	if e.values.More() {
		err = e.values.Decode(&value)
	} else if _, err = e.values.Token(); err == nil {
		err = io.EOF
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return Event{}, e.report.Misled(providers.Malformed, "the server answered with something other than JSON")
	}
	return Event{Data: value, JSON: err == nil}, err
}

// line returns the next line without its end, valid until the next one. At the end of the body it returns the rest and
// io.EOF.
func (e *Events) line() ([]byte, error) {
	line, err := e.in.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return bytes.TrimRight(line, "\r\n"), err
	}
	e.long = append(e.long[:0], line...)
	for err == bufio.ErrBufferFull && len(e.long) <= maxEvent {
		line, err = e.in.ReadSlice('\n')
		e.long = append(e.long, line...)
	}
	if len(e.long) > maxEvent {
		return nil, e.tooLong()
	}
	return bytes.TrimRight(e.long, "\r\n"), err
}

// take adds a line to the current event. It reports whether the event is now a complete JSON object, because some
// servers leave out the empty line after an event.
func (e *Events) take(line []byte) (complete bool, err error) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	switch {
	case len(line) == 0:
		return false, nil
	case line[0] == '{' || line[0] == '[': // an error written over the stream, without "data:"
		value = line
	case line[0] == '<':
		return false, e.page()
	case string(name) == "event":
		e.name = string(bytes.TrimSpace(value))
		return false, nil
	case string(name) != "data":
		return false, nil
	}
	if len(e.data)+len(value) > maxEvent {
		return false, e.tooLong()
	}
	value = bytes.TrimSpace(value)
	if string(value) == done {
		e.ended = true
		return false, nil
	}
	if len(e.data) == 0 && len(value) > e.in.Size() { // a long line: take it instead of copying it
		e.data, e.long = value, e.data
	} else {
		e.data = append(e.data, value...)
	}
	e.data = append(e.data, '\n') // inside JSON, a line end is space
	if len(value) == 0 || value[len(value)-1] != '}' || e.checks >= maxChecks {
		return false, nil
	}
	e.checks++
	return json.Valid(e.data), nil
}

// maxChecks bounds how many lines of one event are checked for being its last: a longer event needs its empty line.
const maxChecks = 64

const (
	done      = "[DONE]" // the data that ends a stream
	errorName = "error"  // of an event whose data may be a plain text
)

// isPrefix reports whether data is the beginning of a JSON value or of the mark of the end, and more is missing.
func isPrefix(data []byte) bool {
	var value json.RawMessage
	err := json.NewDecoder(bytes.NewReader(data)).Decode(&value)
	return err == io.ErrUnexpectedEOF || strings.HasPrefix(done, string(data))
}

func (e *Events) page() error {
	return e.report.Misled(providers.Malformed, "the server answered with a web page")
}
