package working

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// A Scope is the part of a working memory that one window writes. It implements [contextwindow.Store].
type Scope struct {
	id      string
	session *session // nil: none
	leave   func()   // takes the scope out of its memory

	mu     sync.RWMutex
	bodies map[string]string
	labels map[string]Entry // the calls that returned texts, by the sums of the texts
	closed bool
}

var _ contextwindow.Store = (*Scope)(nil)

// ID returns the id of the scope, which is unique in its working memory.
func (s *Scope) ID() string { return s.id }

// Put keeps a body under an id, in place of the one that was there. It never fails.
func (s *Scope) Put(id, body string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bodies[id] = body
	return nil
}

// Get returns the body that the scope, or else its session, holds under an id. The error is an [ExpiredError],
// [ErrNotFound] (both are also [contextwindow.ErrNoBody]), or that of the session's [Archive].
func (s *Scope) Get(id string) (string, error) {
	s.mu.RLock()
	body, ok := s.bodies[id]
	s.mu.RUnlock()
	if ok {
		return body, nil
	}
	if s.session != nil {
		return s.session.get(context.Background(), id)
	}
	return "", notFound(id)
}

// Label records which call returned a text, so that an [ExpiredError] can say how to get the text again.
func (s *Scope) Label(text string, call transcript.ToolCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.labels[sumOf(text)] = Entry{Tool: call.Name, Call: call.ID, Args: argumentsOf(call.Args)}
}

// Keep leaves the texts of the scope to its session, where they may expire once the scope is closed. Without a
// session it does nothing. If the session's [Archive] fails, its error is returned and the session has the texts in
// memory only.
func (s *Scope) Keep(ctx context.Context) error {
	if s.session == nil {
		return nil
	}
	s.mu.RLock()
	bodies, labels := maps.Clone(s.bodies), maps.Clone(s.labels)
	s.mu.RUnlock()
	if err := s.session.keep(ctx, bodies, labels); err != nil {
		return fmt.Errorf("keeping working memory: %w", err)
	}
	return nil
}

// Close ends the scope and drops its texts. Closing twice is no error.
func (s *Scope) Close() {
	s.mu.Lock()
	closed := s.closed
	s.closed = true
	s.mu.Unlock()
	if !closed {
		s.leave()
	}
}
