package contextwindow

import (
	"maps"
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// pins returns the steps of pinned units, ascending.
func (s *state) pins() []int { return slices.Sorted(maps.Keys(s.pin)) }

// slotOf returns the index of the slot that shows a unit, or -1.
func (s *state) slotOf(step int) int {
	return slices.IndexFunc(s.slots, func(sl slot) bool { return sl.step == step && step > 0 })
}

// pinUnits pins units and shows those again that were folded.
func (s *state) pinUnits(e *Edit) {
	back := false
	for _, step := range e.Steps {
		s.pin[step] = true
		if s.slotOf(step) < 0 {
			s.unfold(step)
			back = true
		}
	}
	if back {
		s.ledger = s.ledgerOf(s.folded)
	}
	for _, c := range e.Cuts {
		i := s.slotOf(c.Step)
		s.unrender(i)
		s.replace(&s.slots[i], c)
	}
}

// unfold shows a unit that was folded, in its place, as it was received. The record is as it was until the next
// compaction.
func (s *state) unfold(step int) {
	at := slices.IndexFunc(s.slots, func(sl slot) bool { return sl.step > step })
	if at < 0 {
		at = len(s.slots)
	}
	s.unrender(max(at-1, 0))
	u := s.units[step-1]
	sizes := s.sizes[step-1]
	s.slots = slices.Insert(s.slots, at, slot{step: step, messages: u.Messages, sizes: sizes, tokens: sum(sizes)})
	s.runs = nil // it stands before slots that are indexed
	s.used += sum(sizes)
	s.folded = slices.DeleteFunc(s.folded, func(f int) bool { return f == step })
	s.dropMerged(at)
	s.dropMerged(at + 1)
}

// held returns the steps of units that a compaction leaves alone while anything else can go: pinned ones, and those of
// the last rounds in which a result that had left the view was asked for again.
func (w *Window) held() map[int]bool {
	held := w.keptByPins()
	var again []int
	from := w.stepOfRound(rereadHold)
	for i := range w.slots {
		if sl := &w.slots[i]; sl.step >= from && len(sl.messages) > 1 {
			again = append(again, sl.step)
		}
	}
	if len(again) == 0 || len(w.folded) == 0 {
		return held
	}
	gone := make(map[string]int)
	for _, step := range w.folded {
		for _, call := range w.units[step-1].Messages[0].Calls {
			gone[callKey(call)]++
		}
	}
	room := w.share(heldShare)
	for i := len(again) - 1; i >= 0; i-- {
		size := w.slots[w.slotOf(again[i])].tokens
		if slices.ContainsFunc(w.units[again[i]-1].Messages[0].Calls, func(c transcript.ToolCall) bool { return gone[callKey(c)] == 1 }) && size <= room {
			room -= size
			held[again[i]] = true
		}
	}
	return held
}

// stepOfRound returns the step of the n-th newest message of the assistant, 1 if there are fewer.
func (s *state) stepOfRound(n int) int {
	for step := len(s.units); step > 1; step-- {
		if s.units[step-1].Messages[0].Role != transcript.Assistant {
			continue
		}
		if n--; n == 0 {
			return step
		}
	}
	return 1
}

// heldShare is the most that units take, of what the fixed parts leave of the budget, which are held because they were asked for again.
const heldShare = .20

// callKey is what makes two calls the same.
func callKey(c transcript.ToolCall) string { return c.Name + "\x00" + string(c.Args) }
