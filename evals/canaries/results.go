package canaries

import (
	"fmt"
	"strconv"

	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
)

// Results returns each planted sentence as a trial of each policy. It is passed if it is alive at the end, and if no
// view on the way showed an older value as if it held, or marked it as replaced.
func (r *Report) Results() *trial.Results { return &r.trials }

// trial adds what a policy made of an item, the n-th of its session.
func (r *Report) trial(policy string, n int, p played) {
	t := task.Task{
		ID: fmt.Sprintf("%s/%d", p.tally.id, n+1), Prompt: p.Text, Window: p.tally.budget,
		Tags: []string{p.kind, p.carrier, p.tally.language, "windows=" + strconv.Itoa(p.tally.windows)},
	}
	row := trial.Row{Subject: policy, Checks: []check.Verdict{trial.Held("alive", p.end.Alive, "")}}
	if p.old != nil {
		row.Checks = append(row.Checks, trial.Held("not stale", !p.stale && !p.only, "instead of: "+p.old.Text))
	} else {
		row.Checks = append(row.Checks, trial.Held("not replaced", !p.wrong, ""))
	}
	r.trials.Add(t, row)
}
