package contextbuilder

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// A flight is one fetch of a value. What stands behind done is written before done is closed.
//
// A flight is over when its context has ended: its time is up, or nobody will use what it brings. One that is over and has
// not landed hangs, and the next call of the same source waits for it: so there is never a second call beside one that hangs,
// however the ends of builds and of flights fall together.
type flight[V any] struct {
	ctx     context.Context
	cancel  context.CancelFunc
	entry   *entry[V] // that it is for; nil: none
	waiting int       // under the cache's lock, as is orphan
	orphan  bool      // its entry is gone, or it is for its own asker alone

	done  chan struct{}
	value V
	err   error
}

// launch starts a fetch for an entry or, without one, for the asker alone. Nothing ends it but its limit, the end of those
// who wait for it, and the owner. It begins when those of the same call that hang have landed.
func (c *cache[V]) launch(w want[V], e *entry[V]) *flight[V] {
	f := &flight[V]{done: make(chan struct{}), entry: e, orphan: e == nil || w.ttl == 0}
	if w.limit > 0 {
		f.ctx, f.cancel = context.WithTimeout(c.owner.ctx, w.limit)
	} else {
		f.ctx, f.cancel = context.WithCancel(c.owner.ctx)
	}
	if !f.orphan {
		e.flight = f
	}
	call := w.conversation + "\x00" + cmp.Or(w.call, w.key)
	var hung []*flight[V]
	for _, other := range c.under[call] {
		if other.ctx.Err() != nil {
			hung = append(hung, other)
		}
	}
	c.under[call] = append(c.under[call], f)
	if !c.owner.start(func() { c.fly(f, w, call, hung) }) {
		c.land(f, call)
		f.cancel()
		f.err = ErrClosed
		close(f.done)
	}
	return f
}

// fly fetches a value when what hangs has landed, and keeps it, unless the entry was dropped meanwhile. Errors are not kept.
func (c *cache[V]) fly(f *flight[V], w want[V], call string, hung []*flight[V]) {
	defer f.cancel()
	defer close(f.done)
	for _, other := range hung {
		select {
		case <-other.done:
		case <-f.ctx.Done():
		}
	}
	if f.err = f.ctx.Err(); f.err == nil {
		f.value, f.err = caught(func() (V, error) { return w.fetch(f.ctx) })
	}
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.land(f, call)
	at := c.conversations[w.conversation]
	if at == nil || f.entry == nil || at.Value.(*conversation[V]).entries[w.key] != f.entry {
		return
	}
	if f.entry.flight == f {
		f.entry.flight = nil
	}
	if f.err == nil {
		f.entry.value, f.entry.has, f.entry.expires = f.value, true, now.Add(min(w.ttl, 365*24*time.Hour))
	}
}

// land takes a flight out of those that are under way.
func (c *cache[V]) land(f *flight[V], call string) {
	c.under[call] = slices.DeleteFunc(c.under[call], func(other *flight[V]) bool { return other == f })
	if len(c.under[call]) == 0 {
		delete(c.under, call)
	}
}

// wait returns the value of a flight when it has landed. If the wait ends before, that is the error; the flight then goes
// on for the next one who asks, unless abandon says that nobody waits for it any more.
func (c *cache[V]) wait(ctx context.Context, f *flight[V], abandon func() bool) (V, error) {
	select {
	case <-f.done:
	case <-ctx.Done():
		select {
		case <-f.done: // both at once: what is there is used
			return f.value, f.err
		default:
		}
		c.leave(f, abandon())
		var zero V
		return zero, ctx.Err()
	}
	return f.value, f.err
}

// leave takes one waiter from a flight, and ends the flight if it was the last one and gives up, or if nobody else can use
// what it brings. Who gives up waits for a fetch that obeys its context, but for no longer than the grace.
func (c *cache[V]) leave(f *flight[V], giveUp bool) {
	c.mu.Lock()
	f.waiting--
	over := f.waiting == 0 && (giveUp || f.orphan)
	if over {
		f.cancel() // under the lock: who looks next sees that it is over
	}
	c.mu.Unlock()
	if !over || !giveUp {
		return
	}
	grace := time.NewTimer(graceTime)
	defer grace.Stop()
	select {
	case <-f.done:
	case <-grace.C:
	}
}

// graceTime is how long a cancelled build waits for fetches that it ended.
const graceTime = 100 * time.Millisecond

// caught calls fn; a panic of its is an error.
func caught[V any](fn func() (V, error)) (value V, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return fn()
}
