package contextwindow

import (
	"errors"
	"fmt"
	"sync"
)

// ErrNoBody says that a [Store] holds nothing under an id.
var ErrNoBody = errors.New("no such text")

// A Store keeps the full text of what was shortened or evicted, by the id that the view names. Put replaces an
// existing id. Implementations must be safe for concurrent use: tools read from it during a run.
type Store interface {
	Put(id, body string) error
	Get(id string) (string, error) // ErrNoBody for an unknown id
}

type mapStore struct {
	mu     sync.Mutex
	bodies map[string]string
}

func newMapStore() *mapStore { return &mapStore{bodies: make(map[string]string)} }

func (s *mapStore) Put(id, body string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bodies[id] = body
	return nil
}

func (s *mapStore) Get(id string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if body, ok := s.bodies[id]; ok {
		return body, nil
	}
	return "", fmt.Errorf("%w: %q", ErrNoBody, id)
}

func storePart(store Store, u *Unit, id partID) error {
	if u.source(id) != "" {
		return nil // it is stored under the id that it was read by
	}
	if err := store.Put(id.String(), u.text(id)); err != nil {
		return fmt.Errorf("storing %s: %w", id, err)
	}
	return nil
}
