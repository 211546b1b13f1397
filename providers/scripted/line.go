package scripted

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// A Line is what a [Model] does with one request: it waits, answers, and perhaps fails. The fields are in the order of
// the stream. The zero Line is an empty answer.
type Line struct {
	Delay        time.Duration // wait before the answer; the end of the context ends the wait
	Pace         time.Duration // wait before each further delta and before the end; the same
	Reasoning    string
	Text         string
	Calls        []Call
	ProviderData *transcript.ProviderData
	Usage        providers.Usage  // zero: the answer has no usage
	Finish       providers.Finish // empty: Calls if there are calls, else Stop
	Hang         bool             // before its end, the answer waits for the end of the context
	// ends the answer instead of Finish; an [*providers.Error] without names gets those of the model
	Err error
	Cut bool // ends the answer without Finish or error, which breaks the contract

	fn    func(*providers.Request) Line
	exact []providers.Delta // instead of everything from Reasoning to Finish
	times int               // requests that the line serves; 0: one; below 0: all that follow
}

// A Call is a call in a [Line]. Args is what the model wrote: a string or json.RawMessage is used as it is, even if it
// is not JSON; nil is {}; anything else is encoded as JSON. An empty ID is filled in by [providers.CallID].
type Call struct {
	Name string
	Args any
	ID   string
}

// Text returns a line that answers with text.
func Text(text string) Line { return Line{Text: text} }

// Calls returns a line that makes calls in one message.
func Calls(calls ...Call) Line { return Line{Calls: calls} }

// JSON returns a line that answers with v as JSON, as a model does for a request with a Schema. It panics if v does not
// encode.
func JSON(v any) Line {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("scripted: encoding a scripted answer: %v", err))
	}
	return Line{Text: string(raw)}
}

// Deltas returns a line that answers with exactly these deltas, including streams that break the contract. It adds no
// Finish.
func Deltas(ds ...providers.Delta) Line { return Line{exact: slices.Clone(ds), Cut: true} }

// Busy returns a line that fails at once with class Rate and asks to wait.
func Busy(wait time.Duration) Line {
	cause := errors.New("scripted: too many requests")
	return Line{Err: &providers.Error{Class: providers.Rate, Status: 429, RetryAfter: wait, Err: cause}}
}

// Fail returns a line that fails at once with an error of a class.
func Fail(class providers.Class) Line {
	return Line{Err: &providers.Error{Class: class, Err: fmt.Errorf("scripted %s error", class)}}
}

// Broken returns a line whose answer breaks off after text with an error of class Network.
func Broken(text string) Line {
	l := Fail(providers.Network)
	l.Text = text
	return l
}

// Func returns a line that fn makes from the request. It runs on the caller's goroutine and must not return a line from
// Func or [Repeat].
func Func(fn func(req *providers.Request) Line) Line { return Line{fn: fn} }

// Repeat returns a line that serves n requests, or all that follow if n is 0 or less. It calls a [Func] for each
// request.
func Repeat(n int, l Line) Line {
	if l.times = n; n <= 0 {
		l.times = -1
	}
	return l
}

// arguments returns c.Args on the wire.
func (c Call) arguments() (json.RawMessage, error) {
	switch args := c.Args.(type) {
	case nil:
		return providers.Arguments(""), nil
	case string:
		return providers.Arguments(args), nil
	case json.RawMessage:
		return providers.Arguments(string(args)), nil
	default:
		raw, err := json.Marshal(args)
		if err != nil {
			return nil, fmt.Errorf("encoding the arguments of the scripted call %s: %w", c.Name, err)
		}
		return providers.Arguments(string(raw)), nil
	}
}
