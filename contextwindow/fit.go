package contextwindow

import (
	"slices"
	"strings"
)

// causeQuota marks an edit that limits results on their way in; every other edit is a compaction.
const causeQuota = "quota"

// Fit makes the whole next request fit the budget. It walks the profile's ladder, then, only if the request still
// would not fit, the overflow ladder; it makes nothing larger, and right after itself it changes nothing. The error is
// ErrIrreducible, with nothing changed, if the fixed parts alone do not fit, ErrThrash if the window has to be compacted
// again and again, or the store's.
func (w *Window) Fit() (Compaction, error) {
	c := Compaction{Before: w.tokens(), After: w.tokens()}
	halved, thrashed := w.halved, w.thrashed
	if w.calibrated(w.frameTokens+w.promptSize) > w.limit {
		return c, w.irreducible()
	}
	for again := true; again; {
		edits := len(w.entries)
		if err := w.walk(&c); err != nil {
			return w.logged(c), err
		}
		again = len(w.entries) > edits // what one pass left may be less than the next one needs to act
	}
	c.Thrash = w.policy.marks != nil && w.halved && !halved
	c, err := w.finish(c)
	if err == nil && w.policy.marks != nil && w.thrashed > thrashed {
		err = ErrThrash
	}
	return c, err
}

// walk goes through the profile's ladder and the overflow ladder once.
func (w *Window) walk(c *Compaction) error {
	for _, level := range w.options.Ladder {
		target := int(level.At * float64(w.limit))
		if w.tokens() < target {
			continue
		}
		if err := w.take(c, level.Name, level.plan(w, w.raw(target)-1)); err != nil {
			return err
		}
	}
	if w.policy.marks != nil {
		if err := w.policy.marks.compact(w, c); err != nil {
			return err
		}
	}
	for _, rung := range overflowLadder {
		if w.tokens()+w.uncertain() <= w.limit {
			break
		}
		if err := w.take(c, rung.name, rung.plan(w, w.raw(int(float64(w.limit)/(1+w.margin()))))); err != nil {
			return err
		}
	}
	return nil
}

// finish logs a compaction and checks its promise.
func (w *Window) finish(c Compaction) (Compaction, error) {
	c = w.logged(c)
	if c.After <= w.limit {
		return c, nil
	}
	return c, w.irreducible()
}

// logged completes a compaction and logs it if it did something.
func (w *Window) logged(c Compaction) Compaction {
	c.After = w.tokens()
	if c.Level > 0 {
		w.log = append(w.log, c)
	}
	return c
}

func (w *Window) irreducible() error {
	system, prompt := w.calibrated(w.frameTokens), w.calibrated(w.promptSize)
	return &IrreducibleError{Limit: w.limit, System: system, Prompt: prompt, Rest: max(0, w.tokens()-system-prompt)}
}

// Shrink makes the next request smaller after the provider refused the last one as too long. Limit is the window that
// the provider named, in tokens, 0 if it named none; it is remembered for the rest of the run. Without a limit, or with
// one that the estimate believes to keep, the request shrinks by a fifth, as far as the fixed parts let it.
func (w *Window) Shrink(limit int) (Compaction, error) {
	target := max(w.tokens()*4/5, w.calibrated(w.frameTokens+w.promptSize)+1)
	if limit > 0 {
		target = min(target, usable(limit, 0))
	}
	w.write(Entry{Edit: &Edit{Op: OpLimit, Cause: "overflow", Limit: max(target, 1), Before: w.used, After: w.used}})
	return w.Fit()
}

// take applies a planned edit, if there is one, and adds it to the compaction. What it takes out of the view is kept
// first, so that every pointer resolves.
func (w *Window) take(c *Compaction, name string, e *Edit) error {
	if e == nil {
		return nil
	}
	if err := w.keepEdited(e); err != nil {
		return err
	}
	rendered, used, tokens, opaque := w.rendered, w.used, w.tokens(), w.opaque()
	starts := make([]int, len(w.slots))
	for i, start := 0, w.frameTokens; i < len(w.slots); i++ {
		starts[i] = start
		start += w.slots[i].tokens
	}
	e.Cause, e.Before = name, w.used
	w.edit(e)
	if w.rendered < rendered {
		c.Invalidated = max(c.Invalidated, scale(tokens, used-starts[w.rendered], used))
	}
	c.ProviderData += opaque - w.opaque()
	e.After = w.used
	w.entries = append(w.entries, Entry{Edit: e})
	w.render()
	c.Level = max(c.Level, levelOf(name))
	if len(c.Steps) == 0 || c.Steps[len(c.Steps)-1] != name {
		c.Steps = append(c.Steps, name)
	}
	for _, cut := range e.Cuts {
		c.Pointers = append(c.Pointers, pointer(cut.Step, cut.Part, cut.Args))
	}
	return nil
}

// levelOf turns the name of a level, "L1" to "L3", or of a rung into its number.
func levelOf(name string) int {
	if isLevel(name) {
		return int(name[1] - '0')
	}
	return overflowLevel
}

func isLevel(name string) bool {
	return len(name) == 2 && name[0] == 'L' && name[1] >= '0' && name[1] <= '9'
}

// isRung reports whether a name is that of a rung of the overflow ladder.
func isRung(name string) bool { return strings.HasPrefix(name, overflowRung) }

// opaque counts the opaque parts that the view still holds.
func (w *Window) opaque() int {
	n := 0
	for i := range w.slots {
		for j := range w.slots[i].messages {
			if w.slots[i].messages[j].ProviderData != nil {
				n++
			}
		}
	}
	return n
}

// keepEdited stores whole what an edit takes out of the view: of a unit that is folded each text, also an empty one, since
// the record names it, and the arguments.
func (w *Window) keepEdited(e *Edit) error {
	if err := w.keep(e.Cuts, nil); err != nil {
		return err
	}
	var steps []int
	if e.Op == OpStage {
		steps = w.shownSteps()
	} else if e.Op == OpFold {
		steps = e.Steps
	}
	for _, step := range steps {
		if err := w.keepUnit(w.units[step-1]); err != nil {
			return err
		}
	}
	return nil
}

func (w *Window) keepUnit(u *Unit) error {
	for part, m := range u.Messages {
		if err := w.put(pointer(u.Step, part, false), m.Text); err != nil {
			return err
		}
	}
	for i, call := range u.Messages[0].Calls {
		if len(call.Args) == 0 {
			continue
		}
		if err := w.put(pointer(u.Step, i+1, true), string(call.Args)); err != nil {
			return err
		}
	}
	return nil
}

// shownSteps returns the steps of all units in the view, ascending.
func (w *Window) shownSteps() []int {
	steps := make([]int, 0, len(w.slots))
	for i := range w.slots {
		if w.slots[i].step > 0 {
			steps = append(steps, w.slots[i].step)
		}
	}
	return steps
}

// ResetToPrompt takes everything but the message that opened the run out of the view, after an error that nothing
// else could mend. What was submitted and done stays known in the record, which is left out if it says nothing of the
// kind and would be larger than what leaves.
func (w *Window) ResetToPrompt() error {
	var steps []int
	for _, step := range w.shownSteps() {
		if step != w.prompt {
			steps = append(steps, step)
		}
	}
	if len(steps) == 0 {
		return nil
	}
	return w.reset("reset", w.foldEdit(steps, w.share(listShare), true))
}

// ResetStage takes everything out of the view, the prompt too: the next message of the user opens a new stage. What
// was submitted and done stays known in the record, behind that message; as with ResetToPrompt it may be left out.
func (w *Window) ResetStage() error {
	steps := w.shownSteps()
	if len(steps) == 0 {
		return nil
	}
	e := w.foldEdit(steps, w.share(recordShare/2), true)
	e.Op = OpStage
	return w.reset("stage", e)
}

// thinRecord reports whether the record after a fold would hold no fact and no word of the user but the prompt.
func (w *Window) thinRecord(steps []int) bool {
	l := w.ledgerWith(steps)
	return !slices.ContainsFunc(l.refs[:], func(r refs) bool { return r.total > 0 }) &&
		!slices.ContainsFunc(l.users, func(step int) bool { return step != w.prompt })
}

func (w *Window) reset(name string, e *Edit) error {
	c := Compaction{Before: w.tokens()}
	if w.freedBy(e) < 0 && w.thinRecord(e.Steps) {
		e.Record, e.Lines = "", nil
	}
	if e.Op == OpStage {
		e.Steps, e.Quiet = nil, false // all there are
	}
	if err := w.take(&c, name, e); err != nil {
		return err
	}
	c.After = w.tokens()
	w.log = append(w.log, c)
	return nil
}
