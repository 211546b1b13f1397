package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/contextwindow/memory/summary"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
)

// A problem describes an error (RFC 9457). Its type is about:blank.
type problem struct {
	Title  string `json:"title"` // of the status
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`

	Holder   *wireHolder   `json:"holder,omitempty"`   // of a thread: the process that writes to it
	Messages []wireMessage `json:"messages,omitempty"` // of a turn: what it stored before it failed

	wait  time.Duration // for Retry-After
	cause error         // for the log; nil: the problem itself
}

// A wireHolder is who a [chat.InUseError] names.
type wireHolder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Command string    `json:"command"`
	Since   time.Time `json:"since"`
}

// useWait and conflictWait say when to try again: when a turn may be over, and when a change is.
const (
	useWait      = 5 * time.Second
	conflictWait = time.Second
)

// inUse returns the problem of a thread that another process writes to.
func inUse(e *chat.InUseError) *problem {
	p := &problem{Status: http.StatusConflict, Detail: e.Error(), wait: useWait}
	if e.PID != 0 {
		p.Holder = &wireHolder{e.PID, e.Host, e.Command, e.Since}
	}
	return p
}

func (p *problem) Error() string { return p.Detail }

func tooLarge(most int64) *problem {
	detail := fmt.Sprintf("the body is larger than %d bytes", most)
	return &problem{Status: http.StatusRequestEntityTooLarge, Detail: detail}
}

// causes maps errors to statuses. Clients see the text of public ones.
var causes = []struct {
	err    error
	status int
	public bool
}{
	{chat.ErrInvalid, http.StatusBadRequest, true},
	{chat.ErrNoThread, http.StatusNotFound, true},
	{longterm.ErrNotFound, http.StatusNotFound, true},
	{chat.ErrThreadExists, http.StatusConflict, true},
	{summary.ErrConflict, http.StatusConflict, true},
	{chat.ErrDisabled, http.StatusNotImplemented, true},
	{contextbuilder.ErrSystemTooLong, http.StatusUnprocessableEntity, true},
	{contextwindow.ErrIrreducible, http.StatusUnprocessableEntity, true},
	{chat.ErrBusy, http.StatusTooManyRequests, true},
	{chat.ErrClosed, http.StatusServiceUnavailable, true},
	{contextbuilder.ErrClosed, http.StatusServiceUnavailable, false},
	{context.DeadlineExceeded, http.StatusGatewayTimeout, false},
	{context.Canceled, statusGone, false},
}

// failures say what the model's service did, and what to do, by the class of its error. The error itself may quote what
// only the operator of this server may see; the log has it.
var failures = map[providers.Class]string{
	providers.Auth:      "the model's service refused this server's key: its operator must check the key",
	providers.Invalid:   "the model's service refused the request: the server's log says why",
	providers.Overflow:  "the conversation does not fit into the model's window: compact the thread, or start another",
	providers.Transient: "the model's service failed: try again in a minute",
	providers.Refused:   "the model's provider withheld the answer: ask in other words",
	providers.Network:   "the model's service did not answer, or its answer broke off: try again in a minute",
	providers.Malformed: "the model's service answered with something else: the operator must check --base-url",
	providers.Spent:     "this server has spent what it may: the operator must raise --max-cost",
	providers.Repeating: "the model repeated itself and was stopped: ask in other words",
	providers.TooLong: "the model did not end its answer and was stopped: ask for less at once, " +
		"or let the operator choose another model",
}

// statusGone is how servers log a request whose client disconnected. Nobody reads the answer.
const statusGone = 499

// problemOf returns what a client sees of an error. Errors that it did not cause show only their kind.
func problemOf(err error) *problem {
	var p *problem
	var failed *providers.Error
	var large *http.MaxBytesError
	var used *chat.InUseError
	switch {
	case errors.As(err, &p):
		q := *p
		p = &q
	case errors.As(err, &large):
		p = tooLarge(large.Limit)
	case errors.As(err, &used):
		p = inUse(used)
	case errors.Is(err, chat.ErrConflict):
		p = &problem{Status: http.StatusConflict, Detail: err.Error(), wait: conflictWait}
	case errors.As(err, &failed) && failed.Class == providers.Rate:
		p = &problem{Status: http.StatusServiceUnavailable, Detail: "the model's service is busy"}
		p.wait = max(failed.RetryAfter, time.Second)
	case errors.As(err, &failed) && failed.Class != providers.Cancelled:
		p = &problem{Status: http.StatusBadGateway}
		p.Detail = cmp.Or(failures[failed.Class], "the model failed: see the server's log")
	default:
		p = &problem{Status: http.StatusInternalServerError, Detail: "see the server's log"}
		for _, c := range causes {
			if errors.Is(err, c.err) {
				p.Status, p.Detail = c.status, ""
				if c.public {
					p.Detail = from(err.Error(), c.err)
				}
				break
			}
		}
	}
	if p.Title = http.StatusText(p.Status); p.Status == statusGone {
		p.Title = "Client Closed Request"
	}
	return p
}

// from returns a text without what precedes the words of an error in it: what the server did when it failed.
func from(text string, err error) string {
	return text[max(strings.Index(text, err.Error()), 0):]
}

// refuse answers an error as a problem.
func (s *server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	p := problemOf(err)
	if p.Status >= http.StatusInternalServerError {
		s.options.Log.Error("request failed", "method", r.Method, "path", r.URL.Path, "status", p.Status,
			"error", cmp.Or(p.cause, err))
	}
	if p.wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int((p.wait+time.Second-1)/time.Second)))
	}
	s.write(w, p.Status, "application/problem+json", p)
}

// write answers with a value as JSON. It ignores clients that have disconnected.
func (s *server) write(w http.ResponseWriter, status int, kind string, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		s.options.Log.Error("encode an answer", "error", err)
		status, kind = http.StatusInternalServerError, "application/problem+json"
		body = []byte(`{"title":"Internal Server Error","status":500}`)
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = w.Write(append(line.EscapeJSON(body), '\n'))
}
