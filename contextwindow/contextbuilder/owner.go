package contextbuilder

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed says that a builder was asked after Close.
var ErrClosed = errors.New("the context builder is closed")

// An owner has started the goroutines of a builder, ends them and waits for them.
type owner struct {
	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	closed bool
	all    sync.WaitGroup
}

func newOwner() *owner {
	ctx, cancel := context.WithCancel(context.Background())
	return &owner{ctx: ctx, cancel: cancel}
}

// start runs fn in a goroutine, unless the owner is closed.
func (o *owner) start(fn func()) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	o.all.Go(fn)
	return true
}

// close ends what was started and waits for it.
func (o *owner) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.cancel()
	o.all.Wait()
}
