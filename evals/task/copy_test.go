package task_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/forayhq/foray/evals/task"
	"github.com/google/go-cmp/cmp"
)

// tree returns the files of a directory with their texts, and links with their targets. It leaves out .git.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() == ".git" {
			return cmpSkip(err, d)
		}
		rel, _ := filepath.Rel(dir, name)
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			all[rel] = "-> " + target
			return err
		case !d.IsDir():
			text, err := os.ReadFile(name)
			all[rel] = string(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func cmpSkip(err error, d fs.DirEntry) error {
	if err == nil && d.IsDir() {
		return fs.SkipDir
	}
	return err
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, link := strings.CutPrefix(text, "-> "); link {
			err = os.Symlink(target, at)
		} else {
			err = os.WriteFile(at, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestMaterializeCopiesADirWithoutLinksThatLeave(t *testing.T) {
	folder, outside := t.TempDir(), t.TempDir()
	write(t, outside, map[string]string{"secret": "s"})
	write(t, folder, map[string]string{
		"tasks.jsonl": `{"id":"a","prompt":"x","dir":"app","files":{"new/n.txt":"n","x/a.txt":"changed"},` +
			`"checks":[{"kind":"contains","all":"x"}]}`,
		"app/x/a.txt":    "a",
		"app/in":         "-> x/a.txt",
		"app/x/up":       "-> ../x",
		"app/out":        "-> " + outside,
		"app/x/rel":      "-> ../../tasks.jsonl",
		"app/x/y/around": "-> ../../x/up/../../../tasks.jsonl",
	})
	s, err := task.Load(t.Context(), folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // copies do not share files
		dir := t.TempDir()
		if err := s.Materialize(t.Context(), &s.Tasks[0], dir); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"in": "-> x/a.txt", "x/up": "-> ../x", "x/a.txt": "changed", "new/n.txt": "n"}
		if d := cmp.Diff(want, tree(t, dir)); d != "" {
			t.Error(d)
		}
		write(t, dir, map[string]string{"x/b.txt": "b"})
	}
	if _, err := os.Stat(filepath.Join(folder, "app/x/b.txt")); err == nil {
		t.Error("a change of the copy reached its source")
	}
}

// A trial that copies the folder of its run does not find the answers of others there.
func TestMaterializeLeavesOutResults(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, map[string]string{
		"set.jsonl":         `{"id":"a","prompt":"x","dir":".","checks":[{"kind":"contains","all":"x"}]}`,
		"out/run.json":      "{}",
		"out/tasks.jsonl":   "{}",
		"out/results.jsonl": `{"answer":"x"}`,
		"mine/run.json":     "{}", // of another program
	})
	s, err := task.Load(t.Context(), filepath.Join(folder, "set.jsonl"), nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := s.Materialize(t.Context(), &s.Tasks[0], dir); err != nil {
		t.Fatal(err)
	}
	got := tree(t, dir)
	delete(got, "set.jsonl")
	if d := cmp.Diff(map[string]string{"mine/run.json": "{}"}, got); d != "" {
		t.Error(d)
	}
}

func TestMaterializeFromAFileSystem(t *testing.T) {
	files := fstest.MapFS{"t.jsonl": {Data: []byte(`{"id":"a","prompt":"x","dir":"app","checks":[{"kind":"steps","max":1}]}`)},
		"app/run.sh": {Data: []byte("exit 0\n"), Mode: 0o755}}
	s, err := task.LoadFS(t.Context(), files, "t.jsonl", "t", nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := s.Materialize(t.Context(), &s.Tasks[0], dir); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "run.sh"))
	if err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("run.sh: %v, %v", info, err)
	}
}

func TestMaterializeRefusesPathsThatLeave(t *testing.T) {
	var s task.Set
	for _, name := range []string{"../x", "/etc/x", "a/../../x", ".git/hooks/post-checkout", "a/.GIT/config", "."} {
		one := task.Task{ID: "a", Files: map[string]string{name: "x"}}
		if err := s.Materialize(t.Context(), &one, t.TempDir()); err == nil {
			t.Errorf("wrote %q", name)
		}
	}
	dir, outside := t.TempDir(), t.TempDir()
	write(t, dir, map[string]string{"out": "-> " + outside})
	one := task.Task{ID: "a", Files: map[string]string{"out/x": "x"}}
	if err := s.Materialize(t.Context(), &one, dir); err == nil {
		t.Error("wrote through a link that leaves the copy")
	}
}

func TestMaterializeChecksOutARevision(t *testing.T) {
	folder := t.TempDir()
	repository := filepath.Join(folder, "repo")
	write(t, repository, map[string]string{"a.txt": "one", "out": "-> ../../secret"})
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)...)
		cmd.Dir = repository
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("init", "-q", "-b", "main")
	run("add", ".")
	run("commit", "-qm", "one")
	first := run("rev-parse", "HEAD")
	write(t, repository, map[string]string{"a.txt": "two", ".git/hooks/post-checkout": "#!/bin/sh\ntouch ../ran\n"})
	run("commit", "-qam", "two")
	write(t, repository, map[string]string{"a.txt": "not committed"})

	var s task.Set
	for revision, want := range map[string]string{first: "one", "main": "two", "": "two", "HEAD~1": "one"} {
		dir := t.TempDir()
		one := task.Task{ID: "a", Repository: repository, Revision: revision, Files: map[string]string{"b.txt": "b"}}
		if err := s.Materialize(t.Context(), &one, dir); err != nil {
			t.Errorf("%s: %v", revision, err)
			continue
		}
		if d := cmp.Diff(map[string]string{"a.txt": want, "b.txt": "b"}, tree(t, dir)); d != "" {
			t.Error(d)
		}
	}
	for revision, want := range map[string]string{"nowhere": "unknown revision", "-x": "begins with", "main..HEAD": "is a range"} {
		one := task.Task{ID: "a", Repository: repository, Revision: revision}
		if err := s.Materialize(t.Context(), &one, t.TempDir()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", revision, err, want)
		}
	}
	if one := (task.Task{ID: "a", Repository: "ssh://x/y"}); s.Materialize(t.Context(), &one, t.TempDir()) == nil {
		t.Error("cloned over ssh")
	}
}
