package compaction

import (
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/compaction/recording"
)

// For refillTurns turns after a compaction, identical calls count as re-adding what it freed.
const refillTurns = 5

// A refill follows one compaction.
type refill struct {
	freed int             // tokens
	again int             // tokens that identical calls brought back
	lost  map[string]bool // calls whose results the view no longer holds whole
	left  int             // turns
}

func callKey(c transcript.ToolCall) string { return c.Name + "\x00" + string(c.Args) }

// compacted begins a refill: it finds the calls whose results the view no longer holds whole.
func (r *replay) compacted(t *target, view []transcript.Message, quarters int) {
	whole := make(map[string]string, len(view))
	for i := range view {
		if view[i].Role == transcript.Tool {
			whole[view[i].CallID] = view[i].Text
		}
	}
	f := refill{lost: make(map[string]bool), left: refillTurns}
	f.freed = max(recording.Tokens(r.size+r.grown-quarters), 0)
	for _, u := range r.Units[:t.unit] {
		for i, call := range u[0].Calls {
			text, ok := whole[call.ID]
			f.lost[callKey(call)] = !ok || text != u[i+1].Text
		}
	}
	r.refill = append(r.refill, f)
}

// refilled counts the calls of a unit just fed that repeat lost ones.
func (r *replay) refilled(k int) {
	u := r.Units[k]
	if u[0].Role != transcript.Assistant {
		return
	}
	for i := len(r.refill) - 1; i >= 0 && r.refill[i].left > 0; i-- {
		f := &r.refill[i]
		f.left--
		for j, call := range u[0].Calls {
			if f.lost[callKey(call)] {
				f.again += recording.Tokens(r.quarters(&u[j+1]))
			}
		}
	}
}
