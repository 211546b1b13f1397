package contextwindow

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
)

const (
	pinShare     = .5  // of what the fixed parts leave of the budget: the limit of all pinned units together
	focusMost    = 400 // longest focus, in runes
	countsTokens = 100 // room of a digest that holds nothing but its fence and counts
)

// Pin keeps units in the view as they are shown, by their steps: no compaction evicts or shortens them while it can
// take anything else. An evicted unit is shown again, within the quota of a new turn. Pin returns an error and
// changes nothing if a step is not part of the current stage, or if pinned units would take more than half of what
// the fixed parts leave of the budget.
func (w *Window) Pin(steps ...int) error {
	e := &Edit{Op: opPin, Cause: "pin"}
	total := 0
	for _, step := range sortedSteps(slices.Concat(steps, w.pins())) {
		if step == w.prompt && step > 0 {
			continue // always in the view
		}
		size, cuts, err := w.pinnedSize(step)
		if err != nil {
			return err
		}
		total += size
		if !w.pinned[step] {
			e.Steps, e.Truncations = append(e.Steps, step), append(e.Truncations, cuts...)
		}
	}
	if most := w.shareOf(pinShare); total > most {
		return fmt.Errorf("pinned steps would take %d tokens, limit %d: "+
			"half of what system prompt, tools and prompt leave", total, most)
	}
	if len(e.Steps) == 0 {
		return nil
	}
	if err := w.store(e); err != nil {
		return err
	}
	f, data := begin(w), w.view.withData()
	if w.do(e); e.After != e.Before {
		f.c.Level, f.c.Steps = overflowLevel, []string{e.Cause}
		f.c.ProviderData = lost(data, w.view.withData())
	}
	f.end()
	return nil
}

// pinnedSize returns the size of a step in raw tokens if it is pinned, and the truncations with which an evicted one is
// shown again.
func (s *state) pinnedSize(step int) (int, []Truncation, error) {
	if i := s.view.find(step); i >= 0 {
		return sum(s.view.slots[i].sizes), nil, nil
	}
	if !slices.Contains(s.evicted.steps, step) || step < max(s.prompt, s.stage) {
		return 0, nil, fmt.Errorf("no step %d to pin in this stage", step)
	}
	u, last := s.units.whole(step), len(s.view.slots)-1
	if u.Messages[len(u.Messages)-1].Role == transcript.Assistant && (last < 0 || s.view.slots[last].step < step) {
		return 0, nil, fmt.Errorf("step %d is an answer without a message after it: pinned, it would end the request", step)
	}
	sizes := s.units.sizesAt(step)
	cuts := limiter{s}.truncations(u, sizes)
	total := sum(sizes)
	for _, c := range cuts {
		m := u.Messages[c.Part]
		m.Text = c.Text
		total += m.Tokens() - sizes[c.Part]
	}
	return total, cuts, nil
}

func sortedSteps(steps []int) []int { return slices.Compact(slices.Sorted(slices.Values(steps))) }

// Unpin lets compactions take units again, by their steps; without a step, all pinned ones.
func (w *Window) Unpin(steps ...int) {
	if len(steps) == 0 {
		steps = w.pins()
	}
	steps = slices.DeleteFunc(sortedSteps(steps), func(step int) bool { return !w.pinned[step] })
	if len(steps) > 0 {
		w.do(&Edit{Op: opUnpin, Cause: "unpin", Steps: steps})
	}
}

// Compact evicts all that may be evicted now, however full the window is. Until the stage ends, the digest prefers
// lines with words of the focus, which is limited to its first 400 runes. An empty focus leaves the last one in place,
// and so does a Compact that evicts nothing. Under the profiles ladder and off the focus has no effect.
func (w *Window) Compact(focus string) (Compaction, error) {
	f := begin(w)
	reclaim(w)
	marks := w.policy.marks
	if marks == nil {
		marks = leanMarks
	}
	runes := []rune(toValid(focus))
	focus = string(runes[:min(len(runes), focusMost)])
	before := w.evicted.focus
	w.evicted.focus = cmp.Or(focus, before)
	e := w.evictBefore(marks.keepFrom(w.state))
	w.evicted.focus = before
	if e == nil {
		return f.end(), nil
	}
	e.Focus = focus
	err := f.take("compact", e)
	return f.end(), err
}

// evictBefore returns the edit that evicts the history and the units before a slot, except the prompt and units that
// are in use. The digest may take half of what it replaces; more if it is larger now, to quote the user, or to list
// what was submitted. The edit is nil if the digest would be empty.
func (s *state) evictBefore(end int) *Edit {
	kept := s.keptByUse()
	var steps []int
	size, users, digest := 0, 0, 0 // tokens that leave; those of user messages; those of the digest
	for i, sl := range s.view.slots {
		switch {
		case i >= end && (sl.step == 0 || sl.step >= s.prompt): // history goes whole
		case sl.step == 0:
			digest = sl.tokens
		case sl.step != s.prompt && !kept[sl.step]:
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
	room := max(digest, (digest+size)/2, users+users/2+countsTokens, submittedTokens(s, steps)+countsTokens)
	e := s.evictEdit(steps, min(room, s.shareOf(digestShare)), false)
	if e.Digest == "" {
		return nil
	}
	return s.ifItFrees(e)
}

// Preview returns what [Window.Fit] would do now, and changes nothing: what it would evict, what that frees (Before −
// After), and what reading it again would cost. Its time grows with the log.
func (w *Window) Preview() (Compaction, error) {
	options := w.options
	options.Store, options.Logger = newMapStore(), nil // thrown away
	p := New(w.budget, &options)
	p.entries = slices.Clip(w.entries)
	p.refold()
	p.unreported = w.unreported
	p.unreported.Steps = slices.Clone(w.unreported.Steps)
	return p.Fit()
}

// Undo takes back the last n compactions, pins, summaries and resets to the prompt: the view shows again what they
// removed, with the provider data that follows unchanged bytes again; data that was issued in between leaves. Edits
// without anything between them count as one. The next [Window.Fit] may do the same again if the
// budget requires it. Undo stops at the start of the stage: if there are fewer edits, it changes nothing and returns
// false.
func (w *Window) Undo(n int) (Compaction, bool) {
	f := begin(w)
	undone := lastEdits(w.entries, n)
	if n <= 0 || undone == nil {
		return f.end(), n <= 0
	}
	before, used, data := w.view.handOut(), w.meter.used, w.view.withData()
	e := &Edit{Op: opUndo, Cause: "undo", Undone: undone, Before: used}
	w.entries = append(w.entries, Entry{Edit: e})
	w.refold()
	e.After = w.meter.used
	f.c.Invalidated = scale(f.c.Before, used-w.prefixTokens-commonTokens(before, w.view.messages), used)
	f.c.Level, f.c.Steps = overflowLevel, []string{"undo"}
	f.c.ProviderData = lost(data, w.view.withData())
	return f.end(), true
}

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

// lastEdits returns the indexes of the entries that the last n compactions wrote, ascending, or nil if there are
// fewer.
func lastEdits(entries []Entry, n int) []int {
	skip := undoneIn(entries)
	var found []int
	grouped := false
	for i, entry := range slices.Backward(entries) {
		e := entry.Edit
		if e == nil {
			grouped = false
			continue
		}
		if e.Op == opStage || n == 0 && !grouped {
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

// Rewind takes the window back to right after a step, or before the first one with step 0: later entries leave the log,
// and one entry says so. The numbers of the steps that leave are not given again, since their texts stay in the store
// and can be read by their ids. A limit that the provider named stays, too. Rewind returns an error for an unknown
// step.
func (w *Window) Rewind(step int) error {
	end := slices.IndexFunc(w.entries, func(e Entry) bool { return e.Unit != nil && (e.Unit.Step == step || step == 0) })
	switch {
	case end < 0 && step != 0:
		return fmt.Errorf("no step %d to rewind to, of %d", step, w.units.last())
	case end < 0:
		return nil
	case step > 0:
		end++
		if end < len(w.entries) && w.entries[end].Edit != nil && w.entries[end].Edit.Cause == causeQuota {
			end++
		}
	}
	e := &Edit{Op: opRewind, Cause: opRewind, Steps: []int{w.units.last()}}
	if w.limit < w.budget.Limit {
		e.Limit = w.limit
	}
	w.entries = slices.Clip(w.entries[:end])
	data := w.view.withData()
	w.refold()
	data = slices.DeleteFunc(data, func(shown int) bool { return shown > step })
	w.unreported.lose(opRewind, lost(data, w.view.withData()))
	w.do(e)
	return nil
}
