package contextwindow

import (
	"errors"
	"fmt"
)

// ErrDamaged says that entries are not a log that a window wrote.
var ErrDamaged = errors.New("damaged log")

// Load returns the window that wrote the entries: the same view, byte for byte, ready to go on. The entries are not
// modified. It returns ErrDamaged, with the number of the entry, if they do not fold to a window.
func Load(entries []Entry, b Budget, o *Options) (*Window, error) {
	w := New(b, o)
	for i, e := range entries {
		if err := w.check(e); err != nil {
			return nil, fmt.Errorf("%w: entry %d: %w", ErrDamaged, i, err)
		}
		if e.Edit != nil {
			if err := w.keepEdited(e.Edit); err != nil {
				return nil, fmt.Errorf("entry %d: %w", i, err)
			}
		}
		w.apply(e)
		w.entries = append(w.entries, e)
		w.render()
	}
	return w, nil
}

// check reports what is wrong with an entry from outside, given all before it.
func (w *Window) check(e Entry) error {
	set := 0
	for _, is := range []bool{e.Frame != nil, e.Unit != nil, e.Edit != nil, e.Note != nil, e.Observed != nil} {
		if is {
			set++
		}
	}
	switch {
	case set != 1:
		return fmt.Errorf("%d kinds set, want 1", set)
	case e.Unit != nil:
		return w.checkUnit(e.Unit)
	case e.Edit != nil:
		return w.checkEdit(e.Edit)
	}
	return nil
}

func (w *Window) checkUnit(u *Unit) error {
	if u.Step != len(w.units)+1 {
		return fmt.Errorf("unit has step %d, want %d", u.Step, len(w.units)+1)
	}
	if len(u.Messages) == 0 {
		return errors.New("unit without a message")
	}
	_, err := pair(u.Messages[0], u.Messages[1:])
	return err
}

func (w *Window) checkEdit(e *Edit) error {
	switch e.Op {
	case OpCut, OpFold, OpStage:
	case OpLimit:
		if e.Limit <= 0 {
			return fmt.Errorf("limit %d", e.Limit)
		}
	default:
		return fmt.Errorf("unknown operation %q", e.Op)
	}
	last := 0
	for _, c := range e.Cuts {
		if err := w.checkCut(c, last); err != nil {
			return err
		}
		last = c.Step
	}
	last = 0
	for _, step := range e.Steps {
		if step <= last || step > len(w.units) {
			return fmt.Errorf("fold of step %d after %d, of %d", step, last, len(w.units))
		}
		last = step
	}
	return nil
}

func (w *Window) checkCut(c Cut, last int) error {
	if c.Step < max(last, 1) || c.Step > len(w.units) {
		return fmt.Errorf("cut of step %d after %d, of %d", c.Step, last, len(w.units))
	}
	u := w.units[c.Step-1]
	parts, first := len(u.Messages), 0
	if c.Args {
		parts, first = len(u.Messages[0].Calls)+1, 1
	}
	if c.Part < first || c.Part >= parts {
		return fmt.Errorf("cut of part %d of step %d, which has %d", c.Part, c.Step, parts)
	}
	return nil
}
