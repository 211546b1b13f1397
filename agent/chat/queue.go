package chat

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// A queue lets one at a time do something with a thread, in the order in which they came. Threads do not wait for one
// another. A thread that nobody does anything with takes no memory.
type queue struct {
	mu    sync.Mutex
	lines map[string][]chan struct{} // those who wait; there is a line, perhaps an empty one, while somebody is served
}

func newQueue() *queue { return &queue{lines: make(map[string][]chan struct{})} }

// A place is where one stands in the line of a thread.
type place struct {
	queue  *queue
	thread string
	ahead  int           // how many are served first
	turn   chan struct{} // closed when the place is served; nil: at once
}

// mostWaiting is how many may wait for one thread.
const mostWaiting = 100

// ErrBusy says that a hundred turns or more wait for a thread already.
var ErrBusy = errors.New("too many wait for this thread")

// enter takes the next place of a thread. Who takes one must wait, and leave if the wait gave no error.
func (q *queue) enter(thread string) (place, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	line, busy := q.lines[thread]
	p := place{queue: q, thread: thread}
	if len(line) >= mostWaiting {
		return p, ErrBusy
	}
	if busy {
		p.turn, p.ahead = make(chan struct{}), len(line)+1
		line = append(line, p.turn)
	}
	q.lines[thread] = line
	return p, nil
}

// wait returns when the place is served. The error is that of ctx, and the place is given up then.
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
	q.lines[p.thread] = slices.Delete(line, i, i+1)
	return true
}

// leave lets the next one be served.
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
	q.lines[p.thread] = slices.Delete(line, 0, 1)
}
