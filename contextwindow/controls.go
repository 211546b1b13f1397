package contextwindow

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// pinShare is the most that pinned units may take together of what the fixed parts leave of the budget.
const pinShare = .5

// Pin keeps units in the view as they are shown, by their steps: no compaction folds or shortens them while anything else
// can be. A unit that was folded is shown again, within the quota of a new round. The error names a step that is not of
// the run's stage, or the sizes if pinned units would take more than half of what the fixed parts leave of the budget;
// nothing is changed then.
func (w *Window) Pin(steps ...int) error {
	e := &Edit{Op: OpPin, Cause: "pin", Before: w.used}
	total := 0
	for _, step := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(steps, w.pins())))) {
		if step == w.prompt && step > 0 {
			continue // it is in every view in any case
		}
		size, cuts, err := w.pinned(step)
		if err != nil {
			return err
		}
		total += size
		if !w.pin[step] {
			e.Steps, e.Cuts = append(e.Steps, step), append(e.Cuts, cuts...)
		}
	}
	if most := w.share(pinShare); total > most {
		return fmt.Errorf("pinned steps would take %d tokens, and may take %d: half of what system prompt, tools and prompt leave", total, most)
	}
	if len(e.Steps) == 0 {
		return nil
	}
	if err := w.keep(e.Cuts, nil); err != nil {
		return err
	}
	c := Compaction{Before: w.tokens()}
	if w.control(e); e.After != e.Before {
		c.Level, c.Steps = overflowLevel, []string{e.Cause}
		w.logged(c)
	}
	return nil
}

// pinned returns the size in raw tokens that a step has once it is pinned, and how its results are shown if it was
// folded.
func (w *Window) pinned(step int) (int, []Cut, error) {
	if i := w.slotOf(step); i >= 0 {
		return sum(w.slots[i].sizes), nil, nil
	}
	if !slices.Contains(w.folded, step) || step < max(w.prompt, w.stage) {
		return 0, nil, fmt.Errorf("there is no step %d to pin", step)
	}
	u := w.units[step-1]
	if u.Messages[len(u.Messages)-1].Role == transcript.Assistant && w.slots[len(w.slots)-1].step < step {
		return 0, nil, fmt.Errorf("step %d is an answer and nothing follows it: pinned, it would leave nothing to answer", step)
	}
	sizes := w.sizes[step-1]
	cuts := w.limitResults(u, sizes)
	total := sum(sizes)
	for _, c := range cuts {
		m := u.Messages[c.Part]
		m.Text = c.Text
		total += m.Tokens() - sizes[c.Part]
	}
	return total, cuts, nil
}

// Unpin lets compactions have units again, by their steps; without a step, all that are pinned.
func (w *Window) Unpin(steps ...int) {
	if len(steps) == 0 {
		steps = w.pins()
	}
	steps = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(steps))), func(step int) bool { return !w.pin[step] })
	if len(steps) > 0 {
		w.control(&Edit{Op: OpUnpin, Cause: "unpin", Steps: steps, Before: w.used})
	}
}

// control applies an edit that somebody asked for, and that no plan made.
func (w *Window) control(e *Edit) {
	w.edit(e)
	e.After = w.used
	w.entries = append(w.entries, Entry{Edit: e})
	w.render()
}

// focusMost is the longest focus, in runes.
const focusMost = 400

func cutRunes(text string, n int) string {
	runes := []rune(text[:min(len(text), n*utf8.UTFMax)])
	return string(runes[:min(len(runes), n)])
}

// Compact folds all that may be folded into the record now, however full the window is, and remembers what it is asked to
// look at: lines with the words of the focus, of its first 400 runes, stand in the record before others, until the stage
// ends. A focus of "" leaves the focus as it is, and so does one with which nothing was folded. Under the profiles ladder and off the record holds no lines, and a focus changes nothing.
func (w *Window) Compact(focus string) (Compaction, error) {
	c := Compaction{Before: w.tokens()}
	marks := w.policy.marks
	if marks == nil {
		marks = leanMarks
	}
	before := w.focus
	if focus = cutRunes(valid(focus), focusMost); focus != "" {
		w.focus = focus
	}
	e := w.foldAll(marks.keepFrom(w))
	w.focus = before
	if e == nil {
		return w.logged(c), nil
	}
	e.Focus = focus
	err := w.take(&c, "compact", e)
	return w.logged(c), err
}

// leastRoom is the room of a record that holds nothing but its frame and counts, in tokens.
const leastRoom = 100

// foldAll folds all that may be before a slot, into a record of half the size, but no smaller than the one that stands or
// than what the user said. Without room for a record nothing is folded.
func (w *Window) foldAll(end int) *Edit {
	held := w.held()
	var steps []int
	size, users, record := 0, 0, 0
	for i := range w.slots {
		switch sl := &w.slots[i]; {
		case i >= end && (sl.step == 0 || sl.step >= w.prompt): // history goes whole
		case sl.step == 0:
			record = sl.tokens
		case sl.step != w.prompt && !held[sl.step]:
			size += sl.tokens
			if sl.messages[0].Role == transcript.User {
				users += sl.tokens
			}
			steps = append(steps, sl.step)
		}
	}
	if len(steps) == 0 {
		return nil
	}
	room := max(record, (record+size)/2, users+users/2+leastRoom)
	e := w.foldEdit(steps, min(room, w.share(recordShare)), false)
	if e.Record == "" {
		return nil
	}
	return w.worth(e)
}

// Preview tells what Fit would do now, and changes nothing. Its time grows with the log.
func (w *Window) Preview() (Compaction, error) {
	options := w.options
	options.Store = nowhere{}
	p := New(w.budget, &options)
	p.entries = slices.Clip(w.entries)
	p.refold()
	return p.Fit()
}

// nowhere is a Store for windows that are thrown away.
type nowhere struct{}

func (nowhere) Put(string, string) error      { return nil }
func (nowhere) Get(id string) (string, error) { return "", fmt.Errorf("%w: %q", ErrNoBody, id) }
