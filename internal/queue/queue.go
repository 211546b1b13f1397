// Package queue serves those who want one thing at a time in order of arrival.
//
// Start with [New].
package queue

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// A Queue serves the users of each key one at a time, in order of arrival. Keys do not wait for each other. An idle key
// takes no memory. It is safe for concurrent use.
type Queue struct {
	most  int // who may wait for a key; 0: any number
	full  error
	mu    sync.Mutex
	lines map[string][]chan struct{} // who waits, by key; an idle key has no line, not even an empty one
}

// New returns a queue in which at most so many wait for a key; others get the error full. 0: any number may wait.
func New(most int, full error) *Queue {
	return &Queue{most: most, full: full, lines: make(map[string][]chan struct{})}
}

// Enter waits until everyone who came before has left. The caller must then call leave. If others come first, Enter
// calls queued, if not nil, with their number. The error is that of [New], or that of ctx while waiting.
func (q *Queue) Enter(ctx context.Context, key string, queued func(ahead int)) (leave func(), err error) {
	leave = func() { q.leave(key) }
	q.mu.Lock()
	line, busy := q.lines[key]
	if q.most > 0 && len(line) >= q.most {
		q.mu.Unlock()
		return nil, q.full
	}
	turn := make(chan struct{}) // closed when the caller is served
	if busy {
		line = append(line, turn)
	}
	q.lines[key] = line
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
	line = q.lines[key]
	i := slices.Index(line, turn)
	if i >= 0 {
		q.lines[key] = append(line[:i], line[i+1:]...)
	}
	q.mu.Unlock()
	if i < 0 { // served meanwhile
		leave()
	}
	return nil, fmt.Errorf("waiting for earlier turns: %w", ctx.Err())
}

// leave lets the next one in line enter.
func (q *Queue) leave(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	line := q.lines[key]
	if len(line) == 0 {
		delete(q.lines, key)
		return
	}
	close(line[0])
	q.lines[key] = line[1:]
}
