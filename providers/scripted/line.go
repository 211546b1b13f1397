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

// A Line is what a Model does with one request: it waits, answers, and perhaps fails. The fields come in the order of
// the stream: Delay, Reasoning, Text, Calls, ProviderData, Usage, Hang, then Err or Finish. The zero Line is an empty answer.
type Line struct {
	Delay        time.Duration // how long the answer lets wait for itself; the end of the context ends the wait
	Pace         time.Duration // how long each further delta lets wait, the end included; the same
	Reasoning    string
	Text         string
	Calls        []Call
	ProviderData *transcript.ProviderData
	Usage        providers.Usage  // the zero value: the answer does not say
	Finish       providers.Finish // "": Calls when there are calls, else Stop
	Hang         bool             // before its end the answer waits for the end of the context
	Err          error            // ends the answer in place of Finish; an *providers.Error gets the model's names where it has none
	Cut          bool             // ends the answer without Finish and without an error: a fault of a model, for tests of its users

	fn    func(*providers.Request) Line
	exact []providers.Delta // in place of all that comes from Reasoning to Usage, and of Finish
	times int               // how many requests the line serves; 0: one; below 0: all that come
}

// A Call is a call that a Line makes. Args is what the model wrote: a string or a json.RawMessage is taken as its raw
// text, which may be bad JSON; nil is {}; anything else is encoded as JSON. An empty ID is filled by providers.CallID.
type Call struct {
	Name string
	Args any
	ID   string
}

// Text returns the line that answers with text.
func Text(text string) Line { return Line{Text: text} }

// Calls returns the line that makes calls, all in one message.
func Calls(calls ...Call) Line { return Line{Calls: calls} }

// JSON returns the line that answers with v as JSON, as a model does whose request has a Schema. It panics on what JSON
// cannot hold.
func JSON(v any) Line {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("scripted: encoding a scripted answer: %v", err))
	}
	return Line{Text: string(raw)}
}

// Deltas returns the line whose answer is exactly these deltas, with no Finish but one that is among them: also streams
// that no model may send.
func Deltas(ds ...providers.Delta) Line { return Line{exact: slices.Clone(ds), Cut: true} }

// Busy returns the line that fails at once with class Rate and asks to wait so long.
func Busy(wait time.Duration) Line {
	return Line{Err: &providers.Error{Class: providers.Rate, Status: 429, RetryAfter: wait, Err: errors.New("scripted: too many requests")}}
}

// Fail returns the line that fails at once with an error of class.
func Fail(class providers.Class) Line {
	return Line{Err: &providers.Error{Class: class, Err: fmt.Errorf("scripted %s error", class)}}
}

// Broken returns the line whose answer breaks off after text, with an error of class Network.
func Broken(text string) Line {
	l := Fail(providers.Network)
	l.Text = text
	return l
}

// Func returns the line that fn makes when the request is there. It runs on the caller's goroutine and must not return
// a line of Func or Repeat.
func Func(fn func(req *providers.Request) Line) Line { return Line{fn: fn} }

// Repeat returns the line that serves n requests; all that come when n is 0 or less. A Func line is asked each time.
func Repeat(n int, l Line) Line {
	if l.times = n; n <= 0 {
		l.times = -1
	}
	return l
}

// arguments returns what c's Args are on the wire.
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
