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

// A mapStore is the Store in memory. It takes texts that another store has without reading them.
type mapStore struct {
	mu     sync.Mutex
	bodies map[string]string
	left   map[string]LeftText
}

func newMapStore() *mapStore {
	return &mapStore{bodies: make(map[string]string), left: make(map[string]LeftText)}
}

func (s *mapStore) Put(id, body string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bodies[id] = body
	return nil
}

func (s *mapStore) putLeft(id string, t LeftText) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left[id] = t
}

func (s *mapStore) Get(id string) (string, error) {
	s.mu.Lock()
	body, ok := s.bodies[id]
	left, isLeft := s.left[id]
	s.mu.Unlock()
	switch {
	case ok:
		return body, nil
	case isLeft:
		return left.read()
	}
	return "", fmt.Errorf("%w: %q", ErrNoBody, id)
}

func storePart(store Store, u *Unit, id partID) error {
	if u.source(id) != "" {
		return nil // it is stored under the id that it was read by
	}
	text := ""
	if left, is := u.Left[id.part]; !is || id.args {
		text = u.text(id)
	} else if own, is := store.(*mapStore); is {
		own.putLeft(id.String(), left)
		return nil
	} else {
		var err error
		if text, err = left.read(); err != nil {
			return fmt.Errorf("storing %s: %w", id, err)
		}
	}
	if err := store.Put(id.String(), text); err != nil {
		return fmt.Errorf("storing %s: %w", id, err)
	}
	return nil
}
