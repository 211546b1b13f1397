package textcalls

import (
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// An answer passes the deltas of one answer on.
type answer struct {
	layer  *layer
	way    string // how it was asked for
	req    *providers.Request
	reader *reader
	before *answer // the same request in another way, that was not passed on; may be nil
	yield  func(providers.Delta, error) bool

	calls   []transcript.ToolCall // of the service, then those in the text
	rest    []providers.Delta     // what follows the calls
	hold    bool                  // text waits for the call that is required
	held    strings.Builder
	begun   bool
	over    bool
	missing bool            // the required call is: ask in another way
	last    providers.Delta // the finish of an answer whose call is missing
}

// usage returns what an answer that was not passed on has cost.
func (a *answer) usage() (sum providers.Usage) {
	if a != nil {
		for _, d := range a.rest {
			if d.Usage != nil {
				sum = *d.Usage
			}
		}
	}
	return sum
}

// settle passes an answer on whose call is missing, since no other way works.
func (a *answer) settle() {
	if a.flush("", nil) {
		a.yield(a.last, nil)
	}
}

// take takes one delta or error. It reports false if the caller wants no more.
func (a *answer) take(d providers.Delta, err error) bool {
	switch {
	case a.over:
		return a.yield(d, err)
	case err != nil:
		return a.end() && a.yield(d, err)
	case d.Text != "":
		return a.text(a.reader.add(d.Text))
	case d.Call != nil:
		a.calls = append(a.calls, *d.Call)
	case d.Finish != "":
		return a.finish(d)
	case d.Usage != nil:
		sum := a.before.usage().Add(*d.Usage)
		a.rest = append(a.rest, providers.Delta{Usage: &sum})
	case d.ProviderData != nil:
		a.rest = append(a.rest, d)
	default:
		return a.yield(d, nil)
	}
	return true
}

// finish ends the answer, unless the required call is missing.
func (a *answer) finish(d providers.Delta) bool {
	native := len(a.calls)
	text, found := a.reader.end(d.Finish == providers.Length)
	switch {
	case native > 0:
		a.layer.see(Native)
	case a.way == Text || a.way == Schema:
		a.layer.see(a.way)
	case len(found) > 0:
		a.layer.see(found[0].form.name)
	case a.hold && d.Finish == providers.Stop:
		a.missing, a.last = true, d
		a.held.WriteString(text)
		return false
	}
	if d.Finish == providers.Stop && len(found) > 0 {
		d.Finish = providers.Calls
	}
	return a.flush(text, found) && a.yield(d, nil)
}

// end yields what was held back of an answer without a finish.
func (a *answer) end() bool {
	if a.over {
		return true
	}
	return a.flush(a.reader.end(true))
}

// flush yields the last text, the calls, provider data and usage.
func (a *answer) flush(text string, found []found) bool {
	a.over = true
	for _, f := range found {
		a.calls = append(a.calls, transcript.ToolCall{Name: f.name, Args: f.args})
	}
	if len(found) > 0 {
		providers.Identify(a.req.Messages, a.calls)
	}
	if a.hold {
		a.hold, text = false, a.held.String()+text
	}
	if !a.text(text) {
		return false
	}
	for i := range a.calls {
		if !a.yield(providers.Delta{Call: &a.calls[i]}, nil) {
			return false
		}
	}
	for _, d := range a.rest {
		if !a.yield(d, nil) {
			return false
		}
	}
	return true
}

func (a *answer) text(text string) bool {
	if a.hold {
		a.held.WriteString(text)
		return true
	}
	return text == "" || a.yield(providers.Delta{Text: text}, nil)
}
