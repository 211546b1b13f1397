package sets

import (
	"context"
	"embed"
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
		{"retention", "48 sentences said early in long conversations, at windows of 8k, 16k and 32k tokens"},
	}
}

// Open returns a shipped set. It returns an error for a name that is not one of [Names].
func Open(name string) (*task.Set, error) {
	switch name {
	case "smoke":
		return shipped(name)
	case "retention":
		return retention()
	}
	var names []string
	for _, n := range Names() {
		names = append(names, n.Name)
	}
	near := line.Closest(name, names, 1)[0]
	return nil, fmt.Errorf("no set is called %q; did you mean %s? The sets are %s", name, near, strings.Join(names, ", "))
}

// shipped reads a set of tasks.jsonl and the archives beside it.
func shipped(name string) (*task.Set, error) {
	folder := path.Join("data", name)
	tasks, err := data.ReadFile(path.Join(folder, tasksFile))
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", name, err)
	}
	all := &txtar.Archive{Files: []txtar.File{{Name: tasksFile, Data: tasks}}}
	archives, err := fs.Glob(data, path.Join(folder, "*.txtar"))
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", name, err)
	}
	slices.Sort(archives)
	for _, archive := range archives {
		text, err := data.ReadFile(archive)
		if err != nil {
			return nil, fmt.Errorf("opening %s: %w", name, err)
		}
		all.Files = append(all.Files, txtar.Parse(text).Files...)
	}
	return load(all, name)
}

// tasksFile has the tasks of a set.
const tasksFile = "tasks.jsonl"

// load reads a set that must not have problems.
func load(all *txtar.Archive, name string) (*task.Set, error) {
	files, err := txtar.FS(all)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", name, err)
	}
	s, err := task.LoadFS(context.Background(), files, tasksFile, name, nil)
	if err == nil && len(s.Problems) > 0 {
		err = fmt.Errorf("opening %s: %s", name, s.Problems[0])
	}
	return s, err
}
