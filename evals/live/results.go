package live

import (
	"fmt"

	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/providers"
)

// withoutModel is the subject of the heuristic explorer.
const withoutModel = "rules"

// Results returns each question as a trial of the model and of the heuristic explorer, and each checked turn of the
// conversation as one of the model. Calls in the forms are not among them.
func (r *Report) Results() *trial.Results {
	all := &trial.Results{Set: r.Suite}
	for _, q := range r.Questions {
		t := task.Task{ID: q.ID, Prompt: q.Ask, Tags: []string{"questions", q.Module}, Window: q.Window}
		row := q.trial(q.Model, q.Answer, q.Error)
		row.Stop, row.Steps = q.stop(), q.Steps
		row.Checks = append(row.Checks, trial.Held("cites the lines", q.Place, ""), trial.Held("says it", q.Words, ""))
		all.Add(t, row)
		grade := trial.Row{Subject: withoutModel}
		grade.Checks = append(grade.Checks, trial.Held("right", q.Without == gradeNames[right], q.Without))
		all.Add(t, grade)
	}
	for _, turn := range r.Turns {
		row := turn.trial(turn.Model, turn.Answer, turn.Error)
		row.Stop = turn.Stop
		row.Checks = append(row.Checks, trial.Held("has the fact", turn.Fact, ""),
			trial.Held("obeys the rule", turn.Obeyed, ""))
		all.Add(task.Task{ID: fmt.Sprint("turn-", turn.Turn), Prompt: turn.Say, Tags: []string{"chat"}}, row)
	}
	return all
}

// trial returns what an answer took.
func (c cost) trial(model, answer, failed string) trial.Row {
	row := trial.Row{Subject: model, Seconds: c.Seconds, Answer: answer,
		Usage: providers.Usage{Input: c.Read, Cached: c.Cached, Output: c.Written}}
	if failed != "" {
		row.Failure = &trial.Failure{Class: trial.Agent, Text: failed}
	}
	return row
}
