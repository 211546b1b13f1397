package longterm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// ErrNotFound is the error of an id that no memory has: it never was, or was deleted.
var ErrNotFound = errors.New("no such memory")

// A Category is what kind of thing a memory says.
type Category string

// The categories of memories.
const (
	UserPreference Category = "user_preference"
	ProjectContext Category = "project_context"
	Fact           Category = "fact"
	Skill          Category = "skill"
)

// Categories returns the categories in the order in which they are shown.
func Categories() []Category { return []Category{UserPreference, ProjectContext, Fact, Skill} }

// A Memory is one statement that outlives its conversation. As JSON it is a line of an export.
type Memory struct {
	ID         string    `json:"id"`
	User       string    `json:"user,omitempty"`
	Category   Category  `json:"category"`
	Content    string    `json:"content"`
	Importance int       `json:"importance"` // 1 to 10
	Accesses   int       `json:"access_count"`
	LastAccess time.Time `json:"last_access,omitzero"`
	// Embedding is what the embedder made of Content, and Embedder the name of the one that did; both are empty with the
	// built-in similarity, which needs none.
	Embedding  []float32  `json:"embedding,omitempty"`
	Embedder   string     `json:"embedder,omitempty"`
	Provenance Provenance `json:"provenance,omitzero"`
	Created    time.Time  `json:"created,omitzero"`
	Updated    time.Time  `json:"updated,omitzero"`
	// SupersededBy is the id of the memory that says otherwise now; empty while this one holds.
	SupersededBy string `json:"superseded_by,omitempty"`
	// Links are the ids of memories that say something like it.
	Links []string `json:"links,omitempty"`
}

// A Provenance says where a memory comes from. Both parts are empty for one that a person wrote.
type Provenance struct {
	Thread  string `json:"thread,omitempty"`
	Message string `json:"message,omitempty"`
}

// An embedder turns texts into vectors, one each, all of one length.
type embedder = func(ctx context.Context, texts []string) ([][]float32, error)

// A Store keeps memories beyond the process. A Memories reads it once, when it is made, and writes every change through
// before it shows; its calls of Put, Delete and Touch come one at a time. A Store that can do so is also a Toucher.
type Store interface {
	// All yields every memory of every user, superseded ones too, oldest first: by Created, then by id. An error is the
	// last pair.
	All(ctx context.Context) iter.Seq2[Memory, error]
	// Put keeps memories, each in place of the one that has its id: all of them or, with an error, none.
	Put(ctx context.Context, memories ...Memory) error
	// Delete removes memories for good: all of them or, with an error, none. Ids that are not there are passed over.
	Delete(ctx context.Context, ids ...string) error
}

// A toucher is a Store that notes one more access of memories without writing them whole.
type toucher interface {
	Touch(ctx context.Context, at time.Time, ids ...string) error
}

// A follower is a Store that knows what other processes wrote to it. Changes returns the memories that were added or
// changed after a change, as they are now, the ids of deleted ones, and the number of the last change. With a number below
// 0 it returns only the last number.
type follower interface {
	Changes(ctx context.Context, after int64) (changed []Memory, deleted []string, last int64, err error)
}

// A Memories is what is remembered of users beyond their conversations. All of it is in memory, and written through to a
// Store. It is safe for concurrent use: searches run side by side, changes one at a time, and neither waits for an
// embedder that the other calls. What is remembered is what users and models said: it is data, and no instruction.
type Memories struct {
	store    Store
	embed    embedder
	embedder string
	failures atomic.Int64
	version  atomic.Int64

	writing sync.Mutex   // orders changes; held while the store is written
	seen    int64        // number of the last change of the store that is known, under writing
	mu      sync.RWMutex // guards what follows; never held while calling out
	shelf   *shelf
	untold  []string // ids whose accesses the store was not told of
}

// Options say what a Memories is made of. Nil and zero mean the defaults.
type Options struct {
	// Store keeps the memories; nil: they end with the process.
	Store Store
	// Embed makes vectors of texts; nil: similarity is that of words alone.
	Embed func(ctx context.Context, texts []string) ([][]float32, error)
	// Embedder is the name of what Embed asks. Vectors of another name are not compared with its own: Reembed makes them new.
	Embedder string
}

// Open returns a long-term memory with what the store holds. The error is the store's.
func Open(ctx context.Context, o *Options) (*Memories, error) {
	if o == nil {
		o = &Options{}
	}
	l := &Memories{store: o.Store, embed: o.Embed, embedder: o.Embedder}
	return l, l.Reload(ctx)
}

// Reload reads the memories from the store again, for when another process has written it. With an error, what was there
// stays.
func (l *Memories) Reload(ctx context.Context) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if l.store == nil && l.shelf != nil {
		return nil
	}
	return l.readAll(ctx)
}

// readAll reads all memories from the store. The caller holds writing.
func (l *Memories) readAll(ctx context.Context) error {
	fresh := newShelf()
	seen := int64(0)
	if l.store != nil {
		if f, ok := l.store.(follower); ok { // first, so that what changes meanwhile is read once more
			var err error
			if _, _, seen, err = f.Changes(ctx, -1); err != nil {
				return fmt.Errorf("reading memories: %w", err)
			}
		}
		for m, err := range l.store.All(ctx) {
			if err != nil {
				return fmt.Errorf("reading memories: %w", err)
			}
			fresh.put(m, l.comparable(m))
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shelf, l.seen = fresh, seen
	l.version.Add(1)
	return nil
}

// Refresh takes in what other processes have written since, if the store is a Follower; it is cheap if there is nothing. With
// an error, what was there stays. While a change is being written by this process it does nothing.
func (l *Memories) Refresh(ctx context.Context) error {
	f, ok := l.store.(follower)
	if !ok || !l.writing.TryLock() {
		return nil
	}
	defer l.writing.Unlock()
	changed, deleted, last, err := f.Changes(ctx, l.seen)
	if err != nil {
		return fmt.Errorf("reading memories: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	news := false
	for _, m := range changed {
		if old, ok := l.shelf.get(m.ID); ok && old.Updated.Equal(m.Updated) && old.Content == m.Content && old.Importance == m.Importance &&
			old.Category == m.Category && old.SupersededBy == m.SupersededBy && slices.Equal(old.Links, m.Links) && old.Embedder == m.Embedder {
			continue // it was written by this process
		}
		l.shelf.put(m, l.comparable(m))
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

// Version returns a number that grows whenever a memory was added, changed or deleted, by this process or by another one
// of which Refresh has learnt. That a memory was read does not count.
func (l *Memories) Version() int64 { return l.version.Load() }

// comparable returns the embedding of a memory if it is of the embedder of l.
func (l *Memories) comparable(m Memory) []float32 {
	if l.embed == nil || m.Embedder != l.embedder {
		return nil
	}
	return normal(m.Embedding)
}

// Get returns a memory, superseded or not; ErrNotFound if there is none of the id. Its slices are shared and must not be
// changed, like those of all memories that a Memories returns.
func (l *Memories) Get(id string) (Memory, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	m, ok := l.shelf.get(id)
	if !ok {
		return Memory{}, fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	return m, nil
}

// List returns the memories of a user, oldest first; of one category, or of all if it is "". Superseded ones are among
// them if they are asked for.
func (l *Memories) List(user string, category Category, superseded bool) []Memory {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var found []Memory
	for _, e := range l.shelf.entries {
		if !e.removed && e.User == user && (category == "" || e.Category == category) && (superseded || e.SupersededBy == "") {
			found = append(found, e.Memory)
		}
	}
	slices.SortFunc(found, func(a, b Memory) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID)) })
	return found
}

// Top returns the at most n most important memories of a user; of equally important ones the latest first.
func (l *Memories) Top(user string, n int) []Memory {
	found := l.List(user, "", false)
	slices.SortStableFunc(found, func(a, b Memory) int {
		return cmp.Or(cmp.Compare(b.Importance, a.Importance), b.Updated.Compare(a.Updated))
	})
	return found[:min(max(n, 0), len(found))]
}

// Failures returns how often the embedder has failed. What it was asked for went on without it.
func (l *Memories) Failures() int { return int(l.failures.Load()) }
