// Package cache holds fetched values by conversation and key, with one fetch in flight per key.
//
// Each entry has its own expiry. A conversation is dropped after five minutes without a lookup, or when there are too
// many and it is the least recently used. Nothing is locked during a fetch.
//
// Start with [New] and [Cache.Look].
package cache

import (
	"cmp"
	"container/list"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	maxConversations = 1_024
	maxEntries       = 64 // of one conversation
	idleTime         = 5 * time.Minute
)

// A Cache holds values of one type. It is safe for concurrent use.
type Cache[V any] struct {
	owner *Owner

	mu            sync.Mutex
	conversations map[string]*list.Element
	recent        *list.List              // of *conversation[V], the most recently used first
	inFlight      map[string][]*Flight[V] // by conversation and call, also those whose entries were dropped
}

type conversation[V any] struct {
	id      string
	used    time.Time
	entries map[string]*entry[V]
}

type entry[V any] struct {
	value   V
	filled  bool
	expires time.Time
	used    time.Time
	flight  *Flight[V] // that any lookup may join; nil: none
}

// New returns an empty cache whose fetches belong to an owner.
func New[V any](o *Owner) *Cache[V] {
	return &Cache[V]{
		owner: o, conversations: make(map[string]*list.Element), recent: list.New(), inFlight: make(map[string][]*Flight[V]),
	}
}

// A Lookup says what is wanted and how to fetch it.
type Lookup[V any] struct {
	Conversation string        // "": the value is fetched and not kept
	Key          string        // of the value in its conversation
	Call         string        // a fetch waits for earlier ones of the same Call that have not returned; "": Key
	TTL          time.Duration // 0: fetch every time, and keep the value only for when a fetch is late
	Limit        time.Duration // of the fetch; 0: none
	Fetch        func(context.Context) (V, error)
}

// A Found is what the cache has without waiting.
type Found[V any] struct {
	Value  V
	Fresh  bool       // Value is valid
	Stale  bool       // Value is an older one, in case Flight is late or fails
	Flight *Flight[V] // nil if Fresh
}

// Look returns what the cache has. If that is not fresh, it also starts a fetch or joins the one in flight, and the
// caller must call [Cache.Wait] or [Cache.Leave].
func (c *Cache[V]) Look(l Lookup[V]) Found[V] {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if l.Conversation == "" {
		f := c.launch(l, nil)
		f.waiting++
		return Found[V]{Flight: f}
	}
	e := c.entry(l, now)
	if e.filled && l.TTL > 0 && now.Before(e.expires) {
		return Found[V]{Value: e.value, Fresh: true}
	}
	f := e.flight
	if f == nil || f.ctx.Err() != nil {
		f = c.launch(l, e)
	}
	f.waiting++
	return Found[V]{Value: e.value, Stale: e.filled, Flight: f}
}

// Peek returns a value that was kept and has not expired.
func (c *Cache[V]) Peek(conversation, key string) (value V, ok bool) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entry(Lookup[V]{Conversation: conversation, Key: key}, now)
	if ok = e.filled && now.Before(e.expires); ok {
		value = e.value
	}
	return value, ok
}

// Keep keeps a value for a time.
func (c *Cache[V]) Keep(conversation, key string, value V, ttl time.Duration) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entry(Lookup[V]{Conversation: conversation, Key: key}, now)
	e.value, e.filled, e.expires = value, true, now.Add(ttl)
}

// Invalidate drops the entries of a conversation whose keys begin with prefix; "" drops the conversation. The value
// of a fetch in flight is not kept.
func (c *Cache[V]) Invalidate(id, prefix string) {
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
			e.release()
			delete(entries, key)
		}
	}
}

// entry returns the entry of a key, making it if needed, and drops conversations that are idle or too many.
func (c *Cache[V]) entry(l Lookup[V], now time.Time) *entry[V] {
	for last := c.recent.Back(); last != nil; last = c.recent.Back() {
		t := last.Value.(*conversation[V])
		if now.Sub(t.used) < idleTime && c.recent.Len() <= maxConversations {
			break
		}
		c.drop(last)
	}
	at := c.conversations[l.Conversation]
	if at == nil {
		at = c.recent.PushFront(&conversation[V]{id: l.Conversation, entries: make(map[string]*entry[V])})
		c.conversations[l.Conversation] = at
	}
	c.recent.MoveToFront(at)
	t := at.Value.(*conversation[V])
	t.used = now
	e := t.entries[l.Key]
	if e == nil {
		t.makeRoom()
		e = new(entry[V])
		t.entries[l.Key] = e
	}
	e.used = now
	return e
}

// makeRoom drops the least recently used entry if the conversation is full.
func (t *conversation[V]) makeRoom() {
	if len(t.entries) < maxEntries {
		return
	}
	oldest := slices.MinFunc(slices.Collect(maps.Keys(t.entries)), func(a, b string) int {
		return cmp.Or(t.entries[a].used.Compare(t.entries[b].used), cmp.Compare(a, b))
	})
	t.entries[oldest].release()
	delete(t.entries, oldest)
}

func (c *Cache[V]) drop(at *list.Element) {
	t := at.Value.(*conversation[V])
	for _, e := range t.entries {
		e.release()
	}
	delete(c.conversations, t.id)
	c.recent.Remove(at)
}

// release detaches the flight from a dropped entry. Lookups that wait for it still get its value.
func (e *entry[V]) release() {
	f := e.flight
	if f == nil {
		return
	}
	f.detached, e.flight = true, nil
	if f.waiting == 0 {
		f.cancel()
	}
}
