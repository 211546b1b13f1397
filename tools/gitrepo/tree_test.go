package gitrepo_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"github.com/forayhq/foray/tools/gitrepo"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A fixture is a repository that a test makes with git.
type fixture struct {
	t   testing.TB
	dir string
}

// fixed is the environment in which fixtures are made: the same commits everywhere.
var fixed = []string{
	"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "TZ=UTC",
	"GIT_AUTHOR_NAME=Ann Author", "GIT_AUTHOR_EMAIL=ann@example.com", "GIT_COMMITTER_NAME=Cem Committer", "GIT_COMMITTER_EMAIL=cem@example.com",
	"GIT_AUTHOR_DATE=2024-03-01T12:00:00Z", "GIT_COMMITTER_DATE=2024-03-01T12:00:00Z",
}

func newRepository(t testing.TB) *fixture {
	f := &fixture{t, t.TempDir()}
	f.git("init", "-q", "-b", "main")
	return f
}

// git runs git in the fixture and returns its output.
func (f *fixture) git(args ...string) string {
	f.t.Helper()
	return f.gitWith("", nil, args...)
}

func (f *fixture) gitWith(stdin string, env []string, args ...string) string {
	f.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = f.dir, append(append(os.Environ(), fixed...), env...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil {
		f.t.Fatalf("git %q: %v\n%s", args, err, err.(*exec.ExitError).Stderr)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// gitLoose runs git as a person would, and does not mind how it ends.
func (f *fixture) gitLoose(args ...string) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = f.dir, []string{"PATH=" + os.Getenv("PATH")}
	_ = cmd.Run()
}

func (f *fixture) write(name, text string) {
	f.t.Helper()
	at := filepath.Join(f.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) link(target, name string) {
	f.t.Helper()
	if err := os.Symlink(target, filepath.Join(f.dir, filepath.FromSlash(name))); err != nil {
		f.t.Fatal(err)
	}
}

// commit commits all that is there and returns the commit's hash.
func (f *fixture) commit(message string) string {
	f.t.Helper()
	f.git("add", "-A")
	f.git("commit", "-q", "--allow-empty", "-m", message)
	return f.git("rev-parse", "HEAD")
}

func (f *fixture) open() *gitrepo.Repo {
	f.t.Helper()
	r, err := gitrepo.Open(f.t.Context(), f.dir)
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

func (f *fixture) tree(rev string) *gitrepo.Tree {
	f.t.Helper()
	t, err := f.open().Tree(f.t.Context(), rev)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = t.Close() })
	return t
}

func TestTreeIsAFileSystem(t *testing.T) {
	f := newRepository(t)
	f.write("a.go", "package a\n")
	f.write("a/b.go", "package b\n")
	f.write("a/c/d.txt", "")
	f.write("a.b/e.txt", "e")
	f.write("a-b", "f")
	f.write("new\nline.txt", "g\n")
	f.link("a/b.go", "link.go")
	f.commit("all")
	if err := fstest.TestFS(f.tree("HEAD"), "a.go", "a/b.go", "a/c/d.txt", "a.b/e.txt", "new\nline.txt", "link.go"); err != nil {
		t.Error(err)
	}
	var names []string
	if err := fs.WalkDir(f.tree(""), ".", func(p string, _ fs.DirEntry, err error) error { names = append(names, p); return err }); err != nil {
		t.Error(err)
	}
	if got, want := strings.Join(names, " "), ". a a/b.go a/c a/c/d.txt a-b a.b a.b/e.txt a.go link.go new\nline.txt"; got != want {
		t.Errorf("names %q, want %q", got, want)
	}
}
