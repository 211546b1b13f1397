package contextwindow

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// ErrDamaged says that entries are not a log that a window wrote.
var ErrDamaged = errors.New("damaged log")

// Load returns the window that wrote the entries: its view is the same byte for byte, and it can continue. The entries
// are not modified. Load returns [ErrDamaged], with the index of the entry, if they do not fold to a window.
func Load(entries []Entry, b Budget, o *Options) (*Window, error) {
	w := newWindow(b, o)
	if err := w.Follow(entries); err != nil {
		return nil, err
	}
	return w, nil
}

// Follow adds entries that another window with the same log wrote after it, as [Load] does: the view is then the same
// byte for byte. After an error the window is of no use. Views that were taken before stay as they are.
func (w *Window) Follow(entries []Entry) error {
	first := len(w.entries)
	for i, e := range entries {
		e.Unit = bound(e.Unit, w.state)
		if err := (entryChecker{w.state, w.entries}).check(e); err != nil {
			return fmt.Errorf("%w: entry %d: %w", ErrDamaged, first+i, err)
		}
		if e.Edit == nil {
			w.write(e)
			continue
		}
		if err := w.store(e.Edit); err != nil {
			return fmt.Errorf("entry %d: %w", first+i, err)
		}
		if e.Edit.Op != opUndo {
			w.write(e)
			continue
		}
		w.entries = append(w.entries, e)
		w.refold()
	}
	return fillView(w.state)
}

// bound returns a unit of a log that does not say yet which request its provider data belongs to: the view as it
// was then.
func bound(u *Unit, s *state) *Unit {
	if u == nil || len(u.Messages) == 0 || u.Messages[0].ProviderData == nil || u.Messages[0].ProviderData.Prefix != "" {
		return u
	}
	b := &Unit{Step: u.Step, Messages: slices.Clone(u.Messages), Late: u.Late, Sizes: u.Sizes, Left: u.Left}
	data := *u.Messages[0].ProviderData
	b.Messages[0].ProviderData = &data
	new(sentView).bind(b, s)
	return b
}

// An entryChecker checks entries from outside, given all entries before them.
type entryChecker struct {
	*state
	entries []Entry
}

func (s entryChecker) check(e Entry) error {
	fields := []bool{e.Prefix != nil, e.Unit != nil, e.Edit != nil, e.Note != nil, e.Observed != nil}
	set := len(slices.DeleteFunc(fields, func(is bool) bool { return !is }))
	switch {
	case set != 1:
		return fmt.Errorf("%d fields set, want 1", set)
	case e.Unit != nil:
		return s.checkUnit(e.Unit)
	case e.Edit != nil && e.Edit.Op == opUndo:
		return checkUndo(s.entries, e.Edit)
	case e.Edit != nil:
		return s.checkEdit(e.Edit)
	case e.Note != nil && noteKind(e.Note.Kind) != e.Note.Kind:
		return fmt.Errorf("invalid note kind %q", e.Note.Kind)
	}
	return nil
}

func (s entryChecker) checkUnit(u *Unit) error {
	if want := s.units.last() + 1; u.Step != want {
		return fmt.Errorf("unit has step %d, want %d", u.Step, want)
	}
	if len(u.Messages) == 0 {
		return errors.New("unit without messages")
	}
	if u.Late < 0 || u.Late > s.notes.count {
		return fmt.Errorf("unit has %d late notes of %d", u.Late, s.notes.count)
	}
	if err := u.checkLeft(); err != nil {
		return err
	}
	messages, err := transcript.Pair(u.Messages[0], u.Messages[1:])
	if err == nil && !reflect.DeepEqual(messages, u.Messages) {
		return errors.New("unit was not written by a window: its messages are not normalized")
	}
	return err
}

// checkUndo checks that an undo names every edit that can be taken back, from its first one to the end of the log.
func checkUndo(entries []Entry, undo *Edit) error {
	if len(undo.Undone) == 0 || len(undo.Truncations) > 0 || len(undo.Steps) > 0 {
		return errors.New("undo without entries, or with cuts or steps")
	}
	undone, skip := undo.Undone, undoneIn(entries)
	for i := max(undone[0], 0); i < len(entries); i++ {
		e := entries[i].Edit
		if e != nil && e.Op == opStage {
			return errors.New("undo across a stage")
		}
		if e == nil || skip[i] || !e.canUndo() {
			continue
		}
		if len(undone) == 0 || undone[0] != i {
			return fmt.Errorf("undo omits entry %d, or names one that cannot be taken back", i)
		}
		undone = undone[1:]
	}
	if len(undone) > 0 {
		return fmt.Errorf("undo names entry %d, which it cannot take back", undone[0])
	}
	return nil
}

// mostDiscarded is how many steps a rewind in a log from outside may discard: they take some memory.
const mostDiscarded = 1_000_000

var editFields = map[string]struct{ cuts, steps bool }{
	opTruncate: {cuts: true}, opEvict: {cuts: true, steps: true}, opPin: {cuts: true, steps: true}, opUnpin: {steps: true},
	opSummary: {steps: true}, opRewind: {steps: true}, opReclaim: {steps: true},
}

func (s entryChecker) checkEdit(e *Edit) error {
	if has := editFields[e.Op]; !has.cuts && len(e.Truncations) > 0 || !has.steps && len(e.Steps) > 0 {
		return fmt.Errorf("operation %q does not allow %d cuts and %d steps", e.Op, len(e.Truncations), len(e.Steps))
	}
	switch e.Op {
	case opTruncate:
		return s.checkCuts(e.Truncations)
	case opEvict:
		if len(slices.Compact(slices.Clone(e.Steps))) < len(e.Steps) {
			return fmt.Errorf("steps %v contain a duplicate", e.Steps)
		}
		if err := s.view.shows(e.Steps, s.prompt); err != nil {
			return err
		}
		if err := s.checkRecuts(e); err != nil {
			return err
		}
		return s.checkLines(e.Lines, e.Steps)
	case opReclaim:
		return s.view.shows(e.Steps, s.prompt)
	case opStage:
		return s.checkLines(e.Lines, s.view.steps())
	case opLimit:
		if e.Limit <= 0 {
			return fmt.Errorf("limit is %d, must be positive", e.Limit)
		}
		return nil
	case opPin:
		return s.checkPins(e)
	case opUnpin:
		for _, step := range e.Steps {
			if !s.pinned[step] {
				return fmt.Errorf("unpins step %d, which is not pinned", step)
			}
		}
		return nil
	case opSummary:
		if strings.TrimSpace(e.Text) == "" || len(e.Steps) == 0 {
			return errors.New("summary without text or steps")
		}
		return s.view.shows(e.Steps, s.prompt)
	case opRewind:
		known, most := s.units.last(), mostDiscarded
		if len(s.units.list) == 0 {
			most = math.MaxInt32 // they take none
		}
		if len(e.Steps) != 1 || e.Steps[0] < known || e.Steps[0]-known > most {
			return fmt.Errorf("rewind from steps %v to %d", e.Steps, known)
		}
		return nil
	case opUndo: // checkUndo
	}
	return fmt.Errorf("unknown operation %q", e.Op)
}

// checkPins checks that pinned units belong to this stage, and that only evicted ones are truncated.
func (s entryChecker) checkPins(e *Edit) error {
	evicted := make(map[int]bool)
	for i, step := range e.Steps {
		shown := s.view.find(step) >= 0
		evicted[step] = !shown && slices.Contains(s.evicted.steps, step) && step >= max(s.prompt, s.stage)
		if !shown && !evicted[step] || i > 0 && step <= e.Steps[i-1] {
			return fmt.Errorf("pins step %d, which is out of order or not in this stage", step)
		}
	}
	for _, c := range e.Truncations {
		if !evicted[c.Step] {
			return fmt.Errorf("cut of step %d, which was not evicted", c.Step)
		}
		if err := s.checkCut(c); err != nil {
			return err
		}
	}
	return nil
}

// checkLines checks that key lines belong to units that are evicted already or by this edit.
func (s entryChecker) checkLines(kept []KeptLines, evicting []int) error {
	evicted := make(map[int]bool, len(s.evicted.steps)+len(evicting))
	for _, step := range slices.Concat(s.evicted.steps, evicting) {
		evicted[step] = true
	}
	for _, k := range kept {
		if !evicted[k.Step] {
			return fmt.Errorf("lines of step %d, which is not evicted", k.Step)
		}
		if err := s.units.has(k.id()); err != nil {
			return err
		}
		for i, line := range k.Lines {
			if line < 0 || i > 0 && line <= k.Lines[i-1] {
				return fmt.Errorf("lines %v of step %d are not ascending", k.Lines, k.Step)
			}
		}
	}
	return nil
}

// checkRecuts checks that an eviction truncates only units that it leaves in the view.
func (s entryChecker) checkRecuts(e *Edit) error {
	for _, c := range e.Truncations {
		if slices.Contains(e.Steps, c.Step) {
			return fmt.Errorf("cut of step %d, which is evicted", c.Step)
		}
	}
	return s.checkCuts(e.Truncations)
}

// checkCut checks that a truncation names a part of a unit, and leaves arguments a JSON object.
func (s entryChecker) checkCut(c Truncation) error {
	if c.Args && fieldsOf([]byte(c.Text)) == nil {
		return fmt.Errorf("cut arguments of step %d are not a JSON object", c.Step)
	}
	if c.NoImages && (c.Args || c.Text == "") {
		return fmt.Errorf("a cut of step %d hides pictures and does not say so", c.Step)
	}
	return s.units.has(c.id())
}

func (s entryChecker) checkCuts(cuts []Truncation) error {
	steps := make([]int, len(cuts))
	for i, c := range cuts {
		steps[i] = c.Step
	}
	if err := s.view.shows(steps, s.prompt); err != nil {
		return err
	}
	for _, c := range cuts {
		if err := s.checkCut(c); err != nil {
			return err
		}
	}
	return nil
}
