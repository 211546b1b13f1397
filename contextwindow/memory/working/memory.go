package working

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"
)

// A Memory is the working memory of any number of runs, each with a [Scope] of its own. It is safe for concurrent use.
type Memory struct {
	options Options

	mu       sync.RWMutex
	opened   int
	scopes   map[string]*Scope
	sessions map[string]*session
	swept    time.Time
}

// New returns an empty working memory. Nil means the default options.
func New(o *Options) *Memory {
	if o == nil {
		o = &Options{}
	}
	return &Memory{options: o.withDefaults(), scopes: make(map[string]*Scope), sessions: make(map[string]*session)}
}

// Open returns a new scope with an id that no other scope of m has or had.
func (m *Memory) Open() *Scope { return m.open(nil) }

// OpenIn returns a new scope in a session, usually named by the id of a thread. The texts of the session can be read
// in the scope, and [Scope.Keep] leaves the texts of the scope to the session.
func (m *Memory) OpenIn(name string) *Scope {
	m.sweep()
	m.mu.Lock()
	in := m.sessions[name]
	if in == nil {
		in = &session{options: &m.options, name: name}
		m.sessions[name] = in
	}
	in.scopes++
	m.mu.Unlock()
	return m.open(in)
}

func (m *Memory) open(in *session) *Scope {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.opened++
	s := &Scope{id: "w" + strconv.Itoa(m.opened), session: in, bodies: make(map[string]string),
		labels: make(map[string]Entry)}
	s.leave = func() { m.close(s) }
	m.scopes[s.id] = s
	return s
}

func (m *Memory) close(s *Scope) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.scopes, s.id)
	if in := s.session; in != nil {
		in.scopes--
		in.used = m.options.Now()
		if in.scopes == 0 && m.options.Archive != nil && m.sessions[in.name] == in {
			delete(m.sessions, in.name) // the next scope loads it again
		}
	}
}

// Get returns the text that an open scope holds under an id, as [Scope.Get] does. It returns [ErrNoScope] if the
// scope is not open.
func (m *Memory) Get(scope, id string) (string, error) {
	m.mu.RLock()
	s := m.scopes[scope]
	m.mu.RUnlock()
	if s == nil {
		return "", ErrNoScope
	}
	return s.Get(id)
}

// Entries returns the entries of a session, oldest first. Those whose text was evicted say why in Gone.
func (m *Memory) Entries(ctx context.Context, name string) ([]Entry, error) {
	s := m.OpenIn(name)
	defer s.Close()
	return s.session.list(ctx)
}

// Forget drops a session from memory. The caller drops what the [Archive] has of it.
func (m *Memory) Forget(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sessions, name)
}

const (
	// maxSessions is how many sessions without an open scope a process remembers. The ones used longest ago are forgotten
	// first.
	maxSessions = 1_024
	// sweepEvery is how often all sessions are searched for expired texts.
	sweepEvery = time.Minute
)

// sweep drops expired texts of sessions without an open scope.
func (m *Memory) sweep() {
	now := m.options.Now()
	m.mu.Lock()
	if now.Sub(m.swept) < sweepEvery && len(m.sessions) < 2*maxSessions {
		m.mu.Unlock()
		return
	}
	m.swept = now
	var idle []*session
	for _, s := range m.sessions {
		if s.scopes == 0 {
			idle = append(idle, s)
		}
	}
	slices.SortFunc(idle, func(a, b *session) int { return b.used.Compare(a.used) })
	for i, s := range idle {
		if i >= maxSessions {
			delete(m.sessions, s.name)
		}
	}
	m.mu.Unlock()
	for _, s := range idle[:min(len(idle), maxSessions)] {
		s.expire(now)
	}
}
