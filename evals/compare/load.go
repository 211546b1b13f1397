package compare

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/evals/trial"
)

// The files of a folder of results; see package evals/trial.
const (
	infoFile    = "run.json"
	tasksFile   = "tasks.jsonl"
	resultsFile = "results.jsonl"
)

// Results are the trials of a run. Rows have neither the answer nor the calls, so that many fit into memory.
type Results struct {
	Path    string // as given
	Info    trial.Info
	Rows    []trial.Row // one a trial: the last, if there were several
	Skipped []string    // lines that are not results, as "file:line: reason"

	tasks map[string][sha256.Size]byte // hashes by id; nil if the folder does not have the tasks
}

// A key is one trial of a subject.
type key struct {
	task, subject string
	trial         int
}

// Load reads a folder of results. Its errors say what to do next.
func Load(ctx context.Context, path string) (*Results, error) {
	r := &Results{Path: path}
	seen := make(map[key]int)
	var err error
	r.Info, r.Skipped, err = Each(ctx, path, func(row trial.Row) error {
		row.Answer, row.Calls = "", nil
		k := key{row.Task, row.Subject, row.Trial}
		i, again := seen[k]
		if !again {
			i = len(r.Rows)
			seen[k], r.Rows = i, append(r.Rows, row)
		}
		r.Rows[i] = row
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(r.Rows) == 0 {
		return nil, fmt.Errorf("%s has no results yet: run the tasks first", path)
	}
	return r, r.readTasks(ctx)
}

// Each calls take with every row of a folder of results, in the order of the file. Lines that are not results, or that
// take refuses, are returned in skipped.
func Each(ctx context.Context, path string, take func(trial.Row) error) (info trial.Info, skipped []string, err error) {
	if info, err = readInfo(path); err != nil {
		return info, nil, err
	}
	skipped, err = evals.EachLine(ctx, []string{filepath.Join(path, resultsFile)}, func(_ string, line []byte) error {
		var row trial.Row
		if err := json.Unmarshal(line, &row); err != nil {
			return err
		}
		if row.Task == "" || row.Subject == "" || row.Trial < 1 {
			return errors.New("no task, subject or trial: this is not a result")
		}
		return take(row)
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // killed before the first trial ended
	}
	return info, skipped, err
}

func readInfo(path string) (trial.Info, error) {
	var info trial.Info
	raw, err := os.ReadFile(filepath.Join(path, infoFile))
	switch _, folder := os.Stat(path); {
	case folder != nil:
		return info, fmt.Errorf("reading results: %w", folder)
	case err != nil:
		return info, fmt.Errorf("%s is not a folder of results: it has no %s, which foray eval run --out writes",
			path, infoFile)
	}
	if err := json.Unmarshal(raw, &info); err != nil {
		return info, fmt.Errorf("reading %s: %w", filepath.Join(path, infoFile), err)
	}
	if info.Version != trial.Version {
		return info, fmt.Errorf("%s is of version %d, but this foray reads version %d: run the tasks again",
			filepath.Join(path, infoFile), info.Version, trial.Version)
	}
	return info, nil
}

// readTasks hashes the tasks of a folder that has them.
func (r *Results) readTasks(ctx context.Context) error {
	tasks := make(map[string][sha256.Size]byte)
	_, err := evals.EachLine(ctx, []string{filepath.Join(r.Path, tasksFile)}, func(_ string, line []byte) error {
		var t struct{ ID string }
		if err := json.Unmarshal(line, &t); err != nil {
			return err
		}
		tasks[t.ID] = sha256.Sum256(line)
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	r.tasks = tasks
	return err
}
