package trial_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/trial"
)

// Resuming with another subject, or with fewer trials, leaves the failures alone that the plan does not run again.
func TestRetryKeepsWhatIsNotPlanned(t *testing.T) {
	dir := t.TempDir()
	fails := func(context.Context, trial.Input) (*check.Outcome, error) { return nil, errors.New("no idea") }
	run := func(p trial.Plan) {
		t.Helper()
		p.Set, p.Dir = setOf(2), dir
		if _, err := trial.Run(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	run(trial.Plan{Subjects: []trial.Subject{subject("a", fails)}, Trials: 2})
	retry := []trial.Class{trial.Agent}
	run(trial.Plan{Subjects: []trial.Subject{subject("b", echo)}, Resume: true, Retry: retry})
	if rows := rowsOf(t, dir); len(rows) != 6 {
		t.Errorf("%d rows after another subject, want 6", len(rows))
	}
	run(trial.Plan{Subjects: []trial.Subject{subject("a", echo)}, Resume: true, Retry: retry})
	failed := 0
	for _, r := range rowsOf(t, dir) {
		if r.Failure != nil {
			failed++
		}
	}
	if failed != 2 {
		t.Errorf("%d failures after the first trials ran again, want the 2 of the second trials", failed)
	}
}

// A check that ends its goroutine, as t.FailNow does, passes nobody.
func TestCheckEndsItsGoroutine(t *testing.T) {
	set, dir := setOf(1), t.TempDir()
	exits := func(context.Context, *check.Outcome) (check.Verdict, error) {
		runtime.Goexit()
		return check.Verdict{}, nil
	}
	set.Tasks[0].Judges = []check.Check{{Name: "exits", Run: exits}}
	plan := trial.Plan{Set: set, Dir: dir, Subjects: []trial.Subject{subject("echo", echo)}}
	if _, err := trial.Run(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	if r := rowsOf(t, dir)[0]; r.Passed || r.Score != 0 || r.Failure == nil || r.Failure.Class != trial.Check {
		t.Errorf("%+v", r)
	}
}

// Passing every check scores exactly 1, however many there are.
func TestScoreIsExact(t *testing.T) {
	set, dir := setOf(1), t.TempDir()
	for i := range 5 {
		set.Tasks[0].Judges = append(set.Tasks[0].Judges, sayer("task-"[:i+1]))
	}
	plan := trial.Plan{Set: set, Dir: dir, Subjects: []trial.Subject{subject("echo", echo)}}
	if _, err := trial.Run(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	if r := rowsOf(t, dir)[0]; len(r.Checks) != 6 || r.Score != 1 {
		t.Errorf("score %v of %d passed checks", r.Score, len(r.Checks))
	}
}

// A trial that the end of the run reaches while it is judged is left for the next run, also if it passed.
func TestJudgedWhileTheRunEnds(t *testing.T) {
	for _, passes := range []bool{true, false} {
		set, dir := setOf(1), t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		cancels := func(context.Context, *check.Outcome) (check.Verdict, error) {
			cancel()
			return check.Verdict{Passed: passes, Score: 1}, nil
		}
		set.Tasks[0].Judges = []check.Check{{Name: "cancels", Run: cancels}}
		_, err := trial.Run(ctx, trial.Plan{Set: set, Dir: dir, Subjects: []trial.Subject{subject("echo", echo)}})
		if rows := rowsOf(t, dir); !errors.Is(err, context.Canceled) || len(rows) != 0 {
			t.Errorf("passes %t: kept %d rows, error %v", passes, len(rows), err)
		}
	}
}

// Of several rows of a trial the last one counts, for every reader: folders may be put together with cat.
func TestTheLastRowCounts(t *testing.T) {
	set, dir := setOf(1), t.TempDir()
	plan := trial.Plan{Set: set, Dir: dir, Subjects: []trial.Subject{subject("echo", echo)}}
	if _, err := trial.Run(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "results.jsonl")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bad := strings.Replace(string(good), `"passed":true,"score":1`, `"passed":false,"score":0`, 1)
	damaged := strings.Replace(string(good), `"score":1`, `"score":"one"`, 1)
	for text, passed := range map[string]int{bad + string(good): 1, string(good) + bad: 0, string(good) + damaged: 1} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := trial.Summarize(dir)
		if err != nil || s.Trials != 1 || s.Subjects[0].Passed != passed {
			t.Errorf("%v: %d trials, %d passed, want 1 and %d", err, s.Trials, s.Subjects[0].Passed, passed)
		}
		plan.Resume = true
		if s, err = trial.Run(t.Context(), plan); err != nil || s.Trials != 1 || s.Subjects[0].Passed != passed {
			t.Errorf("resumed: %v: %+v, want %d passed", err, s, passed)
		}
		if rows := rowsOf(t, dir); len(rows) != 1 {
			t.Errorf("%d rows after resuming", len(rows))
		}
	}
}

// A check that allows itself more than the harness allows checks is waited for.
func TestLongChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := setOf(1)
		long := func(ctx context.Context, _ *check.Outcome) (check.Verdict, error) {
			select {
			case <-ctx.Done():
				return check.Verdict{}, ctx.Err()
			case <-time.After(time.Hour):
				return check.Verdict{Passed: true, Score: 1}, nil
			}
		}
		set.Tasks[0].Judges = []check.Check{{Name: "long", Run: long, Limit: time.Hour}}
		plan := trial.Plan{Set: set, Dir: t.TempDir(), Subjects: []trial.Subject{subject("echo", echo)}}
		if s, err := trial.Run(t.Context(), plan); err != nil || s.Subjects[0].Passed != 1 {
			t.Errorf("%v: %+v", err, s.Subjects[0])
		}
	})
}

// Temporary folders of subjects are gone after the run.
func TestTempDir(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	makes := func(_ context.Context, in trial.Input) (*check.Outcome, error) {
		dir, err := in.TempDir()
		if left, _ := os.ReadDir(os.TempDir()); len(left) != 1 || filepath.Dir(dir) == os.TempDir() {
			t.Errorf("%s is not in the folder that resuming clears", dir)
		}
		return &check.Outcome{}, err
	}
	plan := trial.Plan{Set: setOf(2), Dir: t.TempDir(), Subjects: []trial.Subject{subject("makes", makes)}}
	if _, err := trial.Run(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
