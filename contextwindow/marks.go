package contextwindow

import (
	"fmt"
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// A twoMarks is the policy of a ladder with two marks: nothing is edited below the high one, and at it one compaction
// brings the request down to the low one. Shares are of the budget.
type twoMarks struct {
	high      float64
	guess     float64 // the high mark until the provider has counted a request
	low       float64
	again     float64 // the low mark once rounds were folded
	least     int     // tokens that the record may take even if the low mark leaves it less
	keep      int     // rounds that stay
	keepShare float64 // while together they take no more; at least the newest stays
}

// minGain is the share of the budget that a compaction must free to be worth a changed prefix, unless the request
// would not fit.
const minGain = .10

// lastGain is that of L3, which is the last chance to get below the high mark.
const lastGain = minGain / 2

// leastRecord is the share of the budget that the record may take even if the rounds that stay leave it less below the
// high mark.
const leastRecord = .20

// compact takes the request from the high mark to the low one: L1, lossless; if that is not enough L2, the record; if
// even that leaves it above the high mark L3, the newest round alone.
func (m *twoMarks) compact(w *Window, c *Compaction) error {
	if !m.reached(w) || w.tooSoon() {
		return nil
	}
	low := w.frameTokens + w.promptSize + w.share(m.lowShare(w))
	e := lossless(w, low)
	if e != nil && w.used-w.cutFrees(e) > low || e == nil {
		if err := w.takeIfWorth(c, "L2", m.foldToRecord(w, low), minGain); err != nil {
			return err
		}
		e = lossless(w, low)
	}
	if err := w.takeIfWorth(c, "L1", e, minGain); err != nil {
		return err
	}
	if !m.reached(w) {
		return nil
	}
	return w.takeIfWorth(c, "L3", foldRounds(1, recordShare, false)(w, low), lastGain)
}

// reached reports whether the request is at the high mark, or could be larger than the model's window, by how wrong
// estimates have been.
func (m *twoMarks) reached(w *Window) bool {
	high := m.guess
	if w.counted > 0 {
		high = m.high
	}
	if w.tokens() >= int(high*float64(w.limit)) {
		return true
	}
	return w.budget.Window > 0 && w.tokens()+w.uncertain() > w.budget.Window-outputRoom(w.budget.Window, w.budget.maxOutput)
}

// tooSoon reports whether too little was added since the last compaction for another one, in a request that fits.
func (w *Window) tooSoon() bool {
	return w.last > 0 && w.tokens() <= w.limit && float64(w.written-w.last) < paceShare*float64(w.raw(w.limit))
}

// lowShare is the low mark: a run that was compacted before goes on for long, and pays for what stands in each of its
// requests.
func (m *twoMarks) lowShare(w *Window) float64 {
	if len(w.folded) > 0 {
		return m.again
	}
	return m.low
}

// takeIfWorth takes an edit that frees a share of the budget, or any if the request would not fit.
func (w *Window) takeIfWorth(c *Compaction, name string, e *Edit, gain float64) error {
	if e == nil {
		return nil
	}
	freed := w.cutFrees(e)
	if e.Op == OpFold {
		freed = w.freedBy(e)
	}
	if w.tokens() <= w.limit && float64(freed) < gain*float64(w.raw(w.limit)) {
		return nil
	}
	return w.take(c, name, e)
}

// foldToRecord folds the oldest rounds, as many as the low mark needs, but none of those that stay.
func (m *twoMarks) foldToRecord(w *Window, low int) *Edit {
	end := m.keepFrom(w)
	room := m.recordRoom(w, low, end)
	var steps []int
	held := w.held()
	left := w.used + room
	for i := range w.slots {
		sl := &w.slots[i]
		if sl.step == 0 {
			left -= sl.tokens
		}
	}
	for i := range w.slots {
		sl := &w.slots[i]
		before := sl.step < w.prompt // whole turns go together
		if sl.step == 0 || sl.step == w.prompt || i >= end && !before || held[sl.step] {
			continue
		}
		if left <= low && !before {
			break
		}
		left -= sl.tokens
		steps = append(steps, sl.step)
	}
	if len(steps) == 0 {
		return nil
	}
	return w.worth(w.foldEdit(steps, room, false))
}

// recordRoom is what the record may take beside the slots from end on: what the low mark leaves, or as many tokens as it
// has in any case, if with them the request stays below the high mark.
func (m *twoMarks) recordRoom(w *Window, low, end int) int {
	room := low - w.frameTokens - w.promptSize
	for i := range w.slots[end:] {
		room -= w.slots[end+i].tokens
	}
	most := room - low + w.raw(int(m.guess*float64(w.limit)))
	return max(min(max(room, w.part(m.least)), w.share(recordShare), most), w.share(leastRecord))
}

// keepFrom returns the index of the first slot that stays.
func (m *twoMarks) keepFrom(w *Window) int {
	for n := m.keep; n > 1; n-- {
		from, tokens := w.roundStart(n), 0
		for i := range w.slots[from:] {
			if sl := &w.slots[from+i]; sl.step != w.prompt {
				tokens += sl.tokens
			}
		}
		if tokens <= w.share(m.keepShare) {
			return from
		}
	}
	return w.roundStart(1)
}

// cutFrees returns how many tokens the cuts of an edit free.
func (w *Window) cutFrees(e *Edit) int {
	if e == nil || e.Op != OpCut {
		return 0
	}
	freed, at := 0, 0
	for _, c := range e.Cuts {
		for at < len(w.slots) && w.slots[at].step != c.Step {
			at++
		}
		freed += w.slots[at].textTokens(c.Part) - toollimit.Tokens(c.Text)
	}
	return freed
}

// lossless replaces what a newer message of the view says as well: the result of a call that was made again with the
// same arguments, if the newer result stands whole and is the same, or is a newer reading of the same. The older text
// stays a pointer away.
func lossless(w *Window, _ int) *Edit {
	newest := make(map[string]transcript.Message)
	var cuts []Cut
	freed := 0
	for i := len(w.slots) - 1; i >= 0; i-- {
		sl := &w.slots[i]
		if sl.step == 0 || w.pin[sl.step] {
			continue
		}
		received := w.units[sl.step-1].Messages
		for n := len(sl.messages) - 1; n > 0; n-- {
			call := received[0].Calls[n-1]
			key := callKey(call)
			newer, again := newest[key]
			if !again || !w.supersedes(call, newer, received[n]) {
				if sl.messages[n].Text == received[n].Text && !received[n].Failed {
					newest[key] = received[n]
				}
				continue
			}
			text := fmt.Sprintf("[… the same call was made again, further down; whole text: %s id=%s]", toollimit.ReadTool, pointer(sl.step, n, false))
			if gain := sl.textTokens(n) - toollimit.Tokens(text); gain > 0 {
				freed += gain
				cuts = append(cuts, Cut{Step: sl.step, Part: n, Text: text})
			}
		}
	}
	slices.Reverse(cuts)
	return cutEdit(cuts, freed)
}

// supersedes reports whether a newer result of a call makes an older one needless.
func (w *Window) supersedes(call transcript.ToolCall, newer, older transcript.Message) bool {
	if newer.Text == older.Text {
		return true
	}
	return slices.ContainsFunc(w.facts(call, newer), func(f Fact) bool { return f.Kind == FactRead })
}
