package scripted

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/models"
)

// Options describe a [Model] and how it streams. A request with a Schema is an Invalid error unless Info says
// StructuredOutput; it uses no line.
type Options struct {
	Info  providers.Info // defaults: Provider "scripted", Name "script", Window 32,000 tokens
	Limit int            // larger requests, by providers.Size in tokens, are Overflow errors and use no line; 0: none
	Piece int            // runes in a piece of text or reasoning; 0: whole texts
}

// defaultWindow is in tokens.
const defaultWindow = 32_000

// A Model answers each request with the next line of its script. It is safe for concurrent use: a mutex guards the
// position and the recorded requests, and is free while a line plays.
type Model struct {
	options Options
	lines   []Line

	mu       sync.Mutex
	next     int // line for the next request
	served   int // requests that this line served
	count    int // requests that all lines served
	requests []providers.Request
}

// New returns a model that answers each request with the next line, and fails with class [providers.Invalid] when none
// is left.
func New(lines ...Line) *Model { return Options{}.New(lines...) }

// New is [New] with options.
func (o Options) New(lines ...Line) *Model {
	o.Info.Provider = cmp.Or(o.Info.Provider, "scripted")
	o.Info.Name = cmp.Or(o.Info.Name, "script")
	o.Info.Window = cmp.Or(o.Info.Window, defaultWindow)
	o.Info = models.Complete(o.Info)
	return &Model{options: o, lines: slices.Clone(lines)}
}

// Info returns Options.Info with its defaults.
func (m *Model) Info() providers.Info { return m.options.Info }

// Requests returns the requests so far in order of arrival, including failed ones. Their slices belong to the callers:
// a message that a caller changes later changes here too.
func (m *Model) Requests() []providers.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Left returns how many requests the script can still serve, and false if there is no limit.
func (m *Model) Left() (n int, bounded bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, l := range m.lines[min(m.next, len(m.lines)):] {
		if l.times < 0 {
			return 0, false
		}
		n += max(l.times, 1)
		if i == 0 {
			n -= m.served
		}
	}
	return n, true
}

// Stream records req and answers with the next line, which it takes when the iteration starts.
func (m *Model) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		line, count, err := m.take(ctx, req)
		if err == nil {
			err = wait(ctx, line.Delay)
		}
		if err != nil {
			yield(providers.Delta{}, m.named(err))
			return
		}
		// The step continues even if a compaction removed the earlier calls from the request.
		m.play(ctx, line, max(count, providers.NextStep(req.Messages)), yield)
	}
}

// take records req and returns its line and how many requests were served so far.
func (m *Model) take(ctx context.Context, req *providers.Request) (Line, int, error) {
	line, count, err := m.claim(ctx, req)
	if err != nil || line.fn == nil {
		return line, count, err
	}
	made := line.fn(req)
	if made.fn != nil || made.times != 0 {
		return Line{}, 0, invalid("a line of scripted.Func returned one of Func or Repeat")
	}
	return made, count, nil
}

func invalid(format string, args ...any) error {
	return &providers.Error{Class: providers.Invalid, Err: fmt.Errorf(format, args...)}
}

// claim records req and advances the script.
func (m *Model) claim(ctx context.Context, req *providers.Request) (Line, int, error) {
	size := 0
	if m.options.Limit > 0 {
		size = providers.Size(req)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, record(req))
	switch {
	case ctx.Err() != nil:
		return Line{}, 0, ctx.Err()
	case req.Schema != nil && !m.options.Info.StructuredOutput:
		return Line{}, 0, invalid("the request has a schema, and Info does not say StructuredOutput")
	case size > m.options.Limit:
		return Line{}, 0, &providers.Error{
			Class: providers.Overflow, Limit: m.options.Limit, Tokens: size,
			Err: fmt.Errorf("the request has %d tokens, the limit is %d", size, m.options.Limit),
		}
	case m.next >= len(m.lines):
		return Line{}, 0, invalid("the script is used up: request %d, %d lines", len(m.requests), len(m.lines))
	}
	line := m.lines[m.next]
	if m.served++; line.times >= 0 && m.served >= max(line.times, 1) {
		m.next, m.served = m.next+1, 0
	}
	m.count++
	return line, m.count, nil
}

// record returns a copy of req whose slices cannot grow into the caller's.
func record(req *providers.Request) providers.Request {
	r := *req
	r.Messages, r.Tools, r.Schema = slices.Clip(r.Messages), slices.Clip(r.Tools), slices.Clip(r.Schema)
	return r
}

// play yields the deltas of l, then its error or finish.
func (m *Model) play(ctx context.Context, l Line, step int, yield func(providers.Delta, error) bool) {
	deltas, err := m.deltas(l, step)
	for i, d := range deltas {
		if ended := l.keepPace(ctx, i); ended != nil {
			err = ended
			break
		}
		if !yield(d, nil) {
			return
		}
	}
	if l.Hang {
		<-ctx.Done()
	}
	if ended := l.keepPace(ctx, len(deltas)); ended != nil {
		err = ended
	}
	switch {
	case err != nil:
		yield(providers.Delta{}, m.named(err))
	case !l.Cut:
		yield(providers.Delta{Finish: l.finish()}, nil)
	}
}

// keepPace waits for delta i, counted from 0, or returns the error of ctx.
func (l Line) keepPace(ctx context.Context, i int) error {
	if i == 0 || l.Pace <= 0 {
		return ctx.Err()
	}
	return wait(ctx, l.Pace)
}

// deltas returns the deltas of l before its end, and its error.
func (m *Model) deltas(l Line, step int) ([]providers.Delta, error) {
	if l.exact != nil {
		return copies(l.exact), l.Err
	}
	ds := make([]providers.Delta, 0, 3+len(l.Calls))
	for piece := range pieces(l.Reasoning, m.options.Piece) {
		ds = append(ds, providers.Delta{Reasoning: piece})
	}
	for piece := range pieces(l.Text, m.options.Piece) {
		ds = append(ds, providers.Delta{Text: piece})
	}
	for i, c := range l.Calls {
		args, err := c.arguments()
		if err != nil {
			return ds, &providers.Error{Class: providers.Invalid, Err: err}
		}
		call := &transcript.ToolCall{ID: c.ID, Name: c.Name, Args: args}
		if call.ID == "" {
			call.ID = providers.CallID(step, i+1)
		}
		ds = append(ds, providers.Delta{Call: call})
	}
	if l.ProviderData != nil {
		ds = append(ds, providers.Delta{ProviderData: l.ProviderData})
	}
	if l.Usage != (providers.Usage{}) {
		ds = append(ds, providers.Delta{Usage: &l.Usage})
	}
	return ds, l.Err
}

// copies returns deltas with their own calls and usages.
func copies(ds []providers.Delta) []providers.Delta {
	ds = slices.Clone(ds)
	for i, d := range ds {
		if d.Call != nil {
			c := *d.Call
			c.Args = slices.Clone(c.Args)
			ds[i].Call = &c
		}
		if d.Usage != nil {
			u := *d.Usage
			ds[i].Usage = &u
		}
	}
	return ds
}

func (l Line) finish() providers.Finish {
	if l.Finish == "" && len(l.Calls) > 0 {
		return providers.Calls
	}
	return cmp.Or(l.Finish, providers.Stop)
}

// named adds the model's names to an [*providers.Error] without names. Other errors stay as they are.
func (m *Model) named(err error) error {
	info := m.options.Info
	var e *providers.Error
	if !errors.As(err, &e) {
		if providers.ClassOf(err) == providers.Cancelled {
			return &providers.Error{Class: providers.Cancelled, Provider: info.Provider, Model: info.Name, Err: err}
		}
		return err
	}
	if err != error(e) || e.Provider != "" {
		return err
	}
	named := *e
	named.Provider, named.Model = info.Provider, cmp.Or(e.Model, info.Name)
	return &named
}

// pieces yields text in pieces of n runes, or whole if n is 0 or less. It yields nothing for an empty text.
func pieces(text string, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			end, runes := len(text), 0
			for i := range text {
				if runes++; runes == n+1 && n > 0 {
					end = i
					break
				}
			}
			if !yield(text[:end]) {
				return
			}
			text = text[end:]
		}
	}
}

// wait returns after d, or earlier with the error of ctx.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
