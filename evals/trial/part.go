package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/evals/task"
)

// A Place names a trial of a plan.
type Place struct {
	Task, Subject string
	Trial         int // from 1
}

// ErrMismatch says that a machine must not run a trial, because its task set differs from the run's.
var ErrMismatch = errors.New("this machine differs from the one that leads the run")

// Part runs one trial for a [Run] of the same plan, with Elsewhere, in another process, and leaves its trace and its
// row in the folder of results, where Run takes the row. The row of a trial that failed is left, too. Part returns an
// error if it leaves no row: Dir holds no run, or that of another set ([ErrMismatch]), it cannot be written, or ctx
// ended.
//
// Part can be called again, also while an earlier call still runs in a process that nobody hears from: it returns at
// once if a row is there that did not fail in the harness, and rows and traces are written whole or not at all.
func Part(ctx context.Context, p Plan, at Place) error {
	j, err := p.find(at)
	if err != nil {
		return err
	}
	if row, err := readPart(p.Dir, at); err == nil && (row.Failure == nil || row.Failure.Class != Harness) {
		return nil
	}
	dir, err := os.MkdirTemp(filepath.Join(p.Dir, partsDir), ".")
	if err != nil {
		return fmt.Errorf("running a trial: %w", err)
	}
	defer removeAll(dir)
	if err := os.Mkdir(filepath.Join(dir, tracesDir), 0o777); err != nil {
		return fmt.Errorf("running a trial: %w", err)
	}
	final := p.Dir
	p.Dir = dir
	r := newRunner(&p)
	ctx, r.cancel = context.WithCancelCause(ctx)
	defer r.cancel(nil)
	row := r.trial(ctx, j)
	r.scratch.remove()
	if row == nil {
		return context.Cause(ctx)
	}
	if row.Trace != "" {
		if err := os.Rename(filepath.Join(dir, row.Trace), filepath.Join(final, row.Trace)); err != nil {
			return fmt.Errorf("keeping the trace: %w", err)
		}
	}
	err = replaceFile(partPath(final, at), func(w io.Writer) error { return json.NewEncoder(w).Encode(row) })
	if err != nil {
		return fmt.Errorf("keeping the result of a trial: %w", err)
	}
	return nil
}

// find returns a trial of a plan whose folder holds a run of the same set.
func (p *Plan) find(at Place) (j job, err error) {
	if err := p.check(); err != nil {
		return j, err
	}
	info, err := ReadInfo(p.Dir)
	switch {
	case err != nil:
		return j, err
	case info.Hash != p.Set.Hash:
		return j, fmt.Errorf("%w: the set %s is not as it was when the run in %s began", ErrMismatch, info.Set, p.Dir)
	}
	t := slices.IndexFunc(p.Set.Tasks, func(t task.Task) bool { return t.ID == at.Task })
	s := slices.IndexFunc(p.Subjects, func(s Subject) bool { return s.Name == at.Subject })
	if t < 0 || s < 0 || at.Trial < 1 {
		return j, fmt.Errorf("running a trial: the plan has no task %q with subject %q and trial %d", at.Task, at.Subject,
			at.Trial)
	}
	return job{&p.Set.Tasks[t], &p.Subjects[s], at.Trial}, nil
}

// partPath is where [Part] leaves a row.
func partPath(dir string, at Place) string {
	name := strings.TrimPrefix(traceName(at.Task, at.Subject, at.Trial), tracesDir+"/")
	return filepath.Join(dir, partsDir, strings.TrimSuffix(name, ".jsonl.gz")+".json")
}

// elsewhere has another process run a trial, and returns its row; nil if ctx ended first.
func (r *runner) elsewhere(ctx context.Context, j job) *Row {
	at, began := Place{j.task.ID, j.subject.Name, j.trial}, time.Now()
	err := r.plan.Elsewhere(ctx, at)
	if ctx.Err() != nil {
		return nil // a row that came stays for the next run
	}
	var row *Row
	if err == nil {
		row, err = takePart(r.plan.Dir, at)
	}
	if err != nil {
		row = &Row{
			Task: at.Task, Subject: at.Subject, Trial: at.Trial, Tags: j.task.Tags,
			Started: began.UTC().Truncate(time.Millisecond), Seconds: time.Since(began).Seconds(),
			Failure: failure(Harness, "%v", err),
		}
	}
	return row
}

// takePart reads and removes the row that [Part] left. It removes it first: a run that is killed here runs the trial
// again, while a row that stayed would be taken for that of a later run.
func takePart(dir string, at Place) (*Row, error) {
	row, err := readPart(dir, at)
	if err != nil {
		return nil, fmt.Errorf("reading a result from the shared folder: %w", err)
	}
	if err := os.Remove(partPath(dir, at)); err != nil {
		return nil, fmt.Errorf("taking a result from the shared folder: %w", err)
	}
	return row, nil
}

// readPart reads the row that [Part] left.
func readPart(dir string, at Place) (*Row, error) {
	path := partPath(dir, at)
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	row := &Row{}
	if err := json.Unmarshal(raw, row); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if (Place{row.Task, row.Subject, row.Trial}) != at {
		return nil, fmt.Errorf("%s holds the result of another trial", path)
	}
	return row, nil
}
