package compaction

import (
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/compaction/recording"
)

// refillRounds is how many rounds after a compaction identical calls count as re-adding what it freed.
const refillRounds = 5

// A refill follows one compaction.
type refill struct {
	freed int             // tokens
	again int             // tokens that identical calls brought back
	lost  map[string]bool // calls whose results no longer stand whole
	until int             // rounds that are left
}

func callKey(c transcript.ToolCall) string { return c.Name + "\x00" + string(c.Args) }

// compacted begins to follow a compaction: which results of calls made so far does the view no longer hold whole?
func (r *replay) compacted(t *target, view []transcript.Message, quarters int) {
	whole := make(map[string]string, len(view))
	for i := range view {
		if view[i].Role == transcript.Tool {
			whole[view[i].CallID] = view[i].Text
		}
	}
	f := refill{lost: make(map[string]bool), until: refillRounds}
	f.freed = max(recording.Tokens(r.size+r.grown-quarters), 0)
	for _, u := range r.Units[:t.unit] {
		for i, call := range u[0].Calls {
			text, ok := whole[call.ID]
			f.lost[callKey(call)] = !ok || text != u[i+1].Text
		}
	}
	r.refill = append(r.refill, f)
}

// refilled adds a unit that was just fed to what follows a compaction.
func (r *replay) refilled(k int) {
	u := r.Units[k]
	if u[0].Role != transcript.Assistant {
		return
	}
	for i := len(r.refill) - 1; i >= 0 && r.refill[i].until > 0; i-- {
		f := &r.refill[i]
		f.until--
		for j, call := range u[0].Calls {
			if f.lost[callKey(call)] {
				f.again += recording.Tokens(r.quarters(&u[j+1]))
			}
		}
	}
}
