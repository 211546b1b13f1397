package trial

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/forayhq/foray/evals/task"
)

// The names in a folder of results.
const (
	infoFile    = "run.json"
	tasksFile   = "tasks.jsonl"
	resultsFile = "results.jsonl"
	tracesDir   = "traces"
	partsDir    = "parts"
	lockName    = "lock"
)

// ErrNoRun says that a folder holds no results.
var ErrNoRun = errors.New("no results there; foray eval run --out DIR makes some")

// ReadInfo reads what ran in a folder of results. It returns [ErrNoRun] for another folder, and an error for results in
// a version of the format that this foray does not read.
func ReadInfo(dir string) (*Info, error) {
	raw, err := os.ReadFile(filepath.Join(dir, infoFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading %s: %w", dir, ErrNoRun)
	}
	if err != nil {
		return nil, fmt.Errorf("reading results: %w", err)
	}
	var info Info
	if err := json.Unmarshal(raw, &info); err != nil {
		return nil, fmt.Errorf("reading %s: %w", filepath.Join(dir, infoFile), err)
	}
	switch {
	case info.Version > Version:
		return nil, fmt.Errorf("%s has version %d of the format, written by a newer foray (%s); this one reads %d: update it",
			dir, info.Version, info.Foray, Version)
	case info.Version != Version:
		return nil, fmt.Errorf("%s has version %d of the format; this foray reads %d: run the tasks again, elsewhere",
			dir, info.Version, Version)
	}
	return &info, nil
}

// Rows yields the results of a folder in the order of the file; of several of one trial, the last. A line that is no
// [Row] yields an error that names its line, and the next lines follow. A last line without its end, which a killed
// run leaves, is neither a row nor an error.
func Rows(dir string) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		path := filepath.Join(dir, resultsFile)
		last, err := lastLines(path)
		if err != nil {
			yield(nil, fmt.Errorf("reading results: %w", err))
			return
		}
		err = eachLine(path, func(n int, _ int64, raw []byte) bool {
			r := &Row{}
			if err := json.Unmarshal(raw, r); err != nil {
				return yield(nil, fmt.Errorf("%s:%d: %w", path, n, err))
			}
			if r.Task == "" || r.Subject == "" || r.Trial < 1 {
				return yield(nil, fmt.Errorf("%s:%d: not a result: it has no task, subject or trial", path, n))
			}
			r.Priced = r.Priced || r.Cost > 0 // earlier versions did not say so
			return last[r.trialKey()] > n || yield(r, nil)
		})
		if err != nil {
			yield(nil, fmt.Errorf("reading results: %w", err))
		}
	}
}

// lastLines returns the number of the last line of each trial: results that were put together from several runs may
// have several of one.
func lastLines(path string) (map[uint64]int, error) {
	last := make(map[uint64]int)
	err := eachLine(path, func(n int, _ int64, raw []byte) bool {
		var k rowKey
		if json.Unmarshal(raw, &k) != nil {
			return true
		}
		key := k.hash()
		if _, again := last[key]; !again || json.Unmarshal(raw, &Row{}) == nil { // a damaged row replaces none
			last[key] = n
		}
		return true
	})
	return last, err
}

// hashSeed is of the hashes of trials, which take less memory than their names.
var hashSeed = maphash.MakeSeed()

// A rowKey says which trial a row is of.
type rowKey struct {
	Task, Subject string
	Trial         int
}

func (k rowKey) hash() uint64 { return maphash.Comparable(hashSeed, k) }

func (r *Row) trialKey() uint64 { return rowKey{r.Task, r.Subject, r.Trial}.hash() }

// Tasks yields the tasks of a folder of results, as Rows does rows. Their checks are not parsed.
func Tasks(dir string) iter.Seq2[*task.Task, error] {
	return func(yield func(*task.Task, error) bool) {
		path := filepath.Join(dir, tasksFile)
		err := eachLine(path, func(n int, _ int64, raw []byte) bool {
			t := &task.Task{}
			if err := json.Unmarshal(raw, t); err != nil {
				return yield(nil, fmt.Errorf("%s:%d: %w", path, n, err))
			}
			return yield(t, nil)
		})
		if err != nil {
			yield(nil, fmt.Errorf("reading tasks: %w", err))
		}
	}
}

// eachLine calls take with the number, the offset and the text of each whole line, until take returns false.
func eachLine(path string, take func(n int, offset int64, raw []byte) bool) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	in, offset := bufio.NewReader(file), int64(0)
	for n := 1; ; n++ {
		raw, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if len(raw) > 1 && !take(n, offset, raw) {
			return nil
		}
		offset += int64(len(raw))
	}
}

// replaceFile writes a file whole or not at all.
func replaceFile(path string, write func(io.Writer) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	buffered := bufio.NewWriter(file)
	err = write(buffered)
	if err = errors.Join(err, buffered.Flush(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
