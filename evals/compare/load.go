package compare

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/forayhq/foray/evals/inspectlog"
	"github.com/forayhq/foray/evals/trial"
)

// Results are the trials of a run. Rows have neither the answer nor the calls, so that many fit into memory.
type Results struct {
	Path string // as given
	Info trial.Info
	// Rows has one a trial: the last, if there were several. They are in the order of the tasks, if these are known.
	Rows    []trial.Row
	Skipped []string // what is wrong with each line that is not a result

	tasks map[string][sha256.Size]byte // hashes by id; nil if the tasks are not known
}

// A key is one trial of a subject.
type key struct {
	task, subject string
	trial         int
}

// Load reads a folder of results, or a log of Inspect: a file whose name ends in .eval. Its errors say what to do next.
func Load(ctx context.Context, path string) (*Results, error) {
	r := &Results{Path: path}
	seen := make(map[key]int)
	info, err := each(path, func(row *trial.Row, err error) {
		if err != nil {
			r.Skipped = append(r.Skipped, err.Error())
			return
		}
		row.Answer, row.Calls = "", nil
		k := key{row.Task, row.Subject, row.Trial}
		i, again := seen[k]
		if !again {
			i = len(r.Rows)
			seen[k], r.Rows = i, append(r.Rows, trial.Row{})
		}
		r.Rows[i] = *row
	})
	if err = errors.Join(err, ctx.Err()); err != nil {
		return nil, err
	}
	if len(r.Rows) == 0 {
		return nil, fmt.Errorf("%s has no results yet: run the tasks first", path)
	}
	r.Info = *info
	return r, r.hashTasks()
}

// each calls take with each result, and with what is wrong with other lines.
func each(path string, take func(*trial.Row, error)) (*trial.Info, error) {
	if at, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("reading results: %w", err)
	} else if !at.IsDir() && isLog(path) {
		info, rows, err := inspectlog.Read(path)
		for i := range rows {
			take(&rows[i], nil)
		}
		return info, err
	}
	info, err := trial.ReadInfo(path)
	if err != nil {
		return nil, err
	}
	for row, err := range trial.Rows(path) {
		if !errors.Is(err, fs.ErrNotExist) { // else it was killed before the first trial ended
			take(row, err)
		}
	}
	return info, nil
}

// isLog reports whether results are a log of Inspect, and not a folder.
func isLog(path string) bool { return strings.HasSuffix(path, ".eval") }

// hashTasks hashes the tasks of a folder that has them, and sorts the rows by their order.
func (r *Results) hashTasks() error {
	if _, err := os.Stat(filepath.Join(r.Path, "tasks.jsonl")); err != nil {
		return nil // a log of Inspect, or a folder whose results can be compared without
	}
	r.tasks = make(map[string][sha256.Size]byte)
	order := make(map[string]int)
	for t, err := range trial.Tasks(r.Path) {
		if err != nil {
			continue // without its hash, the task counts as equal
		}
		raw, err := json.Marshal(t)
		if err != nil {
			return fmt.Errorf("reading the tasks of %s: %w", r.Path, err)
		}
		r.tasks[t.ID], order[t.ID] = sha256.Sum256(raw), len(order)
	}
	slices.SortStableFunc(r.Rows, func(a, b trial.Row) int { // they are in the order in which they ended
		return cmp.Or(cmp.Compare(order[a.Task], order[b.Task]), cmp.Compare(a.Trial, b.Trial))
	})
	return nil
}
