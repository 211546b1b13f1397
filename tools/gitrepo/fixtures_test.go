package gitrepo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/gitrepo"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

// at is the fixture in another directory: a clone, a worktree.
func (f *fixture) at(dir string) *fixture { return &fixture{f.t, dir} }

// problem opens a tree that cannot be had, and returns the code of the problem.
func problem(t *testing.T, f *fixture, rev string) string {
	t.Helper()
	repo, err := gitrepo.Open(t.Context(), f.dir)
	if err == nil {
		var tree *gitrepo.Tree
		if tree, err = repo.Tree(t.Context(), rev); err == nil {
			_ = tree.Close()
		}
	}
	p := (*tools.Problem)(nil)
	if !errors.As(err, &p) {
		t.Fatalf("revision %q: got %v, want a problem", rev, err)
	}
	if strings.Contains(p.Error(), f.dir) {
		t.Errorf("revision %q: a path of the host in %q", rev, p)
	}
	return p.Code
}

func TestWhatIsNoRevision(t *testing.T) {
	f := newRepository(t)
	if code := problem(t, f, ""); code != "no_commit" {
		t.Errorf("without a commit: %s", code)
	}
	f.write("a.go", "package a\n")
	f.commit("a")
	f.git("tag", "v1.0")
	for rev, want := range map[string]string{
		"v1.1": "unknown_revision", "-v1.0": "bad_revision", "--all": "bad_revision", " ": "bad_revision", "HEAD..v1.0": "bad_revision", "a\nb": "bad_revision",
		"a\x00b": "bad_revision", strings.Repeat("a", 2000): "bad_revision", "HEAD~1": "unknown_revision", "HEAD:a.go": "unknown_revision", "^HEAD": "unknown_revision",
		strings.Repeat("1", 40): "unknown_revision", "@{yesterday": "unknown_revision", "v1.0^{blob}": "unknown_revision", "\xff": "unknown_revision",
	} {
		if code := problem(t, f, rev); code != want {
			t.Errorf("revision %q: %s, want %s", rev, code, want)
		}
	}
	if code := problem(t, f.at(t.TempDir()), ""); code != "not_a_repository" {
		t.Errorf("no repository: %s", code)
	}
	if code := problem(t, f.at(filepath.Join(f.dir, "none")), ""); code != "not_found" {
		t.Errorf("no directory: %s", code)
	}
	if got := call(t, f.open(), nil, "git_log", `{"rev":"v1.1"}`); !strings.HasPrefix(got, "unknown_revision: unknown revision v1.1; try: v1.0") {
		t.Errorf("git_log of an unknown revision: %s", got)
	}
	for _, name := range []string{"git_log", "git_show", "git_blame"} {
		if got := call(t, nil, nil, name, `{"path":"a.go"}`); !strings.HasPrefix(got, "not_a_repository: ") {
			t.Errorf("%s without a repository: %s", name, got)
		}
	}
}

// search runs the tool search over a tree and returns its text.
func search(t *testing.T, fsys fs.FS, args string) string {
	t.Helper()
	return codebaseCall(t, fsys, "search", args)
}

func codebaseCall(t *testing.T, fsys fs.FS, name, args string) string {
	t.Helper()
	set, err := tools.NewSet(codebase.Tools(sourcetree.Open(fsys, nil), nil)...)
	if err != nil {
		t.Fatal(err)
	}
	tool, ok := set.Lookup(name)
	if !ok {
		t.Fatalf("no tool %s", name)
	}
	v, err := tool.Call(t.Context(), json.RawMessage(args))
	if err != nil {
		return err.Error()
	}
	_, text := tools.Render(v)
	return text
}

// loose is the file of an object that no pack holds.
func (f *fixture) loose(rev string) string {
	hash := f.git("rev-parse", rev)
	return filepath.Join(f.dir, ".git/objects", hash[:2], hash[2:])
}

func TestDamagedRepository(t *testing.T) {
	f := newRepository(t)
	f.write("good.txt", "good\n")
	f.write("bad.txt", "bad\n")
	f.write("gone.txt", "gone\n")
	f.write("dir/x.txt", "x\n")
	f.commit("all")
	bad := f.loose("HEAD:bad.txt")
	for _, err := range []error{os.Chmod(bad, 0o666), os.WriteFile(bad, []byte("no object"), 0o666), os.Remove(f.loose("HEAD:gone.txt"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	tree := f.tree("")
	for range 3 { // a process that a damaged object ended is replaced
		if _, err := fs.ReadFile(tree, "bad.txt"); err == nil {
			t.Error("a damaged object was read")
		}
		if _, err := fs.ReadFile(tree, "gone.txt"); !errors.Is(err, sourcetree.ErrAbsent) {
			t.Errorf("a missing object: %v", err)
		}
		if data, err := fs.ReadFile(tree, "good.txt"); err != nil || string(data) != "good\n" {
			t.Errorf("good.txt is %q, %v", data, err)
		}
	}
	if text := search(t, tree, `{"pattern":"o"}`); !strings.Contains(text, "good.txt (1 hit)") || !strings.Contains(text, "2 unreadable") {
		t.Errorf("search: %s", text)
	}
	if err := os.Remove(f.loose("HEAD:dir")); err != nil {
		t.Fatal(err)
	}
	part := f.tree("")
	if lack := part.Partial(); lack == nil || lack.Code != "unreadable" || !strings.Contains(lack.Message, "the directory dir is absent") ||
		!strings.Contains(lack.Message, "1 of 1 file (bad.txt)") {
		t.Errorf("without a directory: %v", lack)
	}
	if text := codebaseCall(t, part, "read_file", `{"path":"good.txt"}`); !strings.HasPrefix(text, "unreadable: good.txt is not in the part of the tree that is known") {
		t.Errorf("a file after the missing directory: %s", text)
	}
	if text := call(t, f.open(), nil, "git_show", `{}`); !strings.HasPrefix(text, "unreadable: ") {
		t.Errorf("git_show: %s", text)
	}
}

// TestFIFOForAnObject: a repository must not hold a session up for ever.
func TestFIFOForAnObject(t *testing.T) {
	f := newRepository(t)
	f.write("a.txt", "a\n")
	f.commit("a")
	at := f.loose("HEAD^{tree}")
	if err := os.Remove(at); err != nil {
		t.Fatal(err)
	}
	if err := ostest.Fifo(at); err != nil {
		t.Skip("no FIFO on this system:", err)
	}
	repo := f.open()
	ctx, cancel := context.WithCancel(t.Context())
	opened := make(chan error)
	go func() {
		_, err := repo.Tree(ctx, "")
		opened <- err
	}()
	cancel()
	if err := <-opened; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was cancelled", err)
	}
}

func TestLinks(t *testing.T) {
	f := newRepository(t)
	f.write("dir/a.txt", "a\n")
	f.link("dir", "d")
	f.link("../dir/a.txt", "dir/b.txt")
	f.link("d/../d/b.txt", "far.txt")
	f.link("loop", "loop")
	f.link("two", "one")
	f.link("one", "two")
	f.link("../outside.txt", "out.txt")
	f.link("/etc/passwd", "abs.txt")
	f.link("nowhere", "broken.txt")
	f.link("dir/a.txt/x", "below.txt")
	f.commit("links")
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	tree := f.tree("")
	for _, name := range []string{
		"d/a.txt", "dir/b.txt", "far.txt", "loop", "one", "out.txt", "abs.txt", "broken.txt", "below.txt", "d", "d/none", "dir/a.txt/x", "../a", "/a", "", "a//b", ".",
	} {
		want, wantErr := fs.ReadFile(root.FS(), name)
		got, err := fs.ReadFile(tree, name)
		if (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
			t.Errorf("%q: got %q, %v; a directory gives %q, %v", name, got, err, want, wantErr)
		}
		if errors.Is(err, fs.ErrNotExist) != errors.Is(wantErr, fs.ErrNotExist) {
			t.Errorf("%q: got %v; a directory gives %v", name, err, wantErr)
		}
		wantTo, wantErr := fs.ReadLink(root.FS(), name)
		to, err := fs.ReadLink(tree, name)
		if (err == nil) != (wantErr == nil) || to != wantTo {
			t.Errorf("%q: a link to %q, %v; a directory gives %q, %v", name, to, err, wantTo, wantErr)
		}
	}
	for _, args := range []string{`{}`, `{"path":"dir","depth":3}`} {
		if diff := cmp.Diff(codebaseCall(t, root.FS(), "list_dir", args), codebaseCall(t, tree, "list_dir", args)); diff != "" {
			t.Errorf("list_dir %s (-directory +tree):\n%s", args, diff)
		}
	}
	if text := call(t, f.open(), nil, "git_blame", `{"path":"loop"}`); !strings.HasPrefix(text, "broken_link: ") && !strings.HasPrefix(text, "link_loop: ") {
		t.Errorf("git_blame of a loop: %s", text)
	}
}

// mktree makes a commit of a tree that no directory could be checked in as.
func (f *fixture) mktree(rows ...string) {
	f.t.Helper()
	tree := f.gitWith(strings.Join(rows, "\x00")+"\x00", nil, "mktree", "-z", "--missing")
	f.git("update-ref", "refs/heads/main", f.git("commit-tree", "-m", "made", tree))
}

func TestNamesThatNoPathCanHave(t *testing.T) {
	f := newRepository(t)
	f.write("a", "a\n")
	f.commit("a")
	blob, sub := f.git("rev-parse", "HEAD:a"), f.git("rev-parse", "HEAD^{tree}")
	row := func(name string) string { return "100644 blob " + blob + "\t" + name }
	f.mktree(row("ok.txt"), row(".."), row("."), row("new\nline.txt"), row("tab\t.txt"), row("caf\xe9.txt"), row("same"), row("same"),
		"040000 tree "+sub+"\tbad\xff", "040000 tree "+sub+"\t...", "160000 commit "+strings.Repeat("1", 40)+"\tmodule")
	tree := f.tree("")
	var all []string
	entries, err := fs.ReadDir(tree, ".")
	for _, e := range entries {
		all = append(all, e.Name())
	}
	if got, want := strings.Join(all, "|"), "...|bad\xff|caf\xe9.txt|module|new\nline.txt|ok.txt|same|tab\t.txt"; err != nil || got != want {
		t.Errorf("names %q, %v; want %q", got, err, want)
	}
	if tree.Refused() != 3 {
		t.Errorf("%d refused, want 3: two parents and a second of a name", tree.Refused())
	}
	if _, err := fs.ReadFile(tree, "caf\xe9.txt"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a name that is not UTF-8: %v", err)
	}
	if entries, err := fs.ReadDir(tree, "module"); err != nil || len(entries) != 0 {
		t.Errorf("a submodule: %v, %v", entries, err)
	}
	if text := search(t, tree, `{"pattern":"a"}`); !strings.Contains(text, "4 hits in 4 files") && !strings.Contains(text, "5 of 5 hits") || !strings.Contains(text, "2 unreadable") {
		t.Errorf("search: %s", text)
	}
	for name, args := range map[string]string{"git_log": `{"path":"new\nline.txt"}`, "git_blame": `{"path":"new\nline.txt"}`, "git_show": `{}`} {
		if text := call(t, f.open(), nil, name, args); !strings.Contains(text, "made") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestManyFilesOfOneDirectory: a listing is paged, also of one directory of many files.
func TestManyFilesOfOneDirectory(t *testing.T) {
	const n = 50_000
	f := newRepository(t)
	f.write("a", "tiny\n")
	f.commit("a")
	blob := f.git("rev-parse", "HEAD:a")
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf("100644 blob %s\tf%07d.txt", blob, i)
	}
	f.mktree(rows...)
	tree := f.tree("")
	if tree.Len() != n {
		t.Errorf("%d entries", tree.Len())
	}
	if text := codebaseCall(t, tree, "list_dir", `{"limit":3,"offset":49990}`); !strings.Contains(text, "f0049990.txt  5 B") || !strings.Contains(text, "next: offset=49993") {
		t.Errorf("list_dir: %s", text)
	}
	d, err := tree.Open(".")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	seen := 0
	for {
		some, err := d.(fs.ReadDirFile).ReadDir(999)
		seen += len(some)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen != n {
		t.Errorf("%d entries by pages", seen)
	}
}

func TestLargeBlobIsNotRead(t *testing.T) {
	f := newRepository(t)
	big, err := os.Create(filepath.Join(f.dir, "big.bin"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(big.Truncate(64<<20), big.Close()); err != nil {
		t.Fatal(err)
	}
	f.write("a.txt", "needle\n")
	f.git("add", "-A")
	f.git("commit", "-q", "-m", "big")
	tree := f.tree("")
	if err := os.Remove(filepath.Join(f.dir, "big.bin")); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	text := search(t, tree, `{"pattern":"needle"}`)
	show := call(t, f.open(), nil, "git_show", `{}`)
	runtime.ReadMemStats(&after)
	if !strings.Contains(text, "a.txt (1 hit)") || !strings.Contains(text, "1 too large") {
		t.Errorf("search: %s", text)
	}
	if !strings.Contains(show, "big.bin (binary) (added)") {
		t.Errorf("git_show: %s", show)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
		t.Errorf("%d MB were allocated", used>>20)
	}
}

func TestConcurrentReads(t *testing.T) {
	f := newRepository(t)
	for i := range 200 {
		f.write(fmt.Sprintf("d%d/f%d.txt", i%7, i), strings.Repeat(fmt.Sprintf("line of %d\n", i), i*20+1))
	}
	f.commit("files")
	tree := f.tree("")
	if err := fstest.TestFS(tree, "d0/f0.txt"); err != nil {
		t.Error(err)
	}
	var wg sync.WaitGroup
	for w := range 12 {
		wg.Go(func() {
			for i := range 200 {
				i = (i*31 + w*17) % 200
				data, err := fs.ReadFile(tree, fmt.Sprintf("d%d/f%d.txt", i%7, i))
				if want := strings.Repeat(fmt.Sprintf("line of %d\n", i), i*20+1); err != nil || string(data) != want {
					t.Errorf("file %d: %d bytes, %v; want %d", i, len(data), err, len(want))
				}
			}
		})
	}
	wg.Wait()
}

// TestCloseDuringReads: readers get fs.ErrClosed and nothing else, and no process stays behind (TestMain looks for
// goroutines; Close waits for the processes).
func TestCloseDuringReads(t *testing.T) {
	f := newRepository(t)
	f.write("a.txt", strings.Repeat("0123456789abcdef", 1<<16))
	f.commit("a")
	tree := f.tree("")
	var wg sync.WaitGroup
	started := make(chan bool, 6)
	for range 6 {
		wg.Go(func() {
			for first := true; ; first = false {
				_, err := fs.ReadFile(tree, "a.txt")
				if first {
					started <- true
				}
				if err != nil {
					if !errors.Is(err, fs.ErrClosed) {
						t.Errorf("got %v, want fs.ErrClosed", err)
					}
					return
				}
			}
		})
	}
	for range 6 {
		<-started
	}
	if err := errors.Join(tree.Close(), tree.Close()); err != nil {
		t.Error(err)
	}
	wg.Wait()
}

func TestCancelledCalls(t *testing.T) {
	f := newRepository(t)
	for i := range 20 {
		f.write("a.txt", fmt.Sprint(i))
		f.commit(fmt.Sprint("commit ", i))
	}
	repo := f.open()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for _, err := range repo.Log(ctx, "", nil) {
		if n++; err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			break
		}
		cancel()
	}
	if n == 0 {
		t.Error("no commit and no error")
	}
	if _, err := repo.Tree(ctx, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("Tree: %v", err)
	}
	if _, err := gitrepo.Open(ctx, f.dir); !errors.Is(err, context.Canceled) {
		t.Errorf("Open: %v", err)
	}
	for _, tool := range gitrepo.Tools(repo, "", nil) {
		if _, err := tool.Call(ctx, json.RawMessage(`{"path":"a.txt"}`)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", tool.Name, err)
		}
	}
	for c, err := range repo.Log(t.Context(), "", nil) {
		if err != nil || c.Subject != "commit 19" {
			t.Errorf("%+v, %v", c, err)
		}
		break // ends git
	}
}
