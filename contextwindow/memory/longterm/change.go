package longterm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Save adds a memory and returns it as it was stored. An empty id is made up, importance 0 means 5, and the content is
// embedded unless the embedder fails. A memory with the same id is replaced; its accesses are kept.
func (l *Memories) Save(ctx context.Context, m Memory, at time.Time) (Memory, error) {
	if err := l.prepare(ctx, &m, at); err != nil {
		return Memory{}, err
	}
	err := l.put(ctx, func(get getter) ([]Memory, error) {
		if old, err := get(m.ID); err == nil {
			m.Accesses, m.LastAccess = old.Accesses, old.LastAccess
		}
		return []Memory{m}, nil
	})
	return m, err
}

// prepare fills in the defaults of a new memory and embeds it.
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
	l.embedder.embed(ctx, m)
	return nil
}

// Update changes a memory by a func, which gets a copy and must not call l. The func is called again if the memory
// changes meanwhile. Id, user and creation stay; a new content is embedded. The error may be [ErrNotFound].
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
			l.embedder.embed(ctx, &m)
		}
		if done, err := l.exchange(ctx, old, m); done {
			return m, err
		}
	}
}

// exchange writes a memory unless the old one has changed meanwhile. It reports false if it has.
func (l *Memories) exchange(ctx context.Context, old, m Memory) (done bool, err error) {
	err = l.put(ctx, func(get getter) ([]Memory, error) {
		now, err := get(old.ID)
		if err != nil {
			return nil, fmt.Errorf("changing a memory: %w", err)
		}
		done = now.Updated.Equal(old.Updated) && now.Content == old.Content && now.SupersededBy == old.SupersededBy
		if !done {
			return nil, nil
		}
		m.Accesses, m.LastAccess = now.Accesses, now.LastAccess
		return []Memory{m}, nil
	})
	return done || err != nil, err
}

// Delete removes memories for good, from the store too. Unknown ids are ignored. A memory that a deleted one superseded
// stays superseded.
func (l *Memories) Delete(ctx context.Context, ids ...string) error {
	return l.line.commit(ctx, &change{deletes: ids})
}

// touch counts an access of each memory that a search found. If a change is being written, the store learns of it
// with the next access. If the store fails, the access is lost: it is not worth failing a search for.
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
		l.touched = append(l.touched, m.ID)
	}
	l.mu.Unlock()
	if !l.line.tryLock() {
		return
	}
	defer l.line.unlock()
	l.mu.Lock()
	ids := l.touched
	l.touched = nil
	l.mu.Unlock()
	if l.store != nil {
		_ = touch(ctx, l.store, at, ids, l.Get)
	}
}

// Supersede saves a memory in place of those with the ids, all in one change. The old ones stay as history but are no
// longer found. Unknown ids and those of another user are ignored.
func (l *Memories) Supersede(ctx context.Context, m Memory, at time.Time, ids ...string) (Memory, error) {
	return l.saveBeside(ctx, m, at, ids, func(m, old *Memory) { old.SupersededBy = m.ID })
}

// link saves a memory and links it with those with the ids, both ways.
func (l *Memories) link(ctx context.Context, m Memory, at time.Time, ids ...string) (Memory, error) {
	return l.saveBeside(ctx, m, at, ids, func(m, old *Memory) {
		m.Links = append(m.Links, old.ID)
		old.Links = append(slices.Clip(old.Links), m.ID)
	})
}

// saveBeside saves a memory together with a change of others.
func (l *Memories) saveBeside(ctx context.Context, m Memory, at time.Time, ids []string,
	change func(m, old *Memory)) (Memory, error) {
	if err := l.prepare(ctx, &m, at); err != nil {
		return Memory{}, err
	}
	saved := m
	err := l.put(ctx, func(get getter) ([]Memory, error) {
		saved = m
		saved.Links = slices.Clone(m.Links)
		changed := []Memory{{}}
		for _, id := range ids {
			if old, err := get(id); err == nil && old.User == m.User && old.ID != m.ID {
				change(&saved, &old)
				changed = append(changed, old)
			}
		}
		changed[0] = saved
		return changed, nil
	})
	return saved, err
}
