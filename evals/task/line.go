package task

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/internal/recording"
	"github.com/forayhq/foray/internal/strict"
)

// plain is a Task whose fields a wire may replace.
type plain Task

// A wire is a task as a line has it: with messages in any form.
type wire struct {
	plain
	Messages json.RawMessage `json:"messages"`
}

// line adds the task of a line, or what is wrong with it.
func (r *reader) line(file string, n int, text []byte) {
	var w wire
	if !utf8.Valid(text) {
		r.problem(file, n, 0, "not valid UTF-8")
		return
	}
	if err := strict.Decode(text, &w); err != nil {
		if r.foreign == "" {
			r.foreign = foreign(text)
		}
		r.problemOf(file, n, 0, err)
		return
	}
	t := Task(w.plain)
	t.Checks = slices.Clone(t.Checks)
	if len(w.Messages) > 0 {
		system, all, err := recording.Messages(w.Messages)
		if err != nil {
			r.problem(file, n, bytes.Index(text, []byte(`"messages"`))+1, "messages: "+err.Error())
			return
		}
		t.Messages, t.System = all, strings.TrimSpace(t.System+"\n\n"+system)
	}
	if t.Prompt == "" && t.ID != "" && len(t.Checks) == 0 && r.foreign == "" {
		r.foreign = foreign(text)
	}
	if err := r.add(&t, fmt.Sprintf("%s:%d", file, n)); err != nil {
		column := 0
		if bad := (*checkError)(nil); errors.As(err, &bad) {
			column = bytes.Index(text, bad.raw)
		}
		r.problemOf(file, n, column, err)
	}
}

// problemOf notes an error of a line. The column of a [strict.Error] counts from an offset in the line.
func (r *reader) problemOf(file string, n, offset int, err error) {
	var at *strict.Error
	reason, column := err.Error(), 0
	if errors.As(err, &at) {
		column = offset + at.Column
		reason = strings.Replace(reason, at.Error(), at.Reason, 1)
	} else if offset > 0 {
		column = offset + 1
	}
	r.problem(file, n, column, reason)
}

// A checkError is an error of one check of a task.
type checkError struct {
	raw json.RawMessage
	err error
}

func (e *checkError) Error() string { return e.err.Error() }
func (e *checkError) Unwrap() error { return e.err }

// maxID is how long an id may be, in bytes, since names of files are made of it.
const maxID = 200

// add adds a task with its checks, or returns what is wrong with it.
func (r *reader) add(t *Task, where string) error {
	if t.ID = strings.TrimSpace(t.ID); t.ID == "" {
		return errors.New("id is missing")
	}
	if len(t.ID) > maxID {
		return fmt.Errorf("id must have at most %d bytes", maxID)
	}
	if first, twice := r.ids[t.ID]; twice {
		return fmt.Errorf("the id %q is that of %s already; this one is left out", t.ID, first)
	}
	if strings.TrimSpace(t.Prompt) == "" {
		return errors.New("prompt is missing")
	}
	if t.Window < 0 {
		return errors.New("window must not be negative")
	}
	if b := t.Budget; b.Steps < 0 || b.Tokens < 0 || b.Seconds < 0 || b.Dollars < 0 {
		return errors.New("budget must not be negative")
	}
	if err := r.copies(t); err != nil {
		return err
	}
	if len(t.Checks) == 0 {
		return errors.New(`no checks, so nothing could fail; add one such as {"kind":"contains","all":["TEXT"]}`)
	}
	for _, raw := range t.Checks {
		c, err := check.Parse(raw, &r.options)
		if err != nil {
			return &checkError{raw, err}
		}
		t.Judges = append(t.Judges, c)
	}
	r.ids[t.ID] = where
	r.Tasks = append(r.Tasks, *t)
	return nil
}

// copies returns what is wrong with the working copy of a task.
func (r *reader) copies(t *Task) error {
	switch {
	case t.Dir != "" && t.Repository != "":
		return errors.New("dir and repository exclude each other")
	case t.Revision != "" && t.Repository == "":
		return errors.New("a revision needs a repository")
	case strings.Contains(t.Repository, "://") && !strings.HasPrefix(t.Repository, "https://"):
		return fmt.Errorf("repository %s is neither a path nor an https URL; clone it and give its path", t.Repository)
	}
	for name := range t.Files {
		if err := safePath(name); err != nil {
			return err
		}
	}
	if t.Dir == "" {
		return nil
	}
	info, err := r.stat(t.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("dir %q does not exist; it is relative to the folder of the set", t.Dir)
	}
	if err == nil && !info.IsDir() {
		return fmt.Errorf("dir %q is not a folder", t.Dir)
	}
	return err
}

// stat looks at a path that a task names.
func (s *Set) stat(name string) (fs.FileInfo, error) {
	if s.onDisk() {
		return os.Stat(s.path(name))
	}
	return fs.Stat(s.files, path.Clean(name))
}

// safePath returns why a file of that path must not be written into a working copy: it would be outside, or git would
// run it.
func safePath(name string) error {
	if !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) == "." {
		return fmt.Errorf("the path %q leaves the working copy", name)
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.EqualFold(part, ".git") {
			return fmt.Errorf("the path %q is in the folder of git", name)
		}
	}
	return nil
}
