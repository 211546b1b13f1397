package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// ErrBusy says that a hundred turns already wait for a thread.
var ErrBusy = errors.New("too many turns wait for this thread")

// maxWaiting is how many turns may wait for a thread.
const maxWaiting = 100

// A queue serves the users of each thread one at a time, in order of arrival. Threads do not wait for each other. An
// idle thread takes no memory.
type queue struct {
	mu    sync.Mutex
	lines map[string][]chan struct{} // who waits, by thread; an idle thread has no line, not even an empty one
}

func newQueue() *queue { return &queue{lines: make(map[string][]chan struct{})} }

// enter waits until everyone who came before has left the thread. The caller must then call leave. If others come
// first, enter calls queued, if not nil, with their number. The error is [ErrBusy], or that of ctx while waiting.
func (q *queue) enter(ctx context.Context, thread string, queued func(ahead int)) (leave func(), err error) {
	leave = func() { q.leave(thread) }
	q.mu.Lock()
	line, busy := q.lines[thread]
	if len(line) >= maxWaiting {
		q.mu.Unlock()
		return nil, ErrBusy
	}
	turn := make(chan struct{}) // closed when the caller is served
	if busy {
		line = append(line, turn)
	}
	q.lines[thread] = line
	ahead := len(line)
	q.mu.Unlock()
	if !busy {
		return leave, nil
	}
	if queued != nil {
		queued(ahead)
	}
	select {
	case <-turn:
		return leave, nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	line = q.lines[thread]
	i := slices.Index(line, turn)
	if i >= 0 {
		q.lines[thread] = append(line[:i], line[i+1:]...)
	}
	q.mu.Unlock()
	if i < 0 { // served meanwhile
		leave()
	}
	return nil, fmt.Errorf("waiting for earlier turns: %w", ctx.Err())
}

// leave lets the next one in line enter.
func (q *queue) leave(thread string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	line := q.lines[thread]
	if len(line) == 0 {
		delete(q.lines, thread)
		return
	}
	close(line[0])
	q.lines[thread] = line[1:]
}

// A slot is the place of one request in a server that keeps the prefix of no other. There, a background request between
// two steps of a run would make the server read the whole conversation again. So whole runs and background requests
// take turns, in order of arrival. A nil slot is that of a server with many.
type slot struct{ *queue }

// slotTime replaces the default time-outs of background requests to such a server: they wait for runs, and local
// servers are slow.
const slotTime = 30 * time.Minute

func newSlot(slots int) *slot {
	if slots != 1 {
		return nil
	}
	return &slot{newQueue()}
}

// take waits for the slot. The caller must then call leave.
func (s *slot) take(ctx context.Context) (leave func(), err error) {
	if s == nil {
		return func() {}, nil
	}
	return s.enter(ctx, "", nil)
}

// An ask is what package memory calls an Ask.
type ask = func(ctx context.Context, system, prompt string) (string, error)

// background returns a background request that waits for the slot, and its time-out: 0 for the default.
func (s *slot) background(inner ask, timeout time.Duration) (ask, time.Duration) {
	if s == nil || inner == nil {
		return inner, timeout
	}
	return func(ctx context.Context, system, prompt string) (string, error) {
		leave, err := s.take(ctx)
		if err != nil {
			return "", err
		}
		defer leave()
		return inner(ctx, system, prompt)
	}, cmp.Or(timeout, slotTime)
}
