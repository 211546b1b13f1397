package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/trace"
)

// A sink takes the report: standard output, or a file that is there whole or not at all.
type sink struct {
	path string // "" and "-": standard output
	std  io.Writer
}

// check finds, before anything is explored, that the file cannot be written.
func (s sink) check() error {
	if s.path == "" || s.path == "-" {
		return nil
	}
	dir, err := os.Stat(filepath.Dir(s.path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return usage("mkdir -p "+quote(filepath.Dir(s.path)), "there is no directory %q for the report", filepath.Dir(s.path))
	case err != nil || !dir.IsDir():
		return usage("-o report.md", "%q cannot hold the report", filepath.Dir(s.path))
	}
	info, err := os.Stat(s.path)
	switch {
	case err == nil && info.IsDir():
		return usage("-o "+quote(filepath.Join(s.path, "report.md")), "%q is a directory", s.path)
	case err == nil && !info.Mode().IsRegular():
		return nil
	}
	return s.probe()
}

// probe makes the file that replace would write, and removes it: permissions alone do not say whether that can be.
func (s sink) probe() error {
	name := s.target()
	f, err := os.OpenFile(beside(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		return usage("-o FILE in a directory that can be written", "%q cannot hold the report", filepath.Dir(name))
	}
	return nil
}

// target is the file itself, where path is a link to it.
func (s sink) target() string {
	if real, err := filepath.EvalSymlinks(s.path); err == nil {
		return real
	}
	return s.path
}

// beside is the file that becomes path when it is whole.
func beside(path string) string {
	return filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d", filepath.Base(path), os.Getpid()))
}

// write writes the report. A file that is a device or a pipe is written to, any other is replaced.
func (s sink) write(text string) error {
	if s.path == "" || s.path == "-" {
		if _, err := io.WriteString(s.std, text); err != nil {
			return &exit{code: exitPartial, err: fmt.Errorf("writing the report: %w", err), hint: "-o FILE"}
		}
		return nil
	}
	path := s.target()
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		err = os.WriteFile(path, []byte(text), 0)
	case err == nil:
		err = replace(path, text, info.Mode().Perm())
	default:
		err = replace(path, text, 0o666)
	}
	if err != nil {
		return &exit{code: exitPartial, err: fmt.Errorf("writing the report: %w", err), hint: "-o FILE in a directory that can be written"}
	}
	return nil
}

// replace writes a file beside path and renames it, so that nobody sees a part of it. New files get the permissions
// that the process gives to files.
func replace(path, text string, perm fs.FileMode) (err error) {
	name := beside(path)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(name))
		}
	}()
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(name, path)
}

// A traceFile takes the trace of a run. The zero value takes nothing.
type traceFile struct{ file *os.File }

// An ownFile is a file beside the report that a flag names.
type ownFile struct {
	flag, path string
	what       string // it is for
	suggested  string // name
}

// open makes the file, so that what keeps it from being written is told before anything is explored. Only its owner may
// read it, for it holds whatever was read. No path is no file.
func (o ownFile) open() (*os.File, error) {
	switch o.path {
	case "":
		return nil, nil
	case "-":
		return nil, usage("--"+o.flag+" "+o.suggested, "--%s needs a file", o.flag)
	}
	f, err := os.OpenFile(o.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	info, statErr := os.Stat(o.path)
	switch {
	case err == nil:
		return f, nil
	case statErr == nil && info.IsDir():
		return nil, usage("--"+o.flag+" "+quote(filepath.Join(o.path, o.suggested)), "%q is a directory", o.path)
	case errors.Is(err, fs.ErrNotExist):
		return nil, usage("mkdir -p "+quote(filepath.Dir(o.path)), "there is no directory %q for the %s", filepath.Dir(o.path), o.what)
	}
	return nil, usage("--"+o.flag+" FILE in a directory that can be written", "the %s cannot be written: %v", o.what, err)
}

// checkFiles refuses one file for two things.
func (f *exploreFlags) checkFiles() error {
	files := []ownFile{{flag: "trace", path: f.trace}, {flag: "record", path: f.record}, {flag: "replay", path: f.replay}, {flag: "output", path: f.out}}
	for i, a := range files {
		for _, b := range files[i+1:] {
			if a.path != "" && b.path != "" && sameFile(a.path, b.path) {
				return usage("--"+a.flag+" "+quote(a.path+".jsonl"), "--%s and --%s name the same file", a.flag, b.flag)
			}
		}
	}
	return nil
}

// sameFile reports whether two paths name one file, which need not be there yet.
func sameFile(a, b string) bool {
	left, leftErr := os.Stat(a)
	right, rightErr := os.Stat(b)
	if leftErr == nil && rightErr == nil {
		return os.SameFile(left, right) && left.Mode().IsRegular()
	}
	a, leftErr = filepath.Abs(a)
	b, rightErr = filepath.Abs(b)
	return leftErr == nil && rightErr == nil && a == b
}

// of writes the events of a run beside yielding them.
func (t traceFile) of(events iter.Seq2[agent.Event, error]) iter.Seq2[agent.Event, error] {
	if t.file == nil {
		return events
	}
	return trace.Write(events, t.file)
}

func (t traceFile) close() error {
	if t.file == nil {
		return nil
	}
	return t.file.Close()
}
