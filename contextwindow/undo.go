package contextwindow

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// ErrNothing says that there is nothing to take back.
var ErrNothing = errors.New("nothing to undo")

// Undo takes back the last n compactions, pins, summaries and resets to the prompt: the view shows again what they took
// away. What followed one another without anything between counts as one. What is taken back may come again with the next
// Fit, if the budget asks for it. It goes back to the start of the stage at most; the error is ErrNothing, and nothing
// changes, if there are fewer.
func (w *Window) Undo(n int) (Compaction, error) {
	c := Compaction{Before: w.tokens(), After: w.tokens()}
	if n <= 0 {
		return c, nil
	}
	undone := w.lastEdits(n)
	if undone == nil {
		return c, ErrNothing
	}
	before, used := w.View(), w.used
	e := &Edit{Op: OpUndo, Cause: "undo", Undone: undone, Before: w.used}
	w.entries = append(w.entries, Entry{Edit: e})
	w.refold()
	e.After = w.used
	c.Invalidated = scale(c.Before, used-w.frameTokens-commonTokens(before, w.view), used)
	c.Level, c.Steps = overflowLevel, []string{"undo"}
	return w.logged(c), nil
}

// commonTokens is what two views have in common from the start, in raw tokens.
func commonTokens(a, b []transcript.Message) int {
	tokens := 0
	for i := range min(len(a), len(b)) {
		if !reflect.DeepEqual(a[i], b[i]) {
			break
		}
		tokens += a[i].Tokens()
	}
	return tokens
}

// lastEdits returns the indexes of the entries that the last n compactions wrote, ascending, or nil if there are fewer.
func (w *Window) lastEdits(n int) []int {
	skip := undoneIn(w.entries)
	var found []int
	grouped := false
	for i := len(w.entries) - 1; i >= 0; i-- {
		e := w.entries[i].Edit
		if e == nil {
			grouped = false
			continue
		}
		if e.Op == OpStage || n == 0 && !grouped {
			break
		}
		if skip[i] || !e.canUndo() {
			continue
		}
		if !grouped {
			n--
		}
		grouped = true
		found = append(found, i)
	}
	if n > 0 {
		return nil
	}
	slices.Reverse(found)
	return found
}

// canUndo reports whether an edit may be taken back: not what a quota cut on the way in, nor what the provider said of
// its window.
func (e *Edit) canUndo() bool {
	switch e.Op {
	case OpCut:
		return e.Cause != causeQuota
	case OpFold, OpPin, OpUnpin, OpSummary:
		return true
	case OpStage, OpLimit, OpUndo:
	}
	return false
}

// undoneIn returns which entries were taken back.
func undoneIn(entries []Entry) map[int]bool {
	skip := make(map[int]bool)
	for _, e := range entries {
		if e.Edit != nil && e.Edit.Op == OpUndo {
			for _, i := range e.Edit.Undone {
				skip[i] = true
			}
		}
	}
	return skip
}

// Rewind takes the window back to what it was right after a step, or before the first with step 0: what came later
// leaves the log, but for the limit that a provider named. The bodies that it stored stay, and are replaced when their ids are used again. The error names a step
// that there is not.
func (w *Window) Rewind(step int) error {
	if step < 0 || step > len(w.units) {
		return fmt.Errorf("there is no step %d of %d to go back to", step, len(w.units))
	}
	end := slices.IndexFunc(w.entries, func(e Entry) bool { return e.Unit != nil })
	if step > 0 {
		end = w.afterStep(step)
	} else if end < 0 {
		return nil
	}
	w.entries = slices.Clip(w.entries[:end])
	for part := range w.briefs {
		if part.Step > step {
			delete(w.briefs, part)
		}
	}
	limit := w.limit
	w.refold()
	if limit < w.limit { // what the provider said of its window holds for the whole run
		w.write(Entry{Edit: &Edit{Op: OpLimit, Cause: "rewind", Limit: limit, Before: w.used, After: w.used}})
	}
	return nil
}

// afterStep returns how many entries there are up to a unit and the edit that limited it on the way in.
func (w *Window) afterStep(step int) int {
	i := slices.IndexFunc(w.entries, func(e Entry) bool { return e.Unit != nil && e.Unit.Step == step }) + 1
	if i < len(w.entries) && w.entries[i].Edit != nil && w.entries[i].Edit.Cause == causeQuota {
		i++
	}
	return i
}

// refold makes the state anew from the entries.
func (w *Window) refold() {
	skip := undoneIn(w.entries)
	w.state = newState(w.budget.Limit, startRatio(w.budget), w.options.Facts)
	for i, e := range w.entries {
		switch {
		case e.Edit != nil && e.Edit.Op == OpUndo:
			w.changed = true
		case !skip[i]:
			w.state.apply(e)
		}
	}
	w.render()
}
