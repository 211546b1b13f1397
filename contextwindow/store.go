package contextwindow

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
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

// LongResult is the least length, in bytes, of a result that a store may leave out of a [Unit]. Shorter ones may not be
// left out: [FactsByArguments] reads them.
const LongResult = mostVerdict + 1

// A LeftText is a text that a store keeps until somebody needs it, so that a long log opens fast.
type LeftText struct {
	Size int               // in bytes
	Sum  [sha256.Size]byte // SHA-256 of the text
	Read func() (string, error)
}

// CanLeave reports whether the text of a message may be left in a store if it has at least [LongResult] bytes: it must
// be the result of a call, its size in tokens must be known, and only the view and compactions may read it.
func (u *Unit) CanLeave(message int) bool {
	m := &u.Messages[message]
	return len(u.Sizes) == len(u.Messages) && m.Role == transcript.Tool && !m.Failed && m.Kind != toollimit.Excerpt &&
		len(m.Images) == 0
}

// knownSizes returns the sizes that a unit keeps, so that a store can leave out its long results: nil if it has none.
func knownSizes(messages []transcript.Message, sizes []int) []int {
	if !slices.ContainsFunc(messages, func(m transcript.Message) bool { return len(m.Text) >= LongResult }) {
		return nil
	}
	return slices.Clone(sizes)
}

// sizesOf returns the estimates of the messages of a unit, in tokens.
func (u *Unit) sizesOf() []int {
	if len(u.Sizes) == len(u.Messages) {
		return slices.Clone(u.Sizes)
	}
	return sizesOf(u.Messages)
}

// checkLeft checks what a log from outside says of sizes and texts elsewhere.
func (u *Unit) checkLeft() error {
	negative := slices.ContainsFunc(u.Sizes, func(n int) bool { return n < 0 })
	if n := len(u.Sizes); negative || n > 0 && n != len(u.Messages) {
		return fmt.Errorf("unit has %d messages and the sizes %v", len(u.Messages), u.Sizes)
	}
	for i := range u.Left {
		if i < 0 || i >= len(u.Messages) || !u.CanLeave(i) {
			return fmt.Errorf("the text of message %d is missing", i)
		}
	}
	return nil
}

// whole returns the unit of a step with all its texts. Those that were left in a store are read for the caller and not
// kept. An error shows up in the next [Window.Fit].
func (u *units) whole(step int) *Unit {
	unit := u.at(step)
	if len(unit.Left) == 0 {
		return unit
	}
	read := *unit
	read.Messages, read.Left = slices.Clone(unit.Messages), nil
	for i, left := range unit.Left {
		text, err := left.read()
		if err != nil && u.failed == nil {
			u.failed = fmt.Errorf("the text of %s: %w", partID{step: step, part: i}, err)
		}
		read.Messages[i].Text = text
	}
	return &read
}

func (t *LeftText) read() (string, error) {
	text, err := t.Read()
	if err == nil && len(text) != t.Size {
		err = fmt.Errorf("%w: it has %d bytes, not %d", ErrDamaged, len(text), t.Size)
	}
	return text, err
}

// keep reads the texts of a unit for good. A [Reader] may hold the list as it was.
func (u *units) keep(step int) *Unit {
	if unit := u.at(step); len(unit.Left) == 0 {
		return unit
	}
	u.list = slices.Clone(u.list)
	u.list[u.index(step)] = u.whole(step)
	return u.at(step)
}

// unreadable returns the error of the first text that could not be read from a store, or nil.
func unreadable(s *state) error {
	if s.units.failed != nil {
		return s.units.failed
	}
	return s.view.failed
}

// fillView reads the texts of all units that the view shows: only those of others stay in a store.
func fillView(s *state) error {
	for i, sl := range s.view.slots {
		if sl.step == 0 || len(s.units.at(sl.step).Left) == 0 {
			continue
		}
		unit := s.units.keep(sl.step) // also what it shows shortened: later cuts begin with the whole
		err := fillSlot(&s.view, i, func(n int) (string, error) { return unit.Messages[n].Text, nil })
		if err != nil {
			return err
		}
		sl.left = nil
	}
	return unreadable(s)
}

// fillSlot shows the texts of a slot that were left in a store. Notes may follow them.
func fillSlot(v *view, i int, read func(message int) (string, error)) error {
	sl := v.slots[i]
	if sl.filled || len(sl.left) == 0 {
		return nil
	}
	sl.own()
	sl.filled = true
	for n := range sl.left {
		text, err := read(n)
		if err != nil {
			return fmt.Errorf("the text of %s: %w", partID{step: sl.step, part: n}, err)
		}
		sl.messages[n].Text = text
		if i < v.rendered {
			v.messages[sl.at+n].Text = text + v.messages[sl.at+n].Text
		}
	}
	return nil
}

// fillForSum is fillSlot for a slot whose bytes are summed while a log is loaded.
func fillForSum(v *view, i int) {
	left := v.slots[i].left
	err := fillSlot(v, i, func(n int) (string, error) { t := left[n]; return t.read() })
	if v.failed == nil {
		v.failed = err
	}
}

// shownWhole reports whether a slot shows a message of its unit as it was received.
func (sl *slot) shownWhole(u *Unit, message int) bool {
	if _, left := u.Left[message]; left {
		_, whole := sl.left[message]
		return whole
	}
	shown, received := &sl.messages[message], &u.Messages[message]
	return shown.Text == received.Text && len(shown.Images) == len(received.Images)
}

// size returns the length of a part in bytes.
func (u *Unit) size(p partID) int {
	if left, is := u.Left[p.part]; is && !p.args {
		return left.Size
	}
	return len(u.text(p))
}
