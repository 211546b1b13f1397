package inspect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	durable "github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/trace"

	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/providers"
)

// A Source is the run that the page shows.
type Source struct {
	Title   string
	Ongoing bool // another run may follow the end of this one

	// Mark returns a text that differs from the last one if the run has changed.
	Mark func(context.Context) (string, error)

	// Open opens the run as a trace, from its beginning.
	Open func(context.Context) (io.ReadCloser, error)

	// Price returns the price of a model, and false if it is unknown.
	Price func(provider, model string) (providers.Price, bool)

	// Play plays the run through other policies, and returns a compaction.Side.
	Play func(context.Context) (any, error)
}

// ErrNoTrace says that a file is not a trace.
var ErrNoTrace = errors.New("not a trace of foray")

// Trace sets Mark and Open to those of a trace, which may still be written to, and returns the budget of its requests
// in tokens. An empty file is a trace that has not begun; another file is an [ErrNoTrace].
func (s *Source) Trace(path string) (budget int, err error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() { // a pipe would be waited for
		return 0, errors.Join(err, fmt.Errorf("%q is not a regular file", path))
	}
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	first := make([]byte, mostStart)
	n, err := io.ReadFull(file, first)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, err
	}
	budget, ok := started(first[:n])
	if !ok && n > 0 {
		return 0, fmt.Errorf("%q is %w", path, ErrNoTrace)
	}
	s.Mark = func(context.Context) (string, error) {
		info, err := os.Stat(path)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(info.Size(), info.ModTime().UnixNano()), nil
	}
	s.Open = func(context.Context) (io.ReadCloser, error) { return os.Open(path) }
	return budget, nil
}

// mostStart is more than the first line of a trace has, in bytes.
const mostStart = 64 << 10

// started returns the budget in the first line of a trace, and false if it is not a trace.
func started(trace []byte) (budget int, ok bool) {
	first, _, _ := bytes.Cut(trace, []byte("\n"))
	var l struct {
		Event  string
		Budget struct{ Limit int }
	}
	err := json.Unmarshal(first, &l)
	return l.Budget.Limit, err == nil && l.Event == "started"
}

// Session sets Mark and Open to those of a stored session, which may still run.
func (s *Source) Session(from *store.Sessions, id string) {
	var mu sync.Mutex
	var kept []byte // the session as a trace
	var of string   // its mark
	s.Mark = func(ctx context.Context) (string, error) {
		info, err := from.Info(ctx, id)
		return fmt.Sprint(info.Records, info.State), err
	}
	s.Open = func(ctx context.Context) (io.ReadCloser, error) {
		mark, err := s.Mark(ctx)
		if err != nil {
			return nil, err
		}
		mu.Lock()
		defer mu.Unlock()
		if mark != of {
			state, err := durable.Load(ctx, from, id)
			if err != nil {
				return nil, err
			}
			var b bytes.Buffer
			if err := trace.WriteSession(state, &b); err != nil {
				return nil, err
			}
			kept, of = b.Bytes(), mark
		}
		return io.NopCloser(bytes.NewReader(kept)), nil
	}
}
