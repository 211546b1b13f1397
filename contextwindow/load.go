package contextwindow

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
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
		w.entries = append(w.entries, e)
		if e.Edit != nil && e.Edit.Op == OpUndo {
			w.refold()
			continue
		}
		w.apply(e)
		w.render()
	}
	return w, nil
}

// check reports what is wrong with an entry from outside, given all before it.
func (w *Window) check(e Entry) error {
	set := 0
	for _, is := range []bool{e.Prefix != nil, e.Unit != nil, e.Edit != nil, e.Note != nil, e.Observed != nil} {
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
	case e.Note != nil && noteKind(e.Note.Kind) != e.Note.Kind:
		return fmt.Errorf("note of the kind %q", e.Note.Kind)
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
	messages, err := transcript.Pair(u.Messages[0], u.Messages[1:])
	if err == nil && !reflect.DeepEqual(messages, u.Messages) {
		return errors.New("unit is not in the form in which a window keeps it")
	}
	return err
}

// editFields says which operations have cuts, and which have steps.
var editFields = map[Op]struct{ cuts, steps bool }{
	OpCut: {cuts: true}, OpFold: {steps: true}, OpPin: {cuts: true, steps: true}, OpUnpin: {steps: true}, OpSummary: {steps: true},
}

func (w *Window) checkEdit(e *Edit) error {
	if has := editFields[e.Op]; !has.cuts && len(e.Cuts) > 0 || !has.steps && len(e.Steps) > 0 {
		return fmt.Errorf("%d cuts and %d steps with the operation %q", len(e.Cuts), len(e.Steps), e.Op)
	}
	switch e.Op {
	case OpCut:
		return w.checkCuts(e.Cuts)
	case OpFold:
		for i, step := range e.Steps {
			if i > 0 && step == e.Steps[i-1] {
				return fmt.Errorf("step %d twice", step)
			}
		}
		if err := w.checkShown(e.Steps); err != nil {
			return err
		}
		return w.checkLines(e.Lines, e.Steps)
	case OpStage:
		return w.checkLines(e.Lines, w.shownSteps())
	case OpLimit:
		if e.Limit <= 0 {
			return fmt.Errorf("limit %d", e.Limit)
		}
		return nil
	case OpPin, OpUnpin, OpUndo, OpSummary:
		return w.checkControl(e)
	}
	return fmt.Errorf("unknown operation %q", e.Op)
}

// checkControl checks an edit that somebody asked for.
func (w *Window) checkControl(e *Edit) error {
	switch e.Op {
	case OpPin:
		return w.checkPins(e)
	case OpUnpin:
		for _, step := range e.Steps {
			if !w.pin[step] {
				return fmt.Errorf("unpins step %d, which is not pinned", step)
			}
		}
	case OpUndo:
		return w.checkUndo(e.Undone)
	case OpSummary:
		if strings.TrimSpace(e.Text) == "" || len(e.Steps) == 0 {
			return errors.New("summary without a text or steps")
		}
		return w.checkShown(e.Steps)
	case OpCut, OpFold, OpStage, OpLimit:
	}
	return nil
}

// checkPins checks that units to pin are shown or folded, of this stage, and that only folded ones are cut.
func (w *Window) checkPins(e *Edit) error {
	folded := make(map[int]bool)
	for i, step := range e.Steps {
		shown := w.slotOf(step) >= 0
		folded[step] = !shown && slices.Contains(w.folded, step) && step >= max(w.prompt, w.stage)
		if !shown && !folded[step] || i > 0 && step <= e.Steps[i-1] {
			return fmt.Errorf("pins step %d, which is out of order or not of this stage", step)
		}
	}
	for _, c := range e.Cuts {
		if !folded[c.Step] {
			return fmt.Errorf("cut of step %d, which was not folded", c.Step)
		}
		if err := w.checkPart(c); err != nil {
			return err
		}
	}
	return nil
}

// checkUndo checks that what is taken back can be, and that nothing that follows it stays.
func (w *Window) checkUndo(undone []int) error {
	if len(undone) == 0 {
		return errors.New("undo of nothing")
	}
	skip := undoneIn(w.entries)
	for i := max(undone[0], 0); i < len(w.entries); i++ {
		e := w.entries[i].Edit
		if e != nil && e.Op == OpStage {
			return errors.New("undo from before a stage")
		}
		if e == nil || skip[i] || !e.canUndo() {
			continue
		}
		if len(undone) == 0 || undone[0] != i {
			return fmt.Errorf("undo leaves entry %d, or names what it cannot take back", i)
		}
		undone = undone[1:]
	}
	if len(undone) > 0 {
		return fmt.Errorf("undo of entry %d", undone[0])
	}
	return nil
}

// checkShown checks that units stand in the view, in the order of their steps, and that none of them opened the run.
func (w *Window) checkShown(steps []int) error {
	if len(steps) == 0 {
		return nil
	}
	at := max(len(w.slots)-1, 0)
	for at > 0 && w.slots[at].step != steps[0] {
		at--
	}
	for _, step := range steps {
		for at < len(w.slots) && w.slots[at].step != step {
			at++
		}
		if at == len(w.slots) || step <= 0 || step == w.prompt {
			return fmt.Errorf("edit of step %d of %d, which is out of order, not in the view or the prompt", step, len(w.units))
		}
	}
	return nil
}

// checkLines checks that key lines are of parts of units that were folded or are about to be.
func (w *Window) checkLines(kept []KeptLines, folding []int) error {
	if len(kept) == 0 {
		return nil
	}
	folded := make(map[int]bool, len(w.folded)+len(folding))
	for _, step := range slices.Concat(w.folded, folding) {
		folded[step] = true
	}
	for _, k := range kept {
		if !folded[k.Step] {
			return fmt.Errorf("lines of step %d, which is not folded", k.Step)
		}
		if err := w.checkPart(Cut{Step: k.Step, Part: k.Part, Args: k.Args}); err != nil {
			return err
		}
		last := -1
		for _, line := range k.Lines {
			if line <= last {
				return fmt.Errorf("line %d of step %d after %d", line, k.Step, last)
			}
			last = line
		}
	}
	return nil
}

func (w *Window) checkCuts(cuts []Cut) error {
	steps := make([]int, len(cuts))
	for i, c := range cuts {
		steps[i] = c.Step
	}
	if err := w.checkShown(steps); err != nil {
		return err
	}
	for _, c := range cuts {
		if err := w.checkPart(c); err != nil {
			return err
		}
	}
	return nil
}

// checkPart checks that a unit has the part of a cut.
func (w *Window) checkPart(c Cut) error {
	u := w.units[c.Step-1]
	parts, first := len(u.Messages), 0
	if c.Args {
		parts, first = len(u.Messages[0].Calls)+1, 1
	}
	if c.Part < first || c.Part >= parts {
		return fmt.Errorf("part %d of step %d, which has %d", c.Part, c.Step, parts)
	}
	return nil
}
