package summary

import (
	"context"
	"errors"
	"time"
)

// How long a thread is left alone after failures, and for how many threads that is remembered.
const (
	minPause  = 30 * time.Second
	maxPause  = 30 * time.Minute
	maxPauses = 4_096
)

var errClosed = errors.New("the updater is closed")

// open starts a flight of a thread. The caller holds the lock.
func (s *Updater) open(ctx context.Context, thread string) (context.Context, *flight) {
	ctx, cancel := context.WithCancelCause(ctx)
	f := &flight{cancel: cancel, done: make(chan struct{})}
	s.flights[thread] = f
	return ctx, f
}

// enter starts a flight for the caller once no other of the thread is under way. The flight ends with ctx and with the
// updater, which waits for it: the caller calls s.all.Done.
func (s *Updater) enter(ctx context.Context, thread string) (*flight, context.Context, error) {
	for {
		s.mu.Lock()
		under := s.flights[thread]
		if under == nil {
			defer s.mu.Unlock()
			if s.closed {
				return nil, nil, errClosed
			}
			s.all.Add(1)
			own, f := s.open(ctx, thread)
			end := f.cancel
			stop := context.AfterFunc(s.ctx, func() { end(errClosed) })
			f.cancel = func(cause error) {
				stop()
				end(cause)
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

// end ends a flight. The caller holds the lock.
func (s *Updater) end(thread string, f *flight) {
	delete(s.flights, thread)
	f.cancel(nil)
	close(f.done)
}

// settle counts the outcome of an update, and ends its flight unless another update was asked for meanwhile.
func (s *Updater) settle(thread string, f *flight, err error) (again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil:
		if !s.pauses[thread].model {
			delete(s.pauses, thread)
		}
	case errors.Is(err, ErrConflict):
		s.conflicts.Add(1)
	case errors.Is(err, context.Canceled):
	default:
		s.pause(thread, err, false)
	}
	if again = f.again && err == nil; again {
		f.again = false
		return true
	}
	s.end(thread, f)
	return false
}

// fail counts a failure of the model, which is then left alone for a while.
func (s *Updater) fail(thread string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pause(thread, err, true)
}

// succeed ends the pause of the model.
func (s *Updater) succeed(thread string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pauses, thread)
}

// paused reports whether the model is left alone for now.
func (s *Updater) paused(thread string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Before(s.pauses[thread].until)
}

// pause counts a failure and pauses the thread, or only the model for it. The caller holds the lock.
func (s *Updater) pause(thread string, err error, model bool) {
	s.failures.Add(1)
	if errors.Is(err, errRejected) {
		s.rejected.Add(1)
	}
	now := time.Now()
	if len(s.pauses) >= maxPauses {
		for id, p := range s.pauses {
			if now.After(p.until) {
				delete(s.pauses, id)
			}
		}
	}
	p := s.pauses[thread]
	wait := min(minPause<<min(p.failures, 10), maxPause)
	s.pauses[thread] = pause{p.failures + 1, now.Add(wait), model}
	s.config.Logger.Warn("updating the summary of a thread failed", "by rules", model,
		"thread", thread, "error", err, "failures", p.failures+1, "pause", wait)
}
