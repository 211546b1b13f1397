package recall

import (
	"fmt"
	"strings"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
)

// Results returns each question as a trial of each retriever. Its score is the mean of the recalls, and it is passed if
// all evidence is in the first K, at every K.
func (r *Report) Results() *trial.Results { return &r.trials }

// trial adds what a retriever found in a conversation.
func (r *Report) trial(c *conversation, o evals.Outcome[*result]) {
	for i, a := range o.Output.answers {
		q := c.questions[i]
		row := trial.Row{Subject: o.Contender, Seconds: a.took / 1e3}
		for n, k := range r.K {
			row.Checks = append(row.Checks, check.Verdict{Check: fmt.Sprint("recall@", k), Passed: a.found[n] == 1,
				Score: a.found[n], Why: "wanted: " + strings.Join(q.evidence, ", ")})
		}
		id := fmt.Sprintf("%s/%d", o.Case, i+1)
		r.trials.Add(task.Task{ID: id, Prompt: q.text, Tags: []string{o.Group, q.category}}, row)
	}
}
