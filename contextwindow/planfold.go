package contextwindow

import (
	"maps"
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// foldRounds folds everything but the prompt and the last rounds behind it into the record, which may take a share of the
// budget. A quiet fold drops the notes too, and what is pinned.
func foldRounds(keep int, share float64, quiet bool) planner {
	return func(w *Window, target int) *Edit {
		end, room, kept := w.roundStart(keep), w.share(share), w.keptByPins()
		if keep == 0 {
			room = min(room, target-w.frameTokens-w.promptSize)
		}
		var steps []int
		for i := range w.slots {
			sl := &w.slots[i]
			if sl.step > 0 && sl.step != w.prompt && (i < end || sl.step < w.prompt) && (quiet || !kept[sl.step]) {
				steps = append(steps, sl.step)
			}
		}
		if len(steps) == 0 && !quiet {
			return nil
		}
		return w.worth(w.foldEdit(steps, room, quiet))
	}
}

// foldHistory folds turns from before the prompt into the record, the oldest first, until the target is reached.
func foldHistory(w *Window, target int) *Edit {
	turns := w.historyTurns()
	if len(turns) == 0 {
		return nil
	}
	missing := w.used - target
	var steps []int
	for {
		for len(turns) > 0 && missing > 0 {
			steps = append(steps, turns[0].steps...)
			missing -= turns[0].tokens
			turns = turns[1:]
		}
		e := w.foldEdit(steps, w.share(recordShare), false)
		if missing = w.used - w.freedBy(e) - target; missing <= 0 || len(turns) == 0 {
			return w.worth(e)
		}
	}
}

// A turn is a message from before the prompt with the answers to it.
type turn struct {
	steps  []int
	tokens int
}

// keptByPins returns the steps of pinned units, and of the other units of their turns from before the prompt: these go
// whole or not at all.
func (w *Window) keptByPins() map[int]bool {
	kept := maps.Clone(w.pin)
	if len(kept) == 0 {
		return kept
	}
	for _, t := range w.turnsBefore() {
		if slices.ContainsFunc(t.steps, func(step int) bool { return w.pin[step] }) {
			for _, step := range t.steps {
				kept[step] = true
			}
		}
	}
	return kept
}

// historyTurns returns the turns from before the prompt that may be folded, the oldest first.
func (w *Window) historyTurns() []turn {
	kept := w.keptByPins()
	return slices.DeleteFunc(w.turnsBefore(), func(t turn) bool { return kept[t.steps[0]] })
}

// turnsBefore returns the turns from before the prompt, the oldest first.
func (w *Window) turnsBefore() []turn {
	var turns []turn
	for i := range w.slots {
		sl := &w.slots[i]
		if sl.step == 0 {
			continue
		}
		if sl.step >= w.prompt {
			break
		}
		if len(turns) == 0 || sl.messages[0].Role == transcript.User {
			turns = append(turns, turn{})
		}
		last := &turns[len(turns)-1]
		last.steps = append(last.steps, sl.step)
		last.tokens += sum(sl.sizes)
	}
	return turns
}

// dropRecord takes the record out of the view, when not even that fits beside the fixed parts.
func dropRecord(w *Window, _ int) *Edit {
	return w.worth(&Edit{Op: OpFold, Quiet: true})
}

// foldEdit is the fold of units, with the record as it will be, in so many tokens.
func (w *Window) foldEdit(steps []int, room int, quiet bool) *Edit {
	l := w.ledgerWith(steps)
	e := &Edit{Op: OpFold, Steps: steps, Quiet: quiet}
	if l.last > 0 {
		e.Record, e.Lines = w.record(&l, steps, room)
	}
	return e
}

// ledgerWith is the ledger as it will be once further units, by their steps, have left the view.
func (w *Window) ledgerWith(steps []int) ledger {
	if len(steps) > 0 && steps[0] < w.ledger.last {
		return w.ledgerOf(slices.Concat(w.folded, steps))
	}
	units := make([]*Unit, len(steps))
	for i, step := range steps {
		units[i] = w.units[step-1]
	}
	return w.ledger.with(units, w.facts)
}

// share returns a share of what the fixed parts leave of the budget, in raw tokens.
func (w *Window) share(of float64) int {
	return int(of * float64(max(0, w.raw(w.limit)-w.frameTokens-w.promptSize)))
}

// worth returns the edit if it frees something.
func (w *Window) worth(e *Edit) *Edit {
	if e == nil || w.freedBy(e) <= 0 {
		return nil
	}
	return e
}

// freedBy returns how many tokens a fold frees at least: notes that it carries on stay, superseded ones go.
func (w *Window) freedBy(e *Edit) int {
	freed := 0
	steps := e.Steps
	for i := range w.slots {
		sl := &w.slots[i]
		gone := sl.step == 0
		if !gone && len(steps) > 0 && sl.step == steps[0] {
			gone, steps = true, steps[1:]
		}
		if gone {
			freed += sum(sl.sizes)
		}
		for _, n := range sl.notes {
			if e.Quiet || w.live[n.Kind].number != n.number {
				freed += noteTokens(n.Note)
			}
		}
	}
	if e.Record != "" {
		freed -= transcript.Message{}.Framing() + toollimit.Tokens(e.Record)
	}
	return freed
}
