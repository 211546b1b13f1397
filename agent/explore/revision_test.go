package explore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
			if got := headOf(filepath.Join(dir, c.at)); got != c.want {
				t.Errorf("revision %q, want %q", got, c.want)
			}
		})
	}
}
