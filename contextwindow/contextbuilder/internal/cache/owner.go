package cache

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed says that the owner of a cache was closed.
var ErrClosed = errors.New("the context builder is closed")

// An Owner starts goroutines, ends them, and waits for them.
type Owner struct {
	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	closed bool
	all    sync.WaitGroup
}

// NewOwner returns an owner. Close it.
func NewOwner() *Owner {
	ctx, cancel := context.WithCancel(context.Background())
	return &Owner{ctx: ctx, cancel: cancel}
}

// Context returns the context of everything that the owner started. It ends with [Owner.Close].
func (o *Owner) Context() context.Context { return o.ctx }

// Start runs fn in a goroutine and returns true, or returns false if the owner is closed.
func (o *Owner) Start(fn func()) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	o.all.Go(fn)
	return true
}

// Close cancels what was started and waits for it.
func (o *Owner) Close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.cancel()
	o.all.Wait()
}
