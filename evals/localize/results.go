package localize

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
)

// Results returns each instance as a trial of each method, which is passed if all its files, and all functions that it
// names, are among the first K, at every K.
func (r *Report) Results() *trial.Results { return &r.trials }

// trial adds what a method answered.
func (r *Report) trial(method string, in *Instance, a *Answer) {
	row := trial.Row{Subject: method, Seconds: a.Cold.Seconds()}
	gold, found := functions(in.Functions), functions(a.Functions)
	for _, k := range r.K {
		all, any := within(in.Files, a.Files, k)
		row.Checks = append(row.Checks, trial.Held(fmt.Sprint("any file@", k), any, wanted(in.Files)),
			trial.Held(fmt.Sprint("files@", k), all, wanted(in.Files)))
		if all, _ := within(gold, found, k); len(gold) > 0 {
			row.Checks = append(row.Checks, trial.Held(fmt.Sprint("functions@", k), all, wanted(gold)))
		}
	}
	row.Answer = strings.Join(slices.Concat(a.Files[:min(len(a.Files), answerFiles)], []string{""},
		a.Functions[:min(len(a.Functions), answerFiles)]), "\n")
	r.trials.Add(task.Task{ID: in.ID, Prompt: in.Text, Repository: in.Repo, Revision: in.Commit, Tags: in.Sets}, row)
}

func wanted(gold []string) string { return "wanted: " + strings.Join(gold, ", ") }

// answerFiles is how many files and functions an answer of [Report.Results] shows.
const answerFiles = 10
