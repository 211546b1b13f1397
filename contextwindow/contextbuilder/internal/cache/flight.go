package cache

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// A Flight is one fetch. Its value and error are written before done is closed.
//
// A flight is over when its context ends: its time is up, or nobody needs its value. A fetch that ignores this and has
// not returned yet is a straggler. The next fetch of the same call waits for it, so that a source never has to serve
// both.
type Flight[V any] struct {
	ctx      context.Context
	cancel   context.CancelFunc
	entry    *entry[V] // to fill; nil: none
	waiting  int       // lookups that wait; guarded by the cache's lock, like detached
	detached bool      // no further lookup can join: its entry was dropped, or it has none, or its TTL is 0

	done  chan struct{}
	value V
	err   error
}

// launch starts a fetch for an entry, or for one caller alone if the entry is nil. The flight ends at its limit, when
// its last waiter leaves, or when the owner closes. It calls the source once the stragglers of the same call have
// returned.
func (c *Cache[V]) launch(l Lookup[V], e *entry[V]) *Flight[V] {
	f := &Flight[V]{done: make(chan struct{}), entry: e, detached: e == nil || l.TTL == 0}
	if l.Limit > 0 {
		f.ctx, f.cancel = context.WithTimeout(c.owner.ctx, l.Limit)
	} else {
		f.ctx, f.cancel = context.WithCancel(c.owner.ctx)
	}
	if !f.detached {
		e.flight = f
	}
	call := l.Conversation + "\x00" + cmp.Or(l.Call, l.Key)
	var stragglers []*Flight[V]
	for _, other := range c.inFlight[call] {
		if other.ctx.Err() != nil {
			stragglers = append(stragglers, other)
		}
	}
	c.inFlight[call] = append(c.inFlight[call], f)
	if !c.owner.Start(func() { c.fly(f, l, call, stragglers) }) {
		c.land(f, call)
		f.cancel()
		f.err = ErrClosed
		close(f.done)
	}
	return f
}

// fly waits for the stragglers, fetches the value, and fills the entry unless it was dropped meanwhile. Errors are not
// kept.
func (c *Cache[V]) fly(f *Flight[V], l Lookup[V], call string, stragglers []*Flight[V]) {
	defer f.cancel()
	defer close(f.done)
	for _, other := range stragglers {
		select {
		case <-other.done:
		case <-f.ctx.Done():
		}
	}
	if f.err = f.ctx.Err(); f.err == nil {
		f.value, f.err = Recover(func() (V, error) { return l.Fetch(f.ctx) })
	}
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.land(f, call)
	at := c.conversations[l.Conversation]
	if at == nil || f.entry == nil || at.Value.(*conversation[V]).entries[l.Key] != f.entry {
		return
	}
	if f.entry.flight == f {
		f.entry.flight = nil
	}
	if f.err == nil {
		f.entry.value, f.entry.filled, f.entry.expires = f.value, true, now.Add(min(l.TTL, 365*24*time.Hour))
	}
}

// land removes a flight from those in flight.
func (c *Cache[V]) land(f *Flight[V], call string) {
	c.inFlight[call] = slices.DeleteFunc(c.inFlight[call], func(other *Flight[V]) bool { return other == f })
	if len(c.inFlight[call]) == 0 {
		delete(c.inFlight, call)
	}
}

// Wait returns the value of a flight. If ctx ends first, Wait returns its error, and the flight continues for the next
// lookup unless giveUp returns true.
func (c *Cache[V]) Wait(ctx context.Context, f *Flight[V], giveUp func() bool) (V, error) {
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
	}
	select {
	case <-f.done: // both at once: use the value
		return f.value, f.err
	default:
		c.Leave(f, giveUp())
		return *new(V), ctx.Err()
	}
}

// Leave removes one waiter from a flight. If no other waits, it ends the flight when the caller gives up or when nobody
// else can join. A caller who gives up then waits up to graceTime for the fetch to obey its context.
func (c *Cache[V]) Leave(f *Flight[V], giveUp bool) {
	c.mu.Lock()
	f.waiting--
	over := f.waiting == 0 && (giveUp || f.detached)
	if over {
		f.cancel() // under the lock, so that the next lookup sees that the flight is over
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

// graceTime is how long a canceled caller waits for a fetch that it ended.
const graceTime = 100 * time.Millisecond

// Recover calls fn and turns a panic into an error.
func Recover[V any](fn func() (V, error)) (value V, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return fn()
}
