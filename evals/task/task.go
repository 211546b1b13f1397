// Package task reads sets of tasks: JSON lines, or folders of them.
//
// Start with [Load].
package task

import (
	"encoding/json"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/check"
)

// A Set is a set of tasks with unique ids. Hash is the SHA-256 of what was read, as hexadecimal digits: results of sets
// with different hashes are not resumed into each other.
type Set struct {
	Name     string
	Hash     string
	Tasks    []Task
	Problems []Problem // what was not read
}

// A Problem is a line or folder that is not a task. Line and Column count from 1; 0 if they mean nothing.
type Problem struct {
	File   string
	Line   int
	Column int // bytes
	Reason string
}

// A Task is one thing to do, and how to judge it.
type Task struct {
	ID     string `json:"id"`
	Prompt string `json:"prompt"`
	// Messages are what was said before Prompt, oldest first, with the calls and results of tools.
	Messages []transcript.Message `json:"messages,omitempty"`
	// A trial with Dir, Files or Repository has a working copy of its own: Dir is copied (a path relative to the set's
	// folder) or Repository is checked out at Revision, and then Files are written, path to text.
	Dir        string            `json:"dir,omitempty"`
	Repository string            `json:"repository,omitempty"`
	Revision   string            `json:"revision,omitempty"`
	Files      map[string]string `json:"files,omitempty"`

	Checks []json.RawMessage `json:"checks"`
	Budget Budget            `json:"budget,omitzero"`
	Tags   []string          `json:"tags,omitempty"`

	Judges []check.Check `json:"-"` // Checks, parsed
}

// A Budget bounds a trial. Zero values mean the runner's defaults.
type Budget struct {
	Steps   int     `json:"steps,omitempty"`
	Tokens  int     `json:"tokens,omitempty"` // input and output of all requests
	Seconds float64 `json:"seconds,omitempty"`
	Dollars float64 `json:"dollars,omitempty"`
}
