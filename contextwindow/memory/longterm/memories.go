package longterm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// Memories are the memories of all users. They are safe for concurrent use: searches run in parallel, changes that come
// at once are written together, and neither waits for an embedder that the other calls. A change shows, to searches
// too, when the store has it, and no earlier. The slices in returned memories are shared and must not be changed.
type Memories struct {
	store    Store // nil: none
	embedder embedder
	version  atomic.Int64

	line    line         // orders what reads and writes the store
	seen    int64        // number of the last change of the store that is known, under line
	mu      sync.RWMutex // guards what follows; never held while calling out
	shelf   *shelf
	touched []string // ids whose accesses the store does not know yet
}

// Options say what [Memories] are made of. Nil and zero mean the defaults.
type Options struct {
	// Store keeps the memories; nil: they end with the process.
	Store Store
	// Embed turns texts into vectors, one each, all of one length, as an embedding model does; nil: texts are compared by
	// words alone. Before its first text it gets a few unrelated ones, to measure what its cosines mean. A search waits
	// for it half of the time that it has, at most 5 seconds; after a failure it is not asked for 30 seconds.
	Embed func(ctx context.Context, texts []string) ([][]float32, error)
	// EmbedQuery does the same for questions, for models that treat them differently; nil: Embed.
	EmbedQuery func(ctx context.Context, texts []string) ([][]float32, error)
	// Embedder is the name of the model that Embed asks. Only vectors of one name are compared; [Memories.Reembed] renews
	// the others.
	Embedder string
}

// Open returns the memories that the store holds. The error is the store's.
func Open(ctx context.Context, o *Options) (*Memories, error) {
	if o == nil {
		o = &Options{}
	}
	l := &Memories{store: o.Store, embedder: embedder{
		ask: o.Embed, askQuery: o.EmbedQuery, name: o.Embedder, measuring: make(chan struct{}, 1),
	}}
	if o.EmbedQuery == nil {
		l.embedder.askQuery = o.Embed
	}
	l.line.put, l.line.remove, l.line.busy = l.writePuts, l.writeDeletes, make(chan struct{}, 1)
	return l, l.Reload(ctx)
}

// Reload reads all memories from the store again, after another process has written it. With an error nothing changes.
func (l *Memories) Reload(ctx context.Context) error {
	if err := l.line.lock(ctx); err != nil {
		return fmt.Errorf("reading memories: %w", err)
	}
	defer l.line.unlock()
	if l.store == nil && l.shelf != nil {
		return nil
	}
	if err := l.readAll(ctx); err != nil {
		return fmt.Errorf("reading memories: %w", err)
	}
	return nil
}

// readAll reads all memories from the store. The caller has locked the line.
func (l *Memories) readAll(ctx context.Context) error {
	fresh := newShelf()
	seen := int64(0)
	if l.store != nil {
		if f, ok := l.store.(follower); ok { // first, so that a change meanwhile is read once more
			var err error
			if _, _, seen, err = f.Changes(ctx, -1); err != nil {
				return err
			}
		}
		for m, err := range l.store.All(ctx) {
			if err != nil {
				return err
			}
			fresh.put(m, l.embedder.comparable(m))
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shelf, l.seen = fresh, seen
	l.version.Add(1)
	return nil
}

// Refresh takes over what other processes have written to the store, if the store has the method Changes (see [Store]).
// It is cheap if nothing is new. While this process writes a change, it does nothing. With an error nothing changes.
func (l *Memories) Refresh(ctx context.Context) error {
	f, ok := l.store.(follower)
	if !ok || !l.line.tryLock() {
		return nil
	}
	defer l.line.unlock()
	changed, deleted, last, err := f.Changes(ctx, l.seen)
	if err != nil {
		return fmt.Errorf("reading memories: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	news := false
	for _, m := range changed {
		if old, ok := l.shelf.get(m.ID); ok && old.sameText(&m) {
			continue // this process wrote it
		}
		l.shelf.put(m, l.embedder.comparable(m))
		news = true
	}
	for _, id := range deleted {
		if _, ok := l.shelf.get(id); ok {
			l.shelf.remove(id)
			news = true
		}
	}
	l.shelf.tidy()
	if l.seen = last; news {
		l.version.Add(1)
	}
	return nil
}

// Version returns a number that grows with every memory that is added, changed or deleted, by this process or, after
// [Memories.Refresh], by another one. Accesses do not count.
func (l *Memories) Version() int64 { return l.version.Load() }

// Failures returns how often the embedder has failed. The calls that needed it continued without it.
func (l *Memories) Failures() int { return int(l.embedder.failures.Load()) }

// Get returns a memory, superseded or not, or [ErrNotFound].
func (l *Memories) Get(id string) (Memory, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	m, ok := l.shelf.get(id)
	if !ok {
		return Memory{}, fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	return m, nil
}

// List returns the memories of a user, oldest first. An empty category means all. Superseded ones are left out unless
// asked for.
func (l *Memories) List(user string, category Category, superseded bool) []Memory {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var found []Memory
	for _, e := range l.shelf.entries {
		if !e.removed && e.User == user && (category == "" || e.Category == category) &&
			(superseded || e.SupersededBy == "") {
			found = append(found, e.Memory)
		}
	}
	slices.SortFunc(found, func(a, b Memory) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID)) })
	return found
}

// Top returns the n most important memories of a user, of equally important ones the latest first.
func (l *Memories) Top(user string, n int) []Memory {
	found := l.List(user, "", false)
	slices.SortStableFunc(found, func(a, b Memory) int {
		return cmp.Or(cmp.Compare(b.Importance, a.Importance), b.Updated.Compare(a.Updated))
	})
	return found[:min(max(n, 0), len(found))]
}
