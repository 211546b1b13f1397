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

// openTrace makes the file, so that what keeps it from being written is told before anything is explored. Only its owner
// may read it, for it holds whatever was read.
func openTrace(path, report string) (traceFile, error) {
	switch {
	case path == "":
		return traceFile{}, nil
	case path == "-":
		return traceFile{}, usage("--trace trace.jsonl", "--trace needs a file")
	case report != "" && sameFile(path, report):
		return traceFile{}, usage("--trace "+quote(path+".jsonl"), "--trace and --output name the same file")
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	info, statErr := os.Stat(path)
	switch {
	case err == nil:
		return traceFile{f}, nil
	case statErr == nil && info.IsDir():
		return traceFile{}, usage("--trace "+quote(filepath.Join(path, "trace.jsonl")), "%q is a directory", path)
	case errors.Is(err, fs.ErrNotExist):
		return traceFile{}, usage("mkdir -p "+quote(filepath.Dir(path)), "there is no directory %q for the trace", filepath.Dir(path))
	}
	return traceFile{}, usage("--trace FILE in a directory that can be written", "the trace cannot be written: %v", err)
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
