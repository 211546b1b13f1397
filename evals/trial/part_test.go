package trial_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forayhq/foray/evals/trial"
)

// away runs a plan whose trials other processes run, as the plan says.
func away(t *testing.T, p trial.Plan, elsewhere func(ctx context.Context, p trial.Plan, at trial.Place) error) *trial.Summary {
	t.Helper()
	part := p
	p.Elsewhere = func(ctx context.Context, at trial.Place) error { return elsewhere(ctx, part, at) }
	s, err := trial.Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Rule: trials whose processes die at any moment and are begun again, also twice at a time, have the totals of a run in
// one process, and their traces.
func TestPart(t *testing.T) {
	want, err := trial.Run(t.Context(), killedPlan(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	got := away(t, killedPlan(dir), func(ctx context.Context, p trial.Plan, at trial.Place) error {
		late := make(chan error, 1)
		go func() { late <- trial.Part(ctx, p, at) }() // of a worker that was taken for dead
		defer func() { <-late }()
		for {
			short, cancel := context.WithTimeout(ctx, time.Duration(rand.IntN(int(20*time.Millisecond))))
			err := trial.Part(short, p, at)
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				return err
			}
		}
	})
	if !same(got, want) {
		t.Errorf("elsewhere: %+v\nhere: %+v", got, want)
	}
	for _, row := range rowsOf(t, dir) {
		if _, err := os.Stat(filepath.Join(dir, row.Trace)); row.Trace == "" || err != nil {
			t.Fatalf("%s, trial %d: no trace %q: %v", row.Task, row.Trial, row.Trace, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "parts")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("parts stay behind: %v", err)
	}
}

// A trial that nobody ran, and one whose row is damaged or that of another trial, fail in the harness, and the rest of
// the run does not. A resumed run runs them again, and takes a row that was left in the meantime.
func TestPartFails(t *testing.T) {
	p := trial.Plan{Set: setOf(5), Subjects: []trial.Subject{subject("echo", echo)}, Jobs: 2, Dir: t.TempDir(), Resume: true}
	left := func(at trial.Place) string { return filepath.Join(p.Dir, "parts", at.Task+".echo.1.json") }
	s := away(t, p, func(ctx context.Context, p trial.Plan, at trial.Place) error {
		switch at.Task {
		case "task-1":
			return errors.New("no worker is alive")
		case "task-2":
			return nil
		case "task-3":
			return os.WriteFile(left(at), []byte(`{"task":`), 0o600)
		case "task-4":
			return os.WriteFile(left(at), []byte(`{"task":"task-1","subject":"echo","trial":1}`), 0o600)
		}
		return trial.Part(ctx, p, at)
	})
	if tally := s.Subjects[0]; tally.Passed != 1 || tally.Failures[trial.Harness] != 4 {
		t.Errorf("%+v", tally)
	}
	for i, text := range []string{"", "no worker is alive", "reading a result", "unexpected end", "of another trial"} {
		for _, row := range rowsOf(t, p.Dir) {
			if row.Task == p.Set.Tasks[i].ID && text != "" && !strings.Contains(row.Failure.Text, text) {
				t.Errorf("%s: %s", row.Task, row.Failure.Text)
			}
		}
	}
	ran := 0
	p.Jobs = 1
	s = away(t, p, func(ctx context.Context, p trial.Plan, at trial.Place) error {
		ran++
		return trial.Part(ctx, p, at)
	})
	if s.Subjects[0].Passed != 5 || ran != 4 {
		t.Errorf("resumed with %d trials: %+v", ran, s.Subjects[0])
	}
}

func TestPartRefuses(t *testing.T) {
	p := trial.Plan{Set: setOf(2), Subjects: []trial.Subject{subject("echo", echo)}, Dir: t.TempDir(), Foray: "1"}
	first := trial.Place{Task: "task-0", Subject: "echo", Trial: 1}
	if err := trial.Part(t.Context(), p, first); !errors.Is(err, trial.ErrNoRun) {
		t.Errorf("without a run: %v", err)
	}
	if _, err := trial.Run(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	other := p
	other.Set = setOf(3)
	if err := trial.Part(t.Context(), other, first); !errors.Is(err, trial.ErrMismatch) {
		t.Errorf("another machine: %v", err)
	}
	for _, at := range []trial.Place{{Task: "x", Subject: "echo", Trial: 1}, {Task: "task-0", Trial: 1}, {Task: "task-0", Subject: "echo"}} {
		if err := trial.Part(t.Context(), p, at); err == nil || !strings.Contains(err.Error(), "the plan has no task") {
			t.Errorf("%+v: %v", at, err)
		}
	}
}
