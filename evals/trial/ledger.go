package trial

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/internal/filelock"
)

// A ledger is the folder of results of a run that owns it.
type ledger struct {
	dir  string
	lock *os.File // nil on a file system without locks
	info Info

	mu   sync.Mutex // guards what follows
	file io.WriteCloser
	size int64 // of the whole rows
	cut  func(size int64) error
	err  error // the first of writing, which ends the run
}

// openLedger makes a folder of results for a plan, or opens the one that the plan resumes. Rows that keep refuses are
// removed from it.
func openLedger(p *Plan, keep func(*Row) bool) (_ *ledger, err error) {
	err = os.MkdirAll(filepath.Join(p.Dir, tracesDir), 0o777)
	if err == nil && p.Elsewhere != nil {
		err = os.MkdirAll(filepath.Join(p.Dir, partsDir), 0o777)
	}
	if err != nil {
		return nil, fmt.Errorf("making the folder of results: %w", err)
	}
	l := &ledger{dir: p.Dir}
	if l.lock, err = filelock.Take(filepath.Join(p.Dir, lockName)); err != nil {
		if errors.Is(err, filelock.ErrHeld) {
			return nil, fmt.Errorf("%s belongs to another run that is in progress: wait for it, or choose another folder",
				p.Dir)
		}
		return nil, fmt.Errorf("locking the folder of results: %w", err)
	}
	defer func() {
		if err != nil {
			l.unlock()
		}
	}()
	clearScratch(l.lock)
	if err := l.begin(p); err != nil {
		return nil, err
	}
	if err := l.load(keep); err != nil {
		return nil, err
	}
	return l, l.open()
}

func (l *ledger) unlock() {
	if l.lock != nil {
		filelock.Free(l.lock, filepath.Join(l.dir, lockName))
	}
}

// begin writes what runs, or compares it with what the folder holds.
func (l *ledger) begin(p *Plan) error {
	tasks := sha256.New()
	if err := writeTasks(tasks, p.Set.Tasks); err != nil {
		return err
	}
	old, err := ReadInfo(l.dir)
	switch {
	case errors.Is(err, ErrNoRun):
		if _, err := os.Lstat(filepath.Join(l.dir, resultsFile)); err == nil {
			return fmt.Errorf("%s has a %s but no %s: choose another folder", l.dir, resultsFile, infoFile)
		}
		l.info = p.info()
	case err != nil:
		return err
	case !p.Resume:
		return fmt.Errorf("%s: %w", l.dir, ErrExists)
	default:
		if err := l.fits(p, old, tasks.Sum(nil)); err != nil {
			return err
		}
		l.info = *old
		l.info.Trials = max(l.info.Trials, p.Trials)
		l.info.Timeout, l.info.Judge = p.Timeout.Seconds(), p.Judge
		for _, s := range p.Subjects {
			if !slices.Contains(l.info.Subjects, s.Name) {
				l.info.Subjects = append(l.info.Subjects, s.Name)
			}
		}
	}
	if old == nil {
		err = replaceFile(filepath.Join(l.dir, tasksFile), func(w io.Writer) error { return writeTasks(w, p.Set.Tasks) })
		if err != nil {
			return fmt.Errorf("writing the tasks: %w", err)
		}
	}
	err = replaceFile(filepath.Join(l.dir, infoFile), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(l.info)
	})
	if err != nil {
		return fmt.Errorf("writing %s: %w", infoFile, err)
	}
	return nil
}

// ErrExists says that a plan without Resume names a folder that holds a run.
var ErrExists = errors.New("the folder holds a run already")

// fits refuses to resume another set, or other tasks of it.
func (l *ledger) fits(p *Plan, old *Info, tasks []byte) error {
	switch {
	case old.Hash != p.Set.Hash && old.Set != p.Set.Name:
		return fmt.Errorf("%s holds results of the set %s, not of %s: choose another folder", l.dir, old.Set, p.Set.Name)
	case old.Hash != p.Set.Hash:
		return fmt.Errorf("the set %s has changed since the run in %s began: choose another folder", old.Set, l.dir)
	}
	hash := sha256.New()
	file, err := os.Open(filepath.Join(l.dir, tasksFile))
	if err != nil {
		return fmt.Errorf("reading the tasks: %w", err)
	}
	defer file.Close()
	if _, err := io.Copy(hash, file); err != nil {
		return fmt.Errorf("reading the tasks: %w", err)
	}
	if !bytes.Equal(hash.Sum(nil), tasks) {
		return fmt.Errorf("%s holds results of another selection of %s (%d tasks, not %d): resume with the same one",
			l.dir, old.Set, old.Tasks, len(p.Set.Tasks))
	}
	return nil
}

func writeTasks(w io.Writer, tasks []task.Task) error {
	e := json.NewEncoder(w)
	for i := range tasks {
		if err := e.Encode(&tasks[i]); err != nil {
			return fmt.Errorf("writing the task %s: %w", tasks[i].ID, err)
		}
	}
	return nil
}

// load reads the rows of an earlier run, and rewrites the file without those that keep refuses and lines that are not
// rows.
func (l *ledger) load(keep func(*Row) bool) error {
	path := filepath.Join(l.dir, resultsFile)
	last, err := lastLines(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the earlier results: %w", err)
	}
	dropped := false
	write := func(w io.Writer) error {
		return eachLine(path, func(n int, offset int64, raw []byte) bool {
			var r Row
			if json.Unmarshal(raw, &r) != nil || last[r.trialKey()] > n || !keep(&r) {
				return true
			}
			dropped = dropped || offset != l.size
			l.size += int64(len(raw))
			_, l.err = w.Write(raw)
			return l.err == nil
		})
	}
	rewritten := path + ".kept"
	if err := errors.Join(replaceFile(rewritten, write), l.err); err != nil {
		return fmt.Errorf("reading the earlier results: %w", err)
	}
	if !dropped {
		return os.Remove(rewritten) // open cuts off what follows the last row
	}
	return os.Rename(rewritten, path)
}

// open opens the results for appending after the last whole row.
func (l *ledger) open() error {
	file, err := os.OpenFile(filepath.Join(l.dir, resultsFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("opening the results: %w", err)
	}
	info, err := file.Stat()
	if err == nil && info.Size() > l.size {
		err = file.Truncate(l.size)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("opening the results: %w", err), file.Close())
	}
	l.file, l.cut = file, file.Truncate
	return nil
}

// add appends a row with one write. If that fails, it removes what was written of the row, and every later add fails.
func (l *ledger) add(r *Row) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("writing a result: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	n, err := l.file.Write(append(raw, '\n'))
	if err != nil {
		if n > 0 {
			err = errors.Join(err, l.cut(l.size))
		}
		l.err = fmt.Errorf("writing %s: %w; the results until now are kept, resume once it can be written",
			filepath.Join(l.dir, resultsFile), err)
		return l.err
	}
	l.size += int64(n)
	return nil
}

// close ends the writing and frees the folder.
func (l *ledger) close() error {
	err := l.file.Close()
	l.unlock()
	if err != nil {
		return fmt.Errorf("closing the results: %w", err)
	}
	return nil
}
