package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
)

// InMemory is a [Store] in memory. The zero value is empty and ready to use.
type InMemory struct {
	mu      sync.Mutex
	records map[string][]Record
	running map[string]bool
}

var _ Store = (*InMemory)(nil)

// AppendRecords implements [Store].
func (m *InMemory) AppendRecords(ctx context.Context, id string, from int, records ...Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if id == "" {
		return errors.New("a session needs an id")
	}
	if has := len(m.records[id]); has != from {
		return fmt.Errorf("session %q: %w: it has %d records, not %d", id, ErrConflict, has, from)
	}
	if m.records == nil {
		m.records = make(map[string][]Record)
	}
	m.records[id] = append(slices.Clip(m.records[id]), records...)
	return nil
}

// Records implements [Store].
func (m *InMemory) Records(ctx context.Context, id string) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(Record{}, err)
			return
		}
		m.mu.Lock()
		records, known := m.records[id]
		m.mu.Unlock()
		if !known {
			yield(Record{}, ErrUnknown)
			return
		}
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// LockSession implements [Store].
func (m *InMemory) LockSession(ctx context.Context, id string) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.running[id] {
		return nil, fmt.Errorf("session %q: %w", id, ErrInUse)
	}
	if m.running == nil {
		m.running = make(map[string]bool)
	}
	m.running[id] = true
	return sync.OnceFunc(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.running, id)
	}), nil
}
