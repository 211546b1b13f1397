package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/recording"
	"github.com/forayhq/foray/toollimit"
)

// A window makes a policy of a contextwindow.Window.
type window struct {
	*contextwindow.Window
	bodies   *bodies
	options  *contextwindow.Options
	observed bool // its estimate differs from the counter, so it learns the counter's figures
	ended    bool // a run would have ended with contextwindow.ErrThrash
}

// NewWindow returns a contextwindow.Window with a profile, or with a ladder of its own, as a policy.
func NewWindow(s Setting, p contextwindow.Profile, ladder []contextwindow.Level) Policy {
	w := &window{bodies: &bodies{texts: make(map[string]string)}, observed: s.Counter.Name != "foray"}
	w.options = &contextwindow.Options{Store: w.bodies, Ladder: ladder, ReadTool: toollimit.ReadTool}
	w.Window = contextwindow.New(contextwindow.Budget{Limit: s.Budget, Profile: p}, w.options)
	w.Open(contextwindow.Prefix{System: s.System})
	return w
}

// newLadderNoQuota is the ladder profile without quotas: results enter whole.
func newLadderNoQuota(s Setting) Policy {
	return NewWindow(s, contextwindow.Off, []contextwindow.Level{
		{Name: "L1", At: .60, Over: 2_000, To: 500},
		{Name: "L2", At: .80, Keep: 2},
		{Name: "L3", At: .95, Keep: 1},
	})
}

func (w *window) Feed(u recording.Unit) error {
	_, err := w.Append(u[0], u[1:]...)
	return err
}

// View returns what is sent. If the fixed parts do not fit, it returns what remains of the rest. A window that
// thrashes still fits.
func (w *window) View() ([]transcript.Message, error) {
	_, err := w.Fit()
	w.ended = w.ended || errors.Is(err, contextwindow.ErrThrash)
	if err != nil && !errors.Is(err, contextwindow.ErrIrreducible) && !errors.Is(err, contextwindow.ErrThrash) {
		return nil, err
	}
	return w.Window.View(), nil
}

func (w *window) Ended() bool { return w.ended }

func (w *window) Estimate() int { return w.Usage().Tokens }

func (w *window) Observe(tokens int) {
	if w.observed {
		w.Window.Observe(tokens)
	}
}

func (w *window) Resolve(id string) (string, bool) {
	body, err := w.bodies.Get(id)
	return body, err == nil
}

// Reload saves the log and loads it into another window with a copy of the store, as a durable one would have.
func (w *window) Reload() (Policy, error) {
	saved, err := json.Marshal(w.Entries(0))
	if err != nil {
		return nil, err
	}
	var entries []contextwindow.Entry
	if err := json.Unmarshal(saved, &entries); err != nil {
		return nil, err
	}
	store := &bodies{texts: maps.Clone(w.bodies.texts)}
	options := *w.options
	options.Store = store
	loaded, err := contextwindow.Load(entries, w.Budget(), &options)
	if err != nil {
		return nil, fmt.Errorf("loading: %w", err)
	}
	return &window{Window: loaded, bodies: store, options: &options, observed: w.observed, ended: w.ended}, nil
}

// bodies is a contextwindow.Store in memory.
type bodies struct {
	mu    sync.Mutex
	texts map[string]string
}

func (b *bodies) Put(id, body string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.texts[id] = body
	return nil
}

func (b *bodies) Get(id string) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if body, ok := b.texts[id]; ok {
		return body, nil
	}
	return "", contextwindow.ErrNoBody
}
