package answers

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/tools/report"
)

// judged are the metrics that a question passes or does not.
var judged = []metric{hit1, hit5, first, deciding, says, saidAbsent}

// Results returns each question as a trial. It is passed if all of these hold that concern its family: the first place
// and the first sentence are right, the deciding line and the words are there, and what does not exist is not found.
func (r *Report) Results() *trial.Results {
	all := &trial.Results{Set: r.Suite}
	for _, s := range r.scores {
		t := task.Task{
			ID: s.ID, Prompt: s.Text, Repository: s.Repo, Revision: s.Commit, Tags: []string{s.Family, s.Language},
		}
		if s.Notes.Style != "" {
			t.Tags = append(t.Tags, s.Notes.Style)
		}
		row := trial.Row{Subject: cmp.Or(s.mode, "rules"), Seconds: s.Seconds, Answer: text(s.Answer)}
		if s.failed {
			row.Failure = &trial.Failure{Class: trial.Agent, Text: "it did not answer"}
		}
		for _, m := range judged {
			if v, ok := s.values[m]; ok {
				row.Checks = append(row.Checks, check.Verdict{
					Check: string(m), Passed: v == 1, Score: v, Why: s.wanted(),
				})
			}
		}
		all.Add(t, row)
	}
	return all
}

// wanted names the gold.
func (s *score) wanted() string {
	if len(s.Gold) == 0 {
		return "it does not exist"
	}
	var places []string
	for _, g := range s.Gold[:min(len(s.Gold), 5)] {
		places = append(places, fmt.Sprintf("%s:%d-%d", g.Path, g.Start, g.End))
	}
	return "wanted: " + strings.Join(places, ", ")
}

// text writes the sentences and the places of an answer.
func text(answer *report.Report) string {
	if answer == nil {
		return ""
	}
	var b strings.Builder
	for _, s := range answer.Summary {
		fmt.Fprintf(&b, "%s %s\n", s.Text, strings.Join(s.Citations, " "))
	}
	for i, p := range answer.Places[:min(len(answer.Places), depth)] {
		fmt.Fprintf(&b, "%d. %s:%d-%d %s\n", i+1, p.Path, p.Start, p.End, p.Symbol)
	}
	return b.String()
}
