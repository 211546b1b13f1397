package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/locate"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

func TestRevision(t *testing.T) {
	hash := strings.Repeat("0123456789", 4)
	for name, c := range map[string]struct {
		files map[string]string
		at    string // directory that is asked about
		want  string
	}{
		"none":              {map[string]string{"a.go": ""}, ".", ""},
		"detached":          {map[string]string{".git/HEAD": hash + "\n"}, ".", hash},
		"branch":            {map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": hash + "\n"}, ".", hash},
		"below the root":    {map[string]string{".git/HEAD": hash, "a/b/c.go": ""}, "a/b", hash},
		"packed":            {map[string]string{".git/HEAD": "ref: refs/heads/x/y\n", ".git/packed-refs": "# pack-refs with: peeled\n" + hash + " refs/heads/x/y\n"}, ".", hash},
		"no commit yet":     {map[string]string{".git/HEAD": "ref: refs/heads/main\n"}, ".", ""},
		"worktree":          {map[string]string{"w/.git": "gitdir: ../r/.git/worktrees/w\n", "r/.git/worktrees/w/HEAD": "ref: refs/heads/w\n", "r/.git/worktrees/w/commondir": "../..\n", "r/.git/refs/heads/w": hash}, "w", hash},
		"endless":           {map[string]string{".git/HEAD": "ref: refs/a", ".git/refs/a": "ref: refs/a"}, ".", ""},
		"reference outside": {map[string]string{".git/HEAD": "ref: ../secret", "secret": hash}, ".", ""},
		"not a hash":        {map[string]string{".git/HEAD": "root:x:0:0\n"}, ".", ""},
		"no repository":     {map[string]string{".git": "see elsewhere"}, ".", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range c.files {
				at := filepath.Join(dir, filepath.FromSlash(file))
				if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if got := revision(filepath.Join(dir, c.at)); got != c.want {
				t.Errorf("revision %q, want %q", got, c.want)
			}
		})
	}
}

// The ranking counts the files whose words it takes, and the commits of the history.
func TestRankingCounts(t *testing.T) {
	dir := smallRepo(t)
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "Try again"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Skipf("git %v: %v: %s", args, err, out)
		}
	}
	root, err := openTree(t.Context(), dir, "")
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	want := func(what string, far tools.Status, call func(context.Context) error) {
		t.Helper()
		g := new(tools.Progress)
		if err := call(tools.WithRun(t.Context(), tools.Run{Progress: g})); err != nil {
			t.Fatal(err)
		}
		if got, ok := g.Read(); !ok || got != far {
			t.Errorf("%s: %+v, want %+v", what, got, far)
		}
	}
	want("history", tools.Status{Unit: "commits", Done: 1}, func(ctx context.Context) error {
		_, err := root.history(ctx, 10, 5)
		return err
	})
	ranking := locate.Tool(sourcetree.Open(root.FS(), nil), nil) // without a history, whose count ends before or behind that of the files
	want("locate", tools.Status{Unit: "files", Done: 1, Total: 1}, func(ctx context.Context) error {
		_, err := ranking.Call(ctx, json.RawMessage(`{"query":"who tries again?"}`))
		return err
	})
}
