package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/task"
)

// full is a file on a disk that has room for so many more bytes.
type full struct {
	*os.File
	room int
}

func (f *full) Write(p []byte) (int, error) {
	n, err := f.File.Write(p[:min(len(p), f.room)])
	f.room -= n
	if n < len(p) && err == nil {
		err = syscall.ENOSPC
	}
	return n, err
}

// A disk that fills up in the middle of a row ends the run with that error. No row before it is lost or torn.
func TestFullDisk(t *testing.T) {
	for room := 1000; room < 1400; room += 7 {
		dir := t.TempDir()
		p := &Plan{Set: &task.Set{Name: "s", Tasks: []task.Task{{ID: "t"}}}, Dir: dir, Trials: 100}
		l, err := openLedger(p, func(*Row) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		l.file = &full{l.file.(*os.File), room}
		kept := 0
		for err == nil {
			if err = l.add(&Row{Task: "t", Subject: "s", Trial: kept + 1, Answer: strings.Repeat("a", kept)}); err == nil {
				kept++
			}
		}
		if !strings.Contains(err.Error(), "no space left") || !strings.Contains(err.Error(), "resume") {
			t.Errorf("room for %d: %v", room, err)
		}
		if again := l.add(&Row{}); again == nil {
			t.Error("a row after the error")
		}
		if err := l.close(); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(filepath.Join(dir, resultsFile))
		if err != nil || bytes.Count(raw, []byte("\n")) != kept || !bytes.HasSuffix(raw, []byte("\n")) || kept == 0 {
			t.Errorf("room for %d: %d rows kept, the file %q, %v", room, kept, raw, err)
		}
	}
}

// The run ends soon after the disk is full, and a later one completes it.
func TestFullDiskEndsRun(t *testing.T) {
	dir := t.TempDir()
	exact := []json.RawMessage{json.RawMessage(`{"kind":"exact","text":""}`)}
	p := Plan{Set: &task.Set{Name: "s", Tasks: []task.Task{{ID: "t", Checks: exact}}}, Dir: dir, Trials: 1000, Jobs: 2}
	calls := 0
	var l *ledger
	p.Subjects = []Subject{{"s", func(context.Context, Input) (*check.Outcome, error) { return &check.Outcome{}, nil }}}
	if err := p.check(); err != nil {
		t.Fatal(err)
	}
	r := newRunner(&p)
	l, err := openLedger(&p, r.keep)
	if err != nil {
		t.Fatal(err)
	}
	l.file = &full{l.file.(*os.File), 2000}
	p.Progress = func(Progress) { calls++ }
	s, err := r.run(t.Context(), l)
	if err == nil || !strings.Contains(err.Error(), "no space left") || s.Trials != calls || calls < 3 || calls > 20 {
		t.Fatalf("%d of 1000: %v", calls, err)
	}
	p.Resume = true
	if s, err = Run(t.Context(), p); err != nil || s.Trials != 1000 {
		t.Errorf("resumed: %d, %v", s.Trials, err)
	}
}

// Working copies of a killed run are removed by the next one, and nothing else that the lock may name is.
func TestClearScratch(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	own, other := filepath.Join(os.TempDir(), scratchPrefix+"1"), filepath.Join(os.TempDir(), "other")
	inner := filepath.Join(other, scratchPrefix+"1")
	for _, dir := range []string{own, inner} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{own, other, inner, own + "/../other", "", "/", strings.Repeat("x", 9000)} {
		lock := filepath.Join(t.TempDir(), "lock")
		if err := os.WriteFile(lock, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.OpenFile(lock, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		clearScratch(file)
		file.Close()
	}
	left, err := os.ReadDir(os.TempDir())
	if err != nil || fmt.Sprint(left) != "[d other/]" {
		t.Errorf("left: %v, %v", left, err)
	}
}
