package working

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"
)

// What Get can find wrong with where it is asked to look.
var (
	ErrNoScope  = errors.New("no working memory here: the run keeps none, or is over")
	ErrNotFound = errors.New("working memory holds no such id")
)

// The bounds of what a session keeps when no window is open that points to it (context-system: WorkingMemory).
const (
	defaultIdle     = 30 * time.Minute
	defaultAbsolute = 2 * time.Hour
	defaultEntries  = 256
	defaultBytes    = 64 << 20
)

// Options say what a Memory keeps of sessions, and for how long. Nil and zero mean the defaults.
type Options struct {
	Idle     time.Duration // since a text was last read; 0: 30 minutes
	Absolute time.Duration // since it was kept; 0: 2 hours
	Entries  int           // texts of a session; 0: 256
	Bytes    int           // of the texts of a session; 0: 64 MiB
	Archive  Archive       // keeps sessions beyond the process; nil: they end with it
	Now      func() time.Time
}

// Archive keep the texts of sessions beyond the process. Implementations are safe for concurrent use.
type Archive interface {
	// Entries returns what there is of a session, without the texts, in any order.
	Entries(ctx context.Context, session string) ([]Entry, error)
	// Body returns the text of an entry.
	Body(ctx context.Context, session, id string) (string, error)
	// Keep writes entries, each in place of the one with its id: all of them or, with an error, none. The text of one is
	// that in texts, or the one that is there; one that is Gone has none any more, and of those only the latest 1,024 need be
	// there.
	Keep(ctx context.Context, session string, entries []Entry, texts map[string]string) error
}

// A Memory is the working memory of any number of runs, each in a scope of its own. It is safe for concurrent use.
//
// What a scope holds stays while it is open, so that a pointer in a live window always resolves. A scope that was opened in
// a session can leave what it holds to that, for the windows after it; there it expires, and the texts that were read
// longest ago make room for new ones.
type Memory struct {
	options Options

	mu       sync.RWMutex
	opened   int
	scopes   map[string]*Scope
	sessions map[string]*workingSession
	swept    time.Time
}

// New returns an empty working memory. Nil is the default options.
func New(o *Options) *Memory {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Idle <= 0 {
		c.Idle = defaultIdle
	}
	if c.Absolute <= 0 {
		c.Absolute = defaultAbsolute
	}
	if c.Entries <= 0 {
		c.Entries = defaultEntries
	}
	if c.Bytes <= 0 {
		c.Bytes = defaultBytes
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Memory{options: c, scopes: make(map[string]*Scope), sessions: make(map[string]*workingSession)}
}

// Open returns a new scope with an id that no other scope of w has or had. What it holds goes with it.
func (w *Memory) Open() *Scope { return w.open(nil) }

// OpenIn returns a new scope in a session, which Keep leaves to the session what the scope holds. The name of a session is
// that of a thread, or any other of which there is one at a time. What the session still has can be read in the scope.
func (w *Memory) OpenIn(name string) *Scope {
	w.sweep()
	w.mu.Lock()
	s := w.sessions[name]
	if s == nil {
		s = &workingSession{working: w, name: name}
		w.sessions[name] = s
	}
	s.scopes++
	w.mu.Unlock()
	return w.open(s)
}

func (w *Memory) open(in *workingSession) *Scope {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.opened++
	s := &Scope{memory: w, session: in, id: "w" + strconv.Itoa(w.opened), bodies: make(map[string]string), labels: make(map[string]Entry)}
	w.scopes[s.id] = s
	return s
}

// Get returns the text that a scope holds under an id, or the session that it is in: ErrNoScope if the scope is not open,
// an ExpiredError if the session held it once, ErrNotFound if there never was such an id.
func (w *Memory) Get(scope, id string) (string, error) {
	w.mu.RLock()
	s := w.scopes[scope]
	w.mu.RUnlock()
	if s == nil {
		return "", ErrNoScope
	}
	return s.Get(id)
}

// Entries returns what a session holds, the oldest first, and what it no longer holds but remembers, which is Gone.
func (w *Memory) Entries(ctx context.Context, name string) ([]Entry, error) {
	s := w.OpenIn(name)
	defer s.Close()
	return s.session.list(ctx)
}

// Forget drops what a session holds, in memory. What Archive have of it is theirs to drop.
func (w *Memory) Forget(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.sessions, name)
}

// mostSessions is how many sessions without an open scope are remembered in a process. Beyond that, those that were used
// longest ago are forgotten.
const mostSessions = 1_024

// sweepEvery is how often all sessions are looked through for texts that have expired.
const sweepEvery = time.Minute

// sweep drops what has expired in sessions that nobody has open.
func (w *Memory) sweep() {
	now := w.options.Now()
	w.mu.Lock()
	if now.Sub(w.swept) < sweepEvery && len(w.sessions) < 2*mostSessions {
		w.mu.Unlock()
		return
	}
	w.swept = now
	var idle []*workingSession
	for _, s := range w.sessions {
		if s.scopes == 0 {
			idle = append(idle, s)
		}
	}
	slices.SortFunc(idle, func(a, b *workingSession) int { return b.used.Compare(a.used) })
	for i, s := range idle {
		if i >= mostSessions {
			delete(w.sessions, s.name)
		}
	}
	w.mu.Unlock()
	for _, s := range idle[:min(len(idle), mostSessions)] {
		s.expire(now)
	}
}
