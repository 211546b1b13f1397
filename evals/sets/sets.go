package sets

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/internal/line"
)

//go:embed data
var data embed.FS

// A Name is that of a set, with what it is about for people.
type Name struct {
	Name, About string
}

// Names returns the shipped sets.
func Names() []Name {
	return []Name{
		{"smoke", "12 tasks on small files, seconds each: does a subject work at all?"},
		{"explore", "40 questions about small repositories, with known files, lines and words"},
		{"retention", "48 sentences said early in long conversations, at windows of 8k, 16k and 32k tokens"},
	}
}

// Open returns a shipped set. It returns an error for a name that is not one of [Names].
func Open(name string) (*task.Set, error) {
	var names []string
	for _, n := range Names() {
		names = append(names, n.Name)
	}
	if !slices.Contains(names, name) {
		return nil, fmt.Errorf("no set is called %q; did you mean %s? The sets are %s", name,
			line.Closest(name, names, 1)[0], strings.Join(names, ", "))
	}
	open := shipped
	if name == "retention" {
		open = retention
	}
	set, err := open(name)
	if err == nil && len(set.Problems) > 0 {
		err = errors.New(set.Problems[0].String())
	}
	if err != nil {
		return nil, fmt.Errorf("opening the set %s: %w", name, err)
	}
	return set, nil
}

// tasksFile has the tasks of a set.
const tasksFile = "tasks.jsonl"

// shipped reads a set of tasks.jsonl and the archives beside it.
func shipped(name string) (*task.Set, error) {
	all := &txtar.Archive{}
	err := fs.WalkDir(data, path.Join("data", name), func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := data.ReadFile(file)
		if path.Base(file) == tasksFile {
			all.Files = append(all.Files, txtar.File{Name: tasksFile, Data: text})
		} else {
			all.Files = append(all.Files, txtar.Parse(text).Files...)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	files, err := txtar.FS(all)
	if err != nil {
		return nil, err
	}
	return task.LoadFS(context.Background(), files, tasksFile, name, nil)
}
