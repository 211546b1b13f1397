package trial_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
)

// What is recorded reads as what ran: the totals of the rows, the tasks once each, and no second time into one folder.
func TestRecord(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "run")
	var r trial.Results
	if err := trial.Record(dir, "1", &r); err == nil {
		t.Error("no results were recorded")
	}
	r.Set = "suite"
	for _, subject := range []string{"a", "b"} {
		for _, id := range []string{"x", "y"} {
			held := trial.Held("first", subject == "a" || id == "x", "wanted: z")
			r.Add(task.Task{ID: id, Prompt: "Where?", Tags: []string{id}}, trial.Row{Subject: subject, Checks: []check.Verdict{
				held, {Check: "share", Passed: true, Score: .5}}})
		}
	}
	r.Add(task.Task{ID: "z"}, trial.Row{Subject: "b", Failure: &trial.Failure{Class: trial.Agent, Text: "gave up"},
		Checks: []check.Verdict{trial.Held("first", true, "")}})
	r.Add(task.Task{ID: "z"}, trial.Row{Subject: "b", Checks: []check.Verdict{trial.Held("first", true, "")}}) // its second
	if err := trial.Record(dir, "1", &r); err != nil {
		t.Fatal(err)
	}
	s, err := trial.Summarize(dir)
	if err != nil {
		t.Fatal(err)
	}
	a, b := s.Subjects[0], s.Subjects[1]
	if s.Info.Set != "suite" || s.Info.Tasks != 3 || s.Info.Trials != 2 || s.Info.Foray != "1" || len(s.Info.Hash) != 64 ||
		a.Passed != 2 || b.Passed != 2 || math.Abs(a.Score-1.5) > 1e-9 || math.Abs(b.Score-2) > 1e-9 ||
		b.Failures[trial.Agent] != 1 {
		t.Errorf("%+v\n%+v\n%+v", s.Info, a, b)
	}
	if rows := rowsOf(t, dir); r.Len() != 6 || len(rows) != 6 || rows[3].Checks[0].Why != "wanted: z" || rows[3].Tags[0] != "y" {
		t.Errorf("%d rows: %+v", len(rows), rows)
	}
	if err := trial.Record(dir, "1", &r); !errors.Is(err, trial.ErrExists) {
		t.Errorf("a second time: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 3 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
}
