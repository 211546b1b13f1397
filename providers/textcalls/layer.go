package textcalls

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// Options say how [New] treats a model. Nil and zero values are the defaults.
type Options struct {
	Notify func(string) // receives one line when the first call written as text is read; nil: discarded
}

// New returns m with the calls that it writes as text made calls. A request without tools passes unchanged.
func New(m providers.Model, o *Options) providers.Model {
	return &layer{Model: m, options: *cmp.Or(o, &Options{})}
}

type layer struct {
	providers.Model
	options  Options
	schemas  schemas
	notified sync.Once
}

// notify says once in which form the model writes its calls.
func (l *layer) notify(f *form) {
	l.notified.Do(func() {
		if info := l.Info(); l.options.Notify != nil {
			l.options.Notify(fmt.Sprintf("%s/%s writes its calls as text (%s); foray reads them", info.Provider, info.Name, f.name))
		}
	})
}

// Stream sends req and yields the answer as it arrives.
func (l *layer) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	deltas := l.Model.Stream(ctx, req)
	if len(req.Tools) == 0 {
		return deltas
	}
	return func(yield func(providers.Delta, error) bool) {
		a := &answer{layer: l, reader: newReader(&offer{req.Tools, &l.schemas}), yield: yield}
		defer a.reader.stop()
		for d, err := range deltas {
			if !a.take(d, err, req) {
				return
			}
		}
		a.end(true, req) // it had no finish
	}
}

// An answer passes the deltas of one answer on.
type answer struct {
	layer  *layer
	reader *reader
	yield  func(providers.Delta, error) bool
	calls  []transcript.ToolCall // of the service, then those in the text
	rest   []providers.Delta     // what follows the calls
	over   bool
}

// take takes one delta or error. It reports false if the caller wants no more.
func (a *answer) take(d providers.Delta, err error, req *providers.Request) bool {
	switch {
	case a.over:
		return a.yield(d, err)
	case err != nil:
		return a.end(true, req) && a.yield(d, err)
	case d.Text != "":
		return a.text(a.reader.add(d.Text))
	case d.Call != nil:
		a.calls = append(a.calls, *d.Call)
	case d.Finish != "":
		written := len(a.calls)
		ok := a.end(d.Finish == providers.Length, req)
		if d.Finish == providers.Stop && len(a.calls) > written {
			d.Finish = providers.Calls
		}
		return ok && a.yield(d, nil)
	case d.ProviderData != nil || d.Usage != nil:
		a.rest = append(a.rest, d)
	default:
		return a.yield(d, nil)
	}
	return true
}

// end yields what was held back: text, calls, provider data and usage. cut says that the answer broke off.
func (a *answer) end(cut bool, req *providers.Request) bool {
	if a.over {
		return true
	}
	a.over = true
	text, found := a.reader.end(cut)
	for _, f := range found {
		a.calls = append(a.calls, transcript.ToolCall{Name: f.name, Args: f.args})
	}
	if len(found) > 0 {
		a.layer.notify(found[0].form)
		providers.Identify(req.Messages, a.calls)
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
	return text == "" || a.yield(providers.Delta{Text: text}, nil)
}
