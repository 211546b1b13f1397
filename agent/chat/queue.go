package chat

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// ErrBusy says that a hundred turns already wait for a thread.
var ErrBusy = errors.New("too many turns wait for this thread")

// maxWaiting is how many turns may wait for a thread.
const maxWaiting = 100

// A queue serves the users of each thread one at a time, in order of arrival. Threads do not wait for each other. An
// idle thread takes no memory.
type queue struct {
	mu    sync.Mutex
	lines map[string][]chan struct{} // who waits; a thread in use has a line, perhaps an empty one
}

func newQueue() *queue { return &queue{lines: make(map[string][]chan struct{})} }

// A place is a position in the line of a thread.
type place struct {
	queue  *queue
	thread string
	ahead  int           // how many are served first
	turn   chan struct{} // closed when the place is served; nil: at once
}

// enter takes the next place of a thread. The caller must wait, and leave if that gave no error.
func (q *queue) enter(thread string) (place, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	line, busy := q.lines[thread]
	p := place{queue: q, thread: thread}
	if len(line) >= maxWaiting {
		return p, ErrBusy
	}
	if busy {
		p.turn, p.ahead = make(chan struct{}), len(line)+1
		line = append(line, p.turn)
	}
	q.lines[thread] = line
	return p, nil
}

// wait returns when the place is served, or gives it up with the error of ctx.
func (p place) wait(ctx context.Context) error {
	if p.turn == nil {
		return nil
	}
	select {
	case <-p.turn:
		return nil
	case <-ctx.Done():
	}
	if !p.queue.giveUp(p) {
		p.leave() // served meanwhile
	}
	return ctx.Err()
}

func (q *queue) giveUp(p place) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	line := q.lines[p.thread]
	i := slices.Index(line, p.turn)
	if i < 0 {
		return false
	}
	q.lines[p.thread] = append(line[:i], line[i+1:]...)
	return true
}

// leave serves the next one.
func (p place) leave() {
	q := p.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	line := q.lines[p.thread]
	if len(line) == 0 {
		delete(q.lines, p.thread)
		return
	}
	close(line[0])
	q.lines[p.thread] = line[1:]
}
