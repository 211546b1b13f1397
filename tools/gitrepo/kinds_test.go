package gitrepo_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	sourcetree "github.com/forayhq/foray/tools/tree"

	"github.com/forayhq/foray/internal/attacktable"
)

// TestKindsOfRepositories opens the same commit by every way there is to it.
func TestKindsOfRepositories(t *testing.T) {
	f := newRepository(t)
	f.write("sub/a.go", "package a\n")
	f.write("b.go", "package b\n")
	first := f.commit("first")
	f.write("b.go", "package b // again\n")
	f.commit("second")
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	f.git("clone", "-q", "--bare", ".", path("bare.git"))
	f.git("worktree", "add", "-q", "--detach", path("worktree\nwith newline"), first)
	f.git("clone", "-q", "--depth=1", "file://"+f.dir, path("shallow"))
	f.git("clone", "-q", "--sparse", ".", path("sparse"))
	f.git("clone", "-q", "--no-checkout", ".", path("empty"))
	f.at(path("sparse")).git("sparse-checkout", "set", "--no-cone", "/nothing")
	for _, c := range []struct {
		name, dir, rev string
		files          string
		commits        int
		bare, shallow  bool
	}{
		{"worktree", f.dir, "", "b.go sub/a.go", 2, false, false},
		{"earlier", f.dir, first, "b.go sub/a.go", 1, false, false},
		{"abbreviated", f.dir, first[:8], "b.go sub/a.go", 1, false, false},
		{"a tree", f.dir, "HEAD:sub", "a.go", -1, false, false},
		{"below the root", f.dir + "/sub", "", "a.go", 1, false, false},
		{".git", f.dir + "/.git", "", "b.go sub/a.go", 2, true, false},
		{"bare", path("bare.git"), "main", "b.go sub/a.go", 2, true, false},
		{"detached worktree", path("worktree\nwith newline"), "", "b.go sub/a.go", 1, false, false},
		{"shallow", path("shallow"), "", "b.go sub/a.go", 1, false, true},
		{"sparse", path("sparse"), "", "b.go sub/a.go", 2, false, false},
		{"not checked out", path("empty"), "", "b.go sub/a.go", 2, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := (&fixture{t, c.dir})
			if repo := f.open(); repo.Bare != c.bare || repo.Shallow != c.shallow {
				t.Errorf("bare %t, shallow %t", repo.Bare, repo.Shallow)
			}
			var files []string
			tree := f.tree(c.rev)
			err := fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					files = append(files, p)
				}
				return err
			})
			if got := strings.Join(files, " "); err != nil || got != c.files {
				t.Errorf("files %q, %v; want %q", got, err, c.files)
			}
			commits := 0
			for _, err := range f.open().Log(t.Context(), c.rev, nil) {
				if err != nil {
					commits = -1
					break
				}
				commits++
			}
			if commits != c.commits {
				t.Errorf("%d commits, want %d", commits, c.commits)
			}
			if text := call(t, f.open(), nil, "git_log", `{}`); c.shallow != strings.Contains(text, "shallow clone") {
				t.Errorf("git_log: %s", text)
			}
		})
	}
	shallow := (&fixture{t, path("shallow")}).open()
	if text := call(t, shallow, nil, "git_blame", `{"path":"sub/a.go"}`); !strings.Contains(text, "lines marked ^ may be older") || !strings.Contains(text, "\n^") {
		t.Errorf("git_blame of a shallow clone: %s", text)
	}
	if text := call(t, shallow, nil, "git_show", `{}`); !strings.Contains(text, "shallow clone lacks the parents") {
		t.Errorf("git_show of a shallow clone: %s", text)
	}
	if text := call(t, (&fixture{t, f.dir + "/sub"}).open(), nil, "git_log", `{"path":"a.go"}`); !strings.Contains(text, ": first") {
		t.Errorf("git_log below the root: %s", text)
	}
	if text := call(t, (&fixture{t, f.dir + "/sub"}).open(), nil, "git_show", `{"rev":"`+first+`"}`); !strings.Contains(text, "  a.go +1 -0 (added)") || strings.Contains(text, "b.go") {
		t.Errorf("git_show below the root: %s", text)
	}
	if text := call(t, (&fixture{t, f.dir + "/sub"}).open(), nil, "git_blame", `{"path":"a.go"}`); !strings.Contains(text, "   1│ package a") {
		t.Errorf("git_blame below the root: %s", text)
	}
}

func TestSHA256(t *testing.T) {
	f := &fixture{t, t.TempDir()}
	f.git("init", "-q", "-b", "main", "--object-format=sha256")
	f.write("a.go", "package a\n")
	hash := f.commit("a")
	tree := f.tree("main")
	if blob, ok := tree.Hash("a.go"); tree.Commit() != hash || !ok || blob != f.git("rev-parse", "HEAD:a.go") {
		t.Errorf("commit %s, blob %s", tree.Commit(), blob)
	}
	for _, name := range []string{"git_log", "git_blame", "git_show"} {
		if text := call(t, f.open(), nil, name, `{"path":"a.go"}`); !strings.Contains(text, "Ann Author: a\n") && !strings.Contains(text, "package a") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// Nothing of a partial clone is fetched, from a promisor remote that works either, and what is missing is said with
// what completes the clone.
func TestAttackPartialClone(t *testing.T) {
	attacktable.Watch(t, "tools/gitrepo", "exit 3")
	f := newRepository(t)
	f.git("config", "uploadpack.allowFilter", "true")
	f.git("config", "uploadpack.allowAnySHA1InWant", "true")
	f.write("a.go", "package a\n")
	f.commit("first")
	f.write("b.go", "package b\n")
	f.commit("second")
	dir := t.TempDir() + "/clone"
	f.git("clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+f.dir, dir)
	clone := f.at(dir)
	before := clone.git("count-objects", "-v")
	tree := clone.tree("HEAD")
	if lack := tree.Partial(); lack == nil || lack.Code != "absent" ||
		!strings.Contains(lack.Message, "the partial clone lacks the contents of 2 of 2 files (a.go, b.go)") ||
		!strings.Contains(lack.Try, "git fetch --refetch --no-filter") {
		t.Errorf("partial: %v", lack)
	}
	for _, c := range []struct{ tool, args, want string }{
		{"git_log", `{"pickaxe":"package"}`, "partial_clone: "},
		{"git_show", `{}`, "partial_clone: "},
		{"git_show", `{"path":"a.go"}`, "absent: "},
		{"git_blame", `{"path":"a.go"}`, "absent: "},
		{"git_log", `{}`, "second"},
	} {
		if text := call(t, clone.open(), nil, c.tool, c.args); !strings.Contains(text, c.want) ||
			strings.HasSuffix(c.want, ": ") && !strings.Contains(text, "git fetch --refetch --no-filter") {
			t.Errorf("%s %s: %s", c.tool, c.args, text)
		}
	}
	if text := search(t, tree, `{"pattern":"package"}`); !strings.Contains(text, "note: this result is partial: the partial clone lacks the contents of 2 of 2 files (a.go, b.go)\n") {
		t.Errorf("search: %s", text)
	}
	if after := clone.git("count-objects", "-v"); after != before {
		t.Errorf("objects were fetched:\n%s\nbefore:\n%s", after, before)
	}
	clone.git("fetch", "-q", "--refetch", "--no-filter")
	if lack := clone.tree("HEAD").Partial(); lack != nil {
		t.Errorf("after the command of the hint: %v", lack)
	}
}

func TestPartialClone(t *testing.T) {
	f := newRepository(t)
	f.git("config", "uploadpack.allowFilter", "true")
	f.write("a.go", "package a\n")
	f.commit("a")
	dir := t.TempDir()
	f.git("clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+f.dir, dir+"/blobs")
	f.git("clone", "-q", "--no-checkout", "--filter=tree:0", "file://"+f.dir, dir+"/trees")
	tree := f.at(dir + "/blobs").tree("HEAD")
	if _, err := fs.ReadFile(tree, "a.go"); !errors.Is(err, sourcetree.ErrAbsent) {
		t.Errorf("reading a blob that is not there: %v", err)
	}
	if code := problem(t, f.at(dir+"/trees"), ""); code != "partial_clone" {
		t.Errorf("without trees: %s", code)
	}
	if text := search(t, tree, `{"pattern":"package"}`); !strings.Contains(text, "1 unreadable") {
		t.Errorf("search: %s", text)
	}
}
