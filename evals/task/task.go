package task

import (
	"encoding/json"
	"fmt"
	"io/fs"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/check"
)

// A Set is a set of tasks with unique ids. Hash is the SHA-256 of what was read, as hexadecimal digits: results of sets
// with different hashes are not resumed into each other. It covers the folders that tasks copy, but no repositories.
type Set struct {
	Name     string
	Hash     string
	Tasks    []Task
	Problems []Problem // what was not read

	folder string // of relative paths on disk; "" if files is not on disk
	files  fs.FS  // the same
}

// A Problem is a line or folder that is not a task. Line and Column count from 1; 0 if they mean nothing.
type Problem struct {
	File   string
	Line   int
	Column int // bytes
	Reason string
}

// String returns the problem as file:line:column: reason.
func (p Problem) String() string {
	switch {
	case p.Line == 0:
		return fmt.Sprintf("%s: %s", p.File, p.Reason)
	case p.Column == 0:
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Reason)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Reason)
}

// A Task is one thing to do, and how to judge it.
type Task struct {
	ID     string `json:"id"`
	Prompt string `json:"prompt"`
	System string `json:"system,omitempty"` // for models, besides the instructions of the subject
	// Messages are what was said before Prompt, oldest first, with the calls and results of tools.
	Messages []transcript.Message `json:"messages,omitempty"`
	// Window is the size of a request, in tokens, for which the task was made. Policies that play Messages, and models
	// that have them as their history, use it unless their spec has another.
	Window int `json:"window,omitempty"`
	// A trial with Dir, Files or Repository has a working copy of its own: Dir is copied (a path relative to the set's
	// folder) or Repository is checked out at Revision, and then Files are written, path to text.
	Dir        string            `json:"dir,omitempty"`
	Repository string            `json:"repository,omitempty"`
	Revision   string            `json:"revision,omitempty"`
	Files      map[string]string `json:"files,omitempty"`

	Checks []json.RawMessage `json:"checks"`
	Budget Budget            `json:"budget,omitzero"`
	Tags   []string          `json:"tags,omitempty"`

	// Judges are Checks, parsed, or checks in Go. If it is empty, the runner of trials parses Checks.
	Judges []check.Check `json:"-"`
}

// A Budget bounds a trial. Zero values mean the runner's defaults.
type Budget struct {
	Steps   int     `json:"steps,omitempty"`
	Tokens  int     `json:"tokens,omitempty"` // input and output of all requests
	Seconds float64 `json:"seconds,omitempty"`
	Dollars float64 `json:"dollars,omitempty"`
}
