package compaction

import (
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/recording"
)

// refillTurns is for how many turns after a compaction a repeated call counts as bringing back what was evicted.
const refillTurns = 5

// A refill counts what repeated calls bring back after one compaction.
type refill struct {
	freed int             // tokens that the compaction evicted
	again int             // tokens that repeated calls brought back
	lost  map[string]bool // calls whose results the view no longer shows in full
	left  int             // turns left to watch
}

func callKey(c transcript.ToolCall) string { return c.Name + "\x00" + string(c.Args) }

// beginRefill finds the calls whose results the view no longer shows in full after a compaction.
func (r *replay) beginRefill(t *target, view []transcript.Message, quarters int) {
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

// countRefill counts the calls of a unit that repeat lost ones.
func (r *replay) countRefill(k int) {
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
