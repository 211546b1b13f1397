package contextwindow

import (
	"errors"
	"fmt"
	"sync"
)

// ErrNoBody says that a store holds nothing under an id.
var ErrNoBody = errors.New("no such text")

// A Store keeps the full text of what was cut, by the id that its pointer names. Put with an id that is there
// already replaces it. Implementations are safe for concurrent use, since tools read while a run goes on.
type Store interface {
	Put(id, body string) error
	Get(id string) (string, error) // ErrNoBody if there is none
}

// mapStore is the Store of a window that was given none.
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
