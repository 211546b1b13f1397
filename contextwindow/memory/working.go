package memory

import (
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/forayhq/foray/contextwindow"
)

// What Get can find wrong with where it is asked to look.
var (
	ErrNoScope  = errors.New("no working memory here: the run keeps none, or is over")
	ErrNotFound = errors.New("working memory holds no such id")
)

// A Working is the working memory of any number of runs, each in a scope of its own. It is safe for concurrent use.
type Working struct {
	mu     sync.RWMutex
	opened int
	scopes map[string]*Scope
}

// NewWorking returns an empty working memory. Its bodies are in memory and go with their scope.
func NewWorking() *Working { return &Working{scopes: make(map[string]*Scope)} }

// Open returns a new scope with an id that no other scope of w has or had.
func (w *Working) Open() *Scope {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.opened++
	s := &Scope{memory: w, id: "w" + strconv.Itoa(w.opened), bodies: make(map[string]string)}
	w.scopes[s.id] = s
	return s
}

// Get returns the text that a scope holds under an id: ErrNoScope if the scope is not open, ErrNotFound if it holds
// no such id.
func (w *Working) Get(scope, id string) (string, error) {
	w.mu.RLock()
	s := w.scopes[scope]
	w.mu.RUnlock()
	if s == nil {
		return "", ErrNoScope
	}
	return s.Get(id)
}

// A Scope is the part of a working memory that one window writes. It implements contextwindow.Store.
type Scope struct {
	memory *Working
	id     string
	mu     sync.RWMutex
	bodies map[string]string
}

var _ contextwindow.Store = (*Scope)(nil)

// ID returns the id of the scope, which is unique in its working memory.
func (s *Scope) ID() string { return s.id }

// Put keeps a body under an id, in place of what was there. It never fails.
func (s *Scope) Put(id, body string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bodies[id] = body
	return nil
}

// Get returns the body under an id. The error is ErrNotFound, and also contextwindow.ErrNoBody.
func (s *Scope) Get(id string) (string, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	body, ok := s.bodies[id]
	if !ok {
		return "", fmt.Errorf("%w: %q (%w)", ErrNotFound, id, contextwindow.ErrNoBody)
	}
	return body, nil
}

// Close ends the scope and drops what it holds. It is not an error to close twice.
func (s *Scope) Close() {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	delete(s.memory.scopes, s.id)
}
