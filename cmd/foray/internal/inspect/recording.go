package inspect

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"sync"

	"github.com/forayhq/foray/internal/sessionfile"
	"github.com/forayhq/foray/providers"
)

// A Recording keeps the trace of a run in memory, as a writer of it. It is safe for concurrent use.
type Recording struct {
	Most int // bytes

	mu   sync.Mutex
	data []byte
	runs int
}

// errFull ends a trace that is too long to be kept.
var errFull = errors.New("too long for the page of the run: write it to a file with --trace")

// Write adds a line to the trace.
func (r *Recording) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.data)+len(p) > r.Most {
		return 0, errFull
	}
	r.data = append(r.data, p...)
	return len(p), nil
}

// Restart forgets the run, for another one.
func (r *Recording) Restart() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.data, r.runs = nil, r.runs+1
}

// trace returns the trace so far. Later writes do not change it.
func (r *Recording) trace() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.data[:len(r.data):len(r.data)]
}

// Recorded sets Mark and Open to those of a recording.
func (s *Source) Recorded(r *Recording) {
	s.Mark = func(context.Context) (string, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		return strconv.Itoa(r.runs) + "/" + strconv.Itoa(len(r.data)), nil
	}
	s.Open = func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(r.trace())), nil }
}

// Conversation returns what a recording holds so far.
func (r *Recording) Conversation(ctx context.Context) (*Conversation, error) {
	file, err := os.CreateTemp("", "foray-*.jsonl")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	lines := r.trace()
	_, err = file.Write(lines)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	runs, _, err := sessionfile.Read(ctx, file.Name(), nil)
	if err != nil || len(runs) == 0 {
		return nil, errors.Join(errors.New("the run has no messages yet"), err)
	}
	budget, _ := started(lines)
	return &Conversation{System: runs[0].System, Messages: runs[0].Messages, Budget: budget}, nil
}

// A Page shows the runs of this process, one after the other, as they happen. Its recording takes their traces.
type Page struct {
	Recording

	Title   string
	Ongoing bool // another run may follow
	Price   func(provider, model string) (providers.Price, bool)

	address string
	end     func()
}

// Open serves the page until Close, and returns its address. It begins to serve at the first call.
func (p *Page) Open(ctx context.Context) (address string, err error) {
	if p.address != "" {
		return p.address, nil
	}
	s := &Source{Title: p.Title, Ongoing: p.Ongoing, Price: p.Price}
	s.Recorded(&p.Recording)
	s.Play = func(ctx context.Context) (any, error) {
		c, err := p.Conversation(ctx)
		if err != nil {
			return nil, err
		}
		return c.Play(ctx, p.Title, nil, nil)
	}
	p.address, p.end, err = Begin(ctx, s)
	return p.address, err
}

// Close ends the server of the page.
func (p *Page) Close() {
	if p.end != nil {
		p.end()
	}
}
