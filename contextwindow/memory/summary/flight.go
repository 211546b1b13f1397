package summary

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// How long a thread is left alone after failures.
const (
	summaryPauseLeast = 30 * time.Second
	summaryPauseMost  = 30 * time.Minute
)

// mostPauses bounds how many threads are remembered to have failed.
const mostPauses = 4_096

// errSummaryClosed says that a summary was asked for after Close.
var errSummaryClosed = errors.New("the thread summary is closed")

// open makes a flight of a thread. The lock is held.
func (s *Updater) open(ctx context.Context, thread string) (context.Context, *summaryFlight) {
	ctx, cancel := context.WithCancel(ctx)
	f := &summaryFlight{cancel: cancel, done: make(chan struct{})}
	s.flights[thread] = f
	return ctx, f
}

// enter makes a flight for the caller when there is none of the thread any more. It ends with ctx and with the owner, who
// waits for it: the caller says Done.
func (s *Updater) enter(ctx context.Context, thread string) (*summaryFlight, context.Context, error) {
	for {
		s.mu.Lock()
		under := s.flights[thread]
		if under == nil {
			defer s.mu.Unlock()
			if s.closed {
				return nil, nil, errSummaryClosed
			}
			s.all.Add(1)
			own, f := s.open(ctx, thread)
			end := f.cancel
			stop := context.AfterFunc(s.ctx, end)
			f.cancel = func() {
				stop()
				end()
			}
			return f, own, nil
		}
		s.mu.Unlock()
		select {
		case <-under.done:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// leave ends a flight.
func (s *Updater) leave(thread string, f *summaryFlight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.flights, thread)
	f.cancel()
	close(f.done)
}

// settle counts how an update ended, and ends its flight unless somebody asked for another look meanwhile.
func (s *Updater) settle(thread string, f *summaryFlight, err error) (again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil:
		delete(s.pauses, thread)
	case errors.Is(err, ErrConflict):
		s.conflicts.Add(1)
	case errors.Is(err, context.Canceled):
	default:
		s.fail(thread, err)
	}
	if again = f.again && err == nil; again {
		f.again = false
		return true
	}
	delete(s.flights, thread)
	f.cancel()
	close(f.done)
	return false
}

// fail counts a failure and leaves the thread alone for a while. The lock is held.
func (s *Updater) fail(thread string, err error) {
	s.failures.Add(1)
	if errors.Is(err, ErrRejected) {
		s.rejected.Add(1)
	}
	now := time.Now()
	if len(s.pauses) >= mostPauses {
		for id, p := range s.pauses {
			if now.After(p.until) {
				delete(s.pauses, id)
			}
		}
	}
	p := s.pauses[thread]
	pause := min(summaryPauseLeast<<min(p.failures, 10), summaryPauseMost)
	s.pauses[thread] = summaryPause{p.failures + 1, now.Add(pause)}
	s.config.Logger.Warn("a thread keeps its old summary", "thread", thread, "error", err, "failures", p.failures+1, "pause", pause)
}

// summaryMap is the Store of a Updater that was given none.
type summaryMap struct {
	mu        sync.Mutex
	summaries map[string]Thread
}

func newSummaryMap() *summaryMap { return &summaryMap{summaries: make(map[string]Thread)} }

func (m *summaryMap) LoadSummary(_ context.Context, thread string) (Thread, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.summaries[thread], nil
}

func (m *summaryMap) SaveSummary(ctx context.Context, thread string, last int64, s Thread) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if have := m.summaries[thread].Last; have != last {
		return fmt.Errorf("%w: it covers messages up to %d, not %d", ErrConflict, have, last)
	}
	m.summaries[thread] = s
	return nil
}

func (m *summaryMap) DeleteSummary(_ context.Context, thread string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.summaries, thread)
	return nil
}
