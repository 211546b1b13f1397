package contextbuilder

import (
	"container/list"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// The bounds of a cache (context-system: injected context blocks).
const (
	mostConversations = 1_024
	mostEntries       = 64 // of one conversation
	idleConversation  = 5 * time.Minute
)

// A cache keeps values by conversation and key. Each entry has its expiry; a conversation that nobody asks for is dropped
// after five minutes, and so is the one that was asked for longest ago when there are too many. One flight a key. It is
// safe for concurrent use, and nothing is locked while a value is fetched.
type cache[V any] struct {
	owner *owner

	mu            sync.Mutex
	conversations map[string]*list.Element
	order         *list.List // of *conversation[V], the one used last first
}

type conversation[V any] struct {
	id      string
	used    time.Time
	entries map[string]*entry[V]
}

type entry[V any] struct {
	value   V
	has     bool
	expires time.Time
	used    time.Time
	flight  *flight[V] // under way, or the last that was; nil: none
}

// A flight is one fetch of a value. What stands behind done is written before done is closed.
type flight[V any] struct {
	ended   <-chan struct{} // its context has
	cancel  context.CancelFunc
	waiting int  // under the cache's lock, as is left
	left    bool // nobody waits for it any more, and it was ended for that

	done  chan struct{}
	value V
	err   error
}

func newCache[V any](o *owner) *cache[V] {
	return &cache[V]{owner: o, conversations: make(map[string]*list.Element), order: list.New()}
}

// A want is what a cache is asked for.
type want[V any] struct {
	conversation, key string        // without a conversation nothing is kept
	ttl               time.Duration // 0: fetched each time; the value is kept for when a fetch is late
	limit             time.Duration // of the fetch; 0: none
	fetch             func(context.Context) (V, error)
}

// A found is what a cache has at once.
type found[V any] struct {
	value  V
	fresh  bool       // value may be used
	stale  bool       // value is an older one, for when the flight is late or fails
	flight *flight[V] // nil: fresh
}

// look returns what is there, and starts a fetch or joins one if that is not fresh.
func (c *cache[V]) look(w want[V]) found[V] {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.conversation == "" {
		f := c.launch(w)
		f.waiting++
		return found[V]{flight: f}
	}
	e := c.entry(w, now)
	if e.has && w.ttl > 0 && now.Before(e.expires) {
		return found[V]{value: e.value, fresh: true}
	}
	if e.flight == nil || w.ttl > 0 && e.flight.left || w.ttl == 0 && !e.flight.stuck() {
		e.flight = c.launch(w)
	}
	e.flight.waiting++
	return found[V]{value: e.value, stale: e.has, flight: e.flight}
}

// stuck reports whether a fetch goes on though its context has ended: another one would only be one more.
func (f *flight[V]) stuck() bool {
	select {
	case <-f.done:
		return false
	default:
	}
	select {
	case <-f.ended:
		return true
	default:
		return false
	}
}

// entry returns the entry of a key, new or not, and drops what is idle or too much.
func (c *cache[V]) entry(w want[V], now time.Time) *entry[V] {
	for last := c.order.Back(); last != nil; last = c.order.Back() {
		t := last.Value.(*conversation[V])
		if now.Sub(t.used) < idleConversation && c.order.Len() <= mostConversations {
			break
		}
		c.drop(last)
	}
	at := c.conversations[w.conversation]
	if at == nil {
		at = c.order.PushFront(&conversation[V]{id: w.conversation, entries: make(map[string]*entry[V])})
		c.conversations[w.conversation] = at
	}
	c.order.MoveToFront(at)
	t := at.Value.(*conversation[V])
	t.used = now
	e := t.entries[w.key]
	if e == nil {
		t.bound()
		e = new(entry[V])
		t.entries[w.key] = e
	}
	e.used = now
	return e
}

// bound makes room for one more entry.
func (t *conversation[V]) bound() {
	if len(t.entries) < mostEntries {
		return
	}
	oldest := ""
	for key, e := range t.entries {
		if o := t.entries[oldest]; o == nil || e.used.Before(o.used) || e.used.Equal(o.used) && key < oldest {
			oldest = key
		}
	}
	delete(t.entries, oldest)
}

func (c *cache[V]) drop(at *list.Element) {
	delete(c.conversations, at.Value.(*conversation[V]).id)
	c.order.Remove(at)
}

// launch starts a fetch, which nothing but its limit, its last waiter's cancelled context and the owner end.
func (c *cache[V]) launch(w want[V]) *flight[V] {
	f := &flight[V]{done: make(chan struct{})}
	ctx := c.owner.ctx
	if w.limit > 0 {
		ctx, f.cancel = context.WithTimeout(ctx, w.limit)
	} else {
		ctx, f.cancel = context.WithCancel(ctx)
	}
	f.ended = ctx.Done()
	if !c.owner.start(func() { c.fly(ctx, f, w) }) {
		f.cancel()
		f.err = ErrClosed
		close(f.done)
	}
	return f
}

// fly fetches a value and keeps it, unless the entry was dropped or replaced meanwhile. Errors are not kept.
func (c *cache[V]) fly(ctx context.Context, f *flight[V], w want[V]) {
	defer f.cancel()
	defer close(f.done)
	f.value, f.err = caught(func() (V, error) { return w.fetch(ctx) })
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.conversations[w.conversation]
	if at == nil {
		return
	}
	e := at.Value.(*conversation[V]).entries[w.key]
	if e == nil || w.ttl > 0 && e.flight != f {
		return
	}
	if e.flight == f {
		e.flight = nil
	}
	if f.err != nil {
		return
	}
	e.value, e.has, e.expires = f.value, true, now.Add(min(w.ttl, 365*24*time.Hour))
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

// leave takes one waiter from a flight, and ends the flight if it was the last one and gives up. It then waits for a
// fetch that obeys its context, but for no longer than the grace.
func (c *cache[V]) leave(f *flight[V], giveUp bool) {
	c.mu.Lock()
	f.waiting--
	f.left = f.left || giveUp && f.waiting == 0
	left := f.left
	c.mu.Unlock()
	if !left {
		return
	}
	f.cancel()
	grace := time.NewTimer(graceTime)
	defer grace.Stop()
	select {
	case <-f.done:
	case <-grace.C:
	}
}

// graceTime is how long a cancelled build waits for fetches that it ended.
const graceTime = 100 * time.Millisecond

// invalidate drops the entries of a conversation whose keys have a prefix. A fetch under way is not kept.
func (c *cache[V]) invalidate(id, prefix string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.conversations[id]
	if at == nil {
		return
	}
	if prefix == "" {
		c.drop(at)
		return
	}
	entries := at.Value.(*conversation[V]).entries
	for key := range entries {
		if strings.HasPrefix(key, prefix) {
			delete(entries, key)
		}
	}
}

// caught calls fn; a panic of its is an error.
func caught[V any](fn func() (V, error)) (value V, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return fn()
}
