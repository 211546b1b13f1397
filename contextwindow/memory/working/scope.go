package working

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"sync"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// A Scope is the part of a working memory that one window writes. It implements contextwindow.Store.
type Scope struct {
	memory  *Memory
	session *workingSession // nil: none
	id      string
	mu      sync.RWMutex
	bodies  map[string]string
	labels  map[string]Entry // by the sums of texts: of which calls they are
	closed  bool
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

// Get returns the body under an id: that of the scope, or else that of its session. The error is an ExpiredError or
// ErrNotFound, both of which are also contextwindow.ErrNoBody, or that of the session's Archive.
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

func notFound(id string) error {
	return fmt.Errorf("%w: %q (%w)", ErrNotFound, id, contextwindow.ErrNoBody)
}

// Label says which call a text is the result of, so that who asks for it when it is gone can be told how to get it again.
func (s *Scope) Label(text string, call transcript.ToolCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.labels[sumOf(text)] = Entry{Tool: call.Name, Call: call.ID, Args: argumentsOf(call.Args)}
}

// longestArguments is how much of a call's arguments an entry tells, in bytes.
const longestArguments = 500

// argumentsOf are the arguments of a call if they are short JSON.
func argumentsOf(args json.RawMessage) string {
	if len(args) > longestArguments || !json.Valid(args) {
		return ""
	}
	return string(args)
}

// Keep leaves what the scope holds to its session, where it may expire once the scope is closed. A scope without a session
// keeps nothing. The error is that of the session's Archive; the session in memory has it nevertheless.
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

// Close ends the scope and drops what it holds. It is not an error to close twice.
func (s *Scope) Close() {
	s.mu.Lock()
	closed := s.closed
	s.closed = true
	s.mu.Unlock()
	if closed {
		return
	}
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	delete(s.memory.scopes, s.id)
	if in := s.session; in != nil {
		in.scopes--
		in.used = s.memory.options.Now()
		if in.scopes == 0 && s.memory.options.Archive != nil && s.memory.sessions[in.name] == in {
			delete(s.memory.sessions, in.name) // it is read again when it is wanted
		}
	}
}

// An ExpiredError is the error of an id that a session held once. It is also [contextwindow.ErrNoBody].
type ExpiredError struct{ Entry Entry }

// Error says what has gone and why.
func (e *ExpiredError) Error() string {
	return fmt.Sprintf("working memory no longer holds it: %q: %s", e.Entry.ID, e.Entry.Gone)
}

// Is reports whether target is [contextwindow.ErrNoBody].
func (e *ExpiredError) Is(target error) bool { return target == contextwindow.ErrNoBody }
