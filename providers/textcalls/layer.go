package textcalls

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/keep"
)

// The ways in which a model makes its calls.
const (
	Auto   = "auto"   // by what the model is seen to do; the default
	Native = "native" // only as the service delivers them
	Text   = "text"   // in the text of its answers, by a description in the system prompt
	Schema = "schema" // by a JSON schema of one action that the server enforces
)

// Modes returns [Auto], [Native], [Text] and [Schema], in this order.
func Modes() []string { return []string{Auto, Native, Text, Schema} }

// Options say how [New] treats a model. Nil and zero values are the defaults.
type Options struct {
	Calls    string       // one of [Modes]; empty: Auto
	NoSchema bool         // the server does not enforce [providers.Request]'s Schema: Auto never gets to Schema
	Notify   func(string) // receives one line when calls are not native; nil: discarded

	// File remembers what Auto saw, by Key, for later processes; empty: this process only. Errors of the file are ignored.
	File, Key string
}

// New returns m with calls in the way that o.Calls names. With Auto, requests are those of the caller, and calls in the
// text become calls. Then
//
//   - once a call was written as text, earlier calls and results are sent in this form;
//   - when the service refuses tools, Text follows;
//   - when a required call is missing in the first answer, Schema follows.
//
// A request that needs another way is sent again at once, before anything of its answer is passed on.
func New(m providers.Model, o *Options) providers.Model {
	l := &layer{Model: m, options: *cmp.Or(o, &Options{})}
	l.options.Calls = cmp.Or(l.options.Calls, Auto)
	if l.options.Calls == Native {
		return m
	}
	return l
}

type layer struct {
	providers.Model
	options Options
	schemas schemas

	mu   sync.Mutex
	seen string // what Auto saw: Native, Text, Schema or the name of a form; empty: nothing yet
	read bool   // the file was
	said bool   // Notify was called
}

// Stream sends req and yields the answer as it arrives.
func (l *layer) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	calls := slices.ContainsFunc(req.Messages, func(m transcript.Message) bool { return len(m.Calls) > 0 })
	if len(req.Tools) == 0 && !calls {
		return l.Model.Stream(ctx, req)
	}
	return func(yield func(providers.Delta, error) bool) {
		var before *answer // without the call that was required
		for way := l.way(); way != done; {
			a := &answer{layer: l, way: way, req: req, before: before, yield: yield}
			way = l.ask(ctx, a)
			before = a
		}
	}
}

// done means that no other way is needed: the answer was passed on.
const done = "-"

// way returns how to ask: the way that was chosen, or what Auto saw.
func (l *layer) way() string {
	if l.options.Calls != Auto {
		return l.options.Calls
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.read {
		l.read = true
		l.seen = recall(l.options.File, l.options.Key)
	}
	return l.seen
}

// see remembers what Auto saw, and says once how the model makes its calls unless they are native. Of two forms the
// first stays, so that the history keeps its bytes; a native call is the last word.
func (l *layer) see(way string) {
	if l.options.Calls != Auto {
		return
	}
	l.mu.Lock()
	say := way != Native && !l.said && l.options.Notify != nil
	l.said = l.said || say
	known := l.seen == way || l.seen == Native || l.seen != "" && way != Native && formOf(way) != nil
	if !known {
		l.seen = way
		keep.Save(l.options.File, l.options.Key, way)
	}
	l.mu.Unlock()
	if say {
		l.notify(way)
	}
}

// notify says how the model makes its calls.
func (l *layer) notify(way string) {
	info, does := l.Info(), "writes its calls as text ("+way+"); foray reads them"
	switch way {
	case Text:
		does = "is served without tools; foray describes them and reads its calls"
	case Schema:
		does = "makes no calls of its own; foray asks for actions by a JSON schema"
	}
	l.options.Notify(info.Provider + "/" + info.Name + " " + does)
}

// request returns req as it is sent in a way.
func request(way string, req *providers.Request) *providers.Request {
	switch f := formOf(way); {
	case way == Text:
		return written(req, &forms[0])
	case acts(way, req):
		return acted(req)
	case way == Schema:
		return written(req, &action)
	case f != nil:
		r := *req
		r.Messages = plain(req.Messages, f)
		return &r
	}
	return req
}

// acts reports whether the answer is an action: a schema of the caller's own goes first.
func acts(way string, req *providers.Request) bool { return way == Schema && req.Schema == nil }

// ask sends a request in the way of a. It returns the way to ask next, or done once the caller has an answer.
func (l *layer) ask(ctx context.Context, a *answer) string {
	first := l.options.Calls == Auto && a.way == "" && !l.options.NoSchema
	a.hold = first && a.req.Choice == providers.Required && a.req.Schema == nil
	a.reader = newReader(&offer{a.req.Tools, &l.schemas}, acts(a.way, a.req))
	defer a.reader.stop()
	for d, err := range l.Model.Stream(ctx, request(a.way, a.req)) {
		switch early := err != nil && !a.begun; {
		case early && a.way == Schema && a.before != nil && providers.ClassOf(err) == providers.Invalid:
			a.before.settle() // the server knows no schemas
			return done
		case early && acts(a.way, a.req) && l.options.Calls == Auto && providers.ClassOf(err) == providers.Invalid:
			return Text // it knew others: these tools, or an earlier server
		case early && a.way != Text && a.way != Schema && l.refused(err, a.req):
			return Text
		}
		a.begun = a.begun || d.Reading == nil // which is not part of the answer
		if a.take(d, err) {
			continue
		}
		if a.missing {
			return Schema
		}
		return done // the caller wants no more
	}
	a.end() // it had no finish
	return done
}

// refused reports whether the service refuses tools, but not the choice among them.
func (l *layer) refused(err error, req *providers.Request) bool {
	var e *providers.Error
	if l.options.Calls != Auto || !errors.As(err, &e) || e.Class != providers.Invalid && e.Class != providers.Transient {
		return false
	}
	text := strings.ToLower(e.Error())
	choice := strings.Contains(text, "tool_choice") || strings.Contains(text, "tool choice")
	return strings.Contains(text, "tool") && (!choice || req.Choice == providers.Auto)
}
