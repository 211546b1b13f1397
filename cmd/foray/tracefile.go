package main

import (
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/forayhq/foray/agent"
)

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
	return agent.Trace(events, t.file)
}

func (t traceFile) close() error {
	if t.file == nil {
		return nil
	}
	return t.file.Close()
}
