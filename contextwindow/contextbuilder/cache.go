package contextbuilder

import (
	"container/list"
	"context"
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
	order         *list.List              // of *conversation[V], the one used last first
	under         map[string][]*flight[V] // all that have not landed, by conversation and call, whether their entries are there or not
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
	flight  *flight[V] // under way, for whoever asks; nil: none, or one that is for its own asker alone
}

func newCache[V any](o *owner) *cache[V] {
	return &cache[V]{owner: o, conversations: make(map[string]*list.Element), order: list.New(), under: make(map[string][]*flight[V])}
}

// A want is what a cache is asked for.
type want[V any] struct {
	conversation, key string        // without a conversation nothing is kept
	call              string        // fetches of the same call wait for one that hangs; "": key
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
		f := c.launch(w, nil)
		f.waiting++
		return found[V]{flight: f}
	}
	e := c.entry(w, now)
	if e.has && w.ttl > 0 && now.Before(e.expires) {
		return found[V]{value: e.value, fresh: true}
	}
	f := e.flight
	if f == nil || f.ctx.Err() != nil {
		f = c.launch(w, e)
	}
	f.waiting++
	return found[V]{value: e.value, stale: e.has, flight: f}
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
	t.entries[oldest].forsake()
	delete(t.entries, oldest)
}

func (c *cache[V]) drop(at *list.Element) {
	t := at.Value.(*conversation[V])
	for _, e := range t.entries {
		e.forsake()
	}
	delete(c.conversations, t.id)
	c.order.Remove(at)
}

// forsake leaves the flight of an entry that goes to those who wait for it.
func (e *entry[V]) forsake() {
	f := e.flight
	if f == nil {
		return
	}
	f.orphan, e.flight = true, nil
	if f.waiting == 0 {
		f.cancel()
	}
}

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
	for key, e := range entries {
		if strings.HasPrefix(key, prefix) {
			e.forsake()
			delete(entries, key)
		}
	}
}
