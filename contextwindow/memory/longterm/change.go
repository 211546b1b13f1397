package longterm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// The bounds of a memory. Longer texts belong into documents.
const (
	maxContent        = 4000 // characters
	defaultImportance = 5
)

// Check says what is wrong with a memory that is to be saved, nil if nothing is.
func (m *Memory) Check() error {
	switch n := utf8.RuneCountInString(m.Content); {
	case strings.TrimSpace(m.Content) == "":
		return errors.New("a memory needs a content")
	case n > maxContent:
		return fmt.Errorf("a memory of %d characters is longer than %d", n, maxContent)
	case !utf8.ValidString(m.Content):
		return errors.New("the content of a memory must be UTF-8")
	case !slices.Contains(Categories(), m.Category):
		return fmt.Errorf("there is no category %q; there are %q", m.Category, Categories())
	case m.Importance < 1 || m.Importance > 10:
		return fmt.Errorf("importance %d is not from 1 to 10", m.Importance)
	}
	return nil
}

// Save adds a memory and returns it as it is kept: with an id made of what it says, whose it is and when, if it has none;
// importance 5 if it is 0; and its embedding. A memory that is there already is replaced, with its accesses. An embedder
// that fails leaves it without embedding.
func (l *Memories) Save(ctx context.Context, m Memory, at time.Time) (Memory, error) {
	if err := l.prepare(ctx, &m, at); err != nil {
		return Memory{}, err
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	if old, err := l.Get(m.ID); err == nil {
		m.Accesses, m.LastAccess = old.Accesses, old.LastAccess
	}
	return m, l.write(ctx, m)
}

// prepare fills in what a new memory leaves open, and embeds it.
func (l *Memories) prepare(ctx context.Context, m *Memory, at time.Time) error {
	m.Content = strings.TrimSpace(m.Content)
	m.Importance = cmp.Or(m.Importance, defaultImportance)
	if err := m.Check(); err != nil {
		return fmt.Errorf("saving a memory: %w", err)
	}
	if m.Created.IsZero() {
		m.Created = at
	}
	m.Updated = at
	m.ID = cmp.Or(m.ID, newID(*m))
	l.embedInto(ctx, m)
	return nil
}

func newID(m Memory) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{m.User, string(m.Category), m.Content, m.Created.UTC().Format(time.RFC3339Nano)}, "\x00")))
	return "m" + hex.EncodeToString(sum[:8])
}

// embedInto gives a memory its embedding, if there is an embedder that answers.
func (l *Memories) embedInto(ctx context.Context, m *Memory) {
	m.Embedding, m.Embedder = nil, ""
	if v := l.vector(ctx, m.Content); v != nil {
		m.Embedding, m.Embedder = v, l.embedder
	}
}

// Update changes a memory by a func, which is given a copy and must not call l; it may be called again if the memory
// changes meanwhile. Id, user and creation stay; another content is embedded anew. ErrNotFound if there is none of the id.
func (l *Memories) Update(ctx context.Context, id string, at time.Time, change func(*Memory)) (Memory, error) {
	for {
		old, err := l.Get(id)
		if err != nil {
			return Memory{}, fmt.Errorf("changing a memory: %w", err)
		}
		m := old
		m.Links = slices.Clone(m.Links)
		change(&m)
		m.Content = strings.TrimSpace(m.Content)
		m.ID, m.User, m.Created, m.Updated = old.ID, old.User, old.Created, at
		if err := m.Check(); err != nil {
			return Memory{}, fmt.Errorf("changing a memory: %w", err)
		}
		if m.Content != old.Content {
			l.embedInto(ctx, &m)
		}
		if done, err := l.exchange(ctx, old, m); done {
			return m, err
		}
	}
}

// exchange writes a memory if the old one is still there, and reports whether that is so or it cannot be written.
func (l *Memories) exchange(ctx context.Context, old, m Memory) (done bool, err error) {
	l.writing.Lock()
	defer l.writing.Unlock()
	now, err := l.Get(old.ID)
	if err != nil {
		return true, fmt.Errorf("changing a memory: %w", err)
	}
	if !now.Updated.Equal(old.Updated) || now.Content != old.Content || now.SupersededBy != old.SupersededBy {
		return false, nil
	}
	m.Accesses, m.LastAccess = now.Accesses, now.LastAccess
	return true, l.write(ctx, m)
}

// write puts memories into the store and then on the shelf. The caller holds writing.
func (l *Memories) write(ctx context.Context, memories ...Memory) error {
	if l.store != nil {
		if err := l.store.Put(ctx, memories...); err != nil {
			return fmt.Errorf("saving a memory: %w", err)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range memories {
		l.shelf.put(m, l.comparable(m))
	}
	l.version.Add(1)
	return nil
}

// Delete removes memories for good, from the store too. Ids that are not there are passed over. A memory that a deleted
// one superseded stays superseded.
func (l *Memories) Delete(ctx context.Context, ids ...string) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if l.store != nil {
		if err := l.store.Delete(ctx, ids...); err != nil {
			return fmt.Errorf("deleting memories: %w", err)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		l.shelf.remove(id)
	}
	l.shelf.tidy()
	l.version.Add(1)
	return nil
}

// touch notes an access of memories. If a change is being written the store is told with the next access, and what it
// does not take is not told again: an access is not worth failing a search for.
func (l *Memories) touch(ctx context.Context, found []Match, at time.Time) {
	l.mu.Lock()
	for i := range found {
		m, ok := l.shelf.get(found[i].ID)
		if !ok {
			continue
		}
		m.Accesses++
		m.LastAccess = at
		l.shelf.touch(m)
		found[i].Memory = m
		l.untold = append(l.untold, m.ID)
	}
	l.mu.Unlock()
	if !l.writing.TryLock() {
		return
	}
	defer l.writing.Unlock()
	l.mu.Lock()
	ids := l.untold
	l.untold = nil
	l.mu.Unlock()
	if l.store != nil {
		_ = l.tell(ctx, at, ids)
	}
}

// tell tells the store of accesses. The caller holds writing.
func (l *Memories) tell(ctx context.Context, at time.Time, ids []string) error {
	if t, ok := l.store.(toucher); ok {
		return t.Touch(ctx, at, ids...)
	}
	var read []Memory
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if m, err := l.Get(id); err == nil {
			read = append(read, m)
		}
	}
	return l.store.Put(ctx, read...)
}

// Supersede saves a memory that says otherwise than those of the ids, which stay as history and are no longer found. All
// of it is written at once. Ids that are not there, or of another user, are passed over.
func (l *Memories) Supersede(ctx context.Context, m Memory, at time.Time, ids ...string) (Memory, error) {
	return l.saveBeside(ctx, m, at, ids, func(m, old *Memory) { old.SupersededBy = m.ID })
}

// link saves a memory and links it with those of the ids, both ways.
func (l *Memories) link(ctx context.Context, m Memory, at time.Time, ids ...string) (Memory, error) {
	return l.saveBeside(ctx, m, at, ids, func(m, old *Memory) {
		m.Links = append(m.Links, old.ID)
		old.Links = append(slices.Clip(old.Links), m.ID)
	})
}

// saveBeside saves a memory together with a change of others.
func (l *Memories) saveBeside(ctx context.Context, m Memory, at time.Time, ids []string, change func(m, old *Memory)) (Memory, error) {
	if err := l.prepare(ctx, &m, at); err != nil {
		return Memory{}, err
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	changed := []Memory{{}}
	for _, id := range ids {
		if old, err := l.Get(id); err == nil && old.User == m.User && old.ID != m.ID {
			change(&m, &old)
			changed = append(changed, old)
		}
	}
	changed[0] = m
	return m, l.write(ctx, changed...)
}
