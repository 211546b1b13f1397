package trial

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/task"
)

// Results are trials that something other than [Run] ran, such as a suite.
type Results struct {
	Set   string // names the tasks
	tasks []task.Task
	rows  []*Row
	known map[rowKey]bool // trials; those of a task alone have no subject
}

// Len returns how many trials were added.
func (r *Results) Len() int { return len(r.rows) }

// Add adds a trial of a task. From the verdicts in its Checks it sets Passed, if all passed, and Score, their mean. Its
// Tags become those of the task, and its Trial the first that the task has not had with this subject.
func (r *Results) Add(t task.Task, row Row) {
	if r.known == nil {
		r.known = make(map[rowKey]bool)
	}
	if task := (rowKey{Task: t.ID}); !r.known[task] {
		r.known[task] = true
		r.tasks = append(r.tasks, t)
	}
	at := rowKey{t.ID, row.Subject, 1}
	for r.known[at] {
		at.Trial++
	}
	r.known[at] = true
	row.Task, row.Tags, row.Trial = t.ID, t.Tags, at.Trial
	row.Passed, row.Score = row.Failure == nil, 0
	for _, v := range row.Checks {
		row.Passed = row.Passed && v.Passed
		row.Score += v.Score / float64(len(row.Checks))
	}
	if row.Failure != nil {
		row.Score = 0
	}
	row.Answer = truncate(row.Answer, maxAnswer)
	r.rows = append(r.rows, &row)
}

// Held returns the verdict of a check that either holds or does not. Why is for a person.
func Held(name string, held bool, why string) check.Verdict {
	v := check.Verdict{Check: name, Passed: held, Why: why}
	if held {
		v.Score = 1
	}
	return v
}

// Record writes results to a folder as [Run] does, so that all that reads results reads them. It makes the folder,
// which must not hold results ([ErrExists]). Foray is its version.
func Record(dir, foray string, r *Results) error {
	if len(r.rows) == 0 {
		return errors.New("recording results: no trial was added")
	}
	if err := MakeFolder(dir); err != nil {
		return err
	}
	info := Info{
		Version: Version, Set: r.Set, Trials: 1, Tasks: len(r.tasks), Foray: foray,
		Started: time.Now().UTC().Truncate(time.Millisecond),
	}
	for _, row := range r.rows {
		info.Trials = max(info.Trials, row.Trial)
		if !slices.Contains(info.Subjects, row.Subject) {
			info.Subjects = append(info.Subjects, row.Subject)
		}
	}
	hash := sha256.New()
	tasks := func(w io.Writer) error { return writeTasks(io.MultiWriter(w, hash), r.tasks) }
	rows := func(w io.Writer) error { return writeLines(w, r.rows) }
	run := func(w io.Writer) error {
		info.Hash = hex.EncodeToString(hash.Sum(nil))
		return json.NewEncoder(w).Encode(info)
	}
	for _, part := range []struct {
		name  string
		write func(io.Writer) error
	}{{tasksFile, tasks}, {resultsFile, rows}, {infoFile, run}} { // in this order: a folder without run.json holds no run
		if err := replaceFile(filepath.Join(dir, part.name), part.write); err != nil {
			return fmt.Errorf("writing results: %w", err)
		}
	}
	return nil
}

// MakeFolder makes a folder for results, unless it exists, and returns an error if [Record] would refuse it.
func MakeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("making the folder of results: %w", err)
	}
	for _, name := range []string{infoFile, resultsFile} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return fmt.Errorf("%s: %w", dir, ErrExists)
		}
	}
	return nil
}

func writeLines[T any](w io.Writer, values []T) error {
	e := json.NewEncoder(w)
	for _, v := range values {
		if err := e.Encode(v); err != nil {
			return err
		}
	}
	return nil
}
