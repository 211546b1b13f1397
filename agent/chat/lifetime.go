package chat

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed is the error of every use of a [Chat] after Close.
var ErrClosed = errors.New("the chat is closed")

// A lifetime counts what is in progress, so that Close can wait for it.
type lifetime struct {
	ctx    context.Context // ends when Close stops waiting
	cancel context.CancelFunc

	mu     sync.Mutex
	closed bool
	tasks  sync.WaitGroup
}

func newLifetime() *lifetime {
	l := &lifetime{}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

// begin registers a task. It returns a context that ends with ctx or with the Chat, and a function to call at the end.
func (l *lifetime) begin(ctx context.Context) (context.Context, func(), error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, nil, ErrClosed
	}
	l.tasks.Add(1)
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(l.ctx, func() { cancel(ErrClosed) })
	return ctx, func() {
		stop()
		cancel(nil)
		l.tasks.Done()
	}, nil
}

// close refuses new tasks and waits for running ones. If ctx ends first, it cancels them, waits, and returns its error.
func (l *lifetime) close(ctx context.Context) error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.tasks.Wait()
	}()
	var err error
	select {
	case <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	l.cancel()
	<-done
	return err
}
