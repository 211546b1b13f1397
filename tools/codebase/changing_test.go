package codebase

import (
	"context"
	"errors"
	"fmt"
	"github.com/forayhq/foray/tools/tree"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// openFiles is how many descriptors the process has.
func openFiles(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("the system does not tell the open files")
	}
	return len(all)
}

// While files and directories come, go, grow, shrink, and take each other's names, every call answers with what it
// could see, and leaves no file open.
func TestChangingTree(t *testing.T) {
	dir := t.TempDir()
	r, err := tree.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	box := newBox(r.FS(), nil)
	change := changer(dir)
	for range 100 {
		change()
	}
	before := openFiles(t)
	stop := make(chan struct{})
	var changes sync.WaitGroup
	changes.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				change()
			}
		}
	})
	var calls sync.WaitGroup
	for i := range 3 {
		calls.Go(func() {
			for range 6 {
				oneOfEach(t, box, i)
			}
		})
	}
	calls.Wait()
	close(stop)
	changes.Wait()
	runtime.GC() // closes what is only unreachable: nothing of the walk's
	if after := openFiles(t); after > before {
		t.Errorf("%d files are open, before the calls %d", after, before)
	}
}

func oneOfEach(t *testing.T, box *toolbox, i int) {
	out, err := box.search(
		t.Context(),
		searchArgs{
			Pattern: []string{"needle", `n\w+e [0-9]+$`, "NEEDLE|absent"}[i%3],
			Case:    []string{"", "", "insensitive"}[i%3],
		},
	)
	if err != nil {
		t.Error(err)
		return
	}
	for _, f := range out.Items {
		for _, m := range f.Matches {
			if !strings.Contains(m.Text, "needle") {
				t.Errorf("%s:%d %q is no hit", f.Path, m.Line, m.Text)
			}
		}
	}
	if _, err := box.listDir(t.Context(), listArgs{}); err != nil {
		t.Error(err)
	}
	if _, err := box.glob(t.Context(), globArgs{Pattern: "**/*.txt"}); err != nil {
		t.Error(err)
	}
}

// changer returns a function that makes one change below dir: a random one of the same sequence.
func changer(dir string) func() {
	r := rand.New(rand.NewPCG(3, 4))
	return func() {
		sub := filepath.Join(dir, fmt.Sprintf("d%d", r.IntN(6)))
		p := filepath.Join(sub, fmt.Sprintf("f%d.txt", r.IntN(20)))
		text := strings.Repeat("a needle 12\nhay\n", 1+r.IntN(1000))
		// What fails, as to write a file where there is a directory now, changes nothing.
		switch r.IntN(9) {
		case 0:
			_ = os.Remove(p)
		case 1:
			_ = os.Truncate(p, int64(r.IntN(20_000)))
		case 2:
			_ = os.RemoveAll(p)
			_ = os.Mkdir(p, 0o755)
		case 3:
			_ = os.RemoveAll(p)
			_ = os.Symlink("../d1", p)
		case 4:
			_ = os.Rename(sub, sub+"x")
			_ = os.Symlink("..", sub)
			_ = os.Remove(sub)
			_ = os.Rename(sub+"x", sub)
		case 5:
			_ = os.WriteFile(filepath.Join(sub, ".gitignore"), []byte("f1*\n"), 0o644)
		default:
			_ = os.MkdirAll(sub, 0o755)
			_ = os.WriteFile(p, []byte(text), 0o644)
		}
	}
}

// A slow tree ends the time of the call at its nth opening.
type ending struct {
	fstest.MapFS
	mu    sync.Mutex
	left  int
	cause error
	end   context.CancelCauseFunc
}

func (e *ending) Open(name string) (fs.File, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.left--; e.left == 0 {
		e.end(e.cause)
	}
	return e.MapFS.Open(name)
}

// In a large tree a search that runs out of time in the middle answers with what it has and says so; one that is
// cancelled ends with the error of its context.
func TestTimeIsUpInTheMiddle(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 3000 {
		files[fmt.Sprintf("d%02d/f%04d", i%30, i)] = &fstest.MapFile{Data: []byte("needle\n")}
	}
	for _, cause := range []error{context.DeadlineExceeded, context.Canceled} {
		ctx, end := context.WithCancelCause(t.Context())
		box := newBox(&ending{MapFS: files, left: 1000, cause: cause, end: end}, &tree.Options{Workers: 2})
		out, err := box.search(ctx, searchArgs{Pattern: "needle"})
		if cause == context.Canceled {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, text := out.Text(); !out.TimedOut || !out.Truncated ||
			!strings.HasPrefix(text, "note: the deadline passed") {
			t.Errorf("the result does not say that it is a part: %.300s", text)
		}
		if out.FilesSearched < 900 || out.FilesSearched > 1100 || out.Hits != out.FilesMatched ||
			out.Hits > out.FilesSearched ||
			out.Hits < 900 {
			t.Errorf("%d hits in %d of %d files searched", out.Hits, out.FilesMatched, out.FilesSearched)
		}
	}
}

// Names that break lines or are no UTF-8, links that turn in circles, directories that may not be read, and a file of
// 200 MB do not keep a search from the rest, and each is counted.
func TestOddNames(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte("needle\n"), 0o644); err != nil {
			t.Skip("no such names on this system")
		}
	}
	for _, name := range []string{"a\nb.txt", "c\x01\"d", "\xff.txt", "dir\xfe/x.txt", "plain/é.txt", " ", "-n", "closed/x", strings.Repeat("l", 255)} {
		write(name)
	}
	for name, target := range map[string]string{"circle/a/up": "../..", "self": "self", "one": "two", "two": "one"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "huge"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, "huge"), 200<<20); err != nil {
		t.Skip("no large files on this system")
	}
	want := "7 of 7 hits in 7 files; skipped: 1 too large, 2 unreadable"
	if os.Geteuid() != 0 {
		if err := os.Chmod(filepath.Join(dir, "closed"), 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "closed"), 0o755) })
		want = "6 of 6 hits in 6 files; skipped: 1 too large, 3 unreadable"
	}
	r, err := tree.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for name, fsys := range map[string]fs.FS{"root": r.FS(), "directory": os.DirFS(dir)} {
		text, err := call(t, fsys, nil, "search", `{"pattern":"needle","context":0}`)
		if err != nil || !strings.Contains(text, want) || !strings.Contains(text, `"a\nb.txt" (1 hit)`) ||
			!strings.Contains(text, "plain/é.txt") {
			t.Errorf("%s: no %q in\n%s", name, want, text)
		}
		text, err = call(t, fsys, nil, "list_dir", `{"depth":6}`)
		if err != nil || !strings.Contains(text, "up -> .") || !strings.Contains(text, "huge  210 MB") ||
			strings.Count(text, "circle") != 1 {
			t.Errorf("%s:\n%s", name, text)
		}
		if text, _ := call(t, fsys, nil, "read_file", `{"path":"huge"}`); !strings.Contains(text, "too_large") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// A directory with very many files is listed page by page, each page with all counts.
func TestManyFiles(t *testing.T) {
	const n = 20_000
	files := fstest.MapFS{}
	for i := range n {
		files[fmt.Sprintf("f%06d", i)] = &fstest.MapFile{}
	}
	box := newBox(files, nil)
	limit, offset := 2000, n-1
	out, err := box.listDir(t.Context(), listArgs{Limit: &limit})
	if err != nil || out.Total != n || out.Returned != limit || out.Next != limit || out.Items[limit-1].Path != "f001999" {
		t.Errorf("%v: %+v of %d entries", err, out.Page, len(out.Items))
	}
	out, err = box.listDir(t.Context(), listArgs{Limit: &limit, Offset: &offset})
	if err != nil || out.Returned != 1 || out.Next != 0 || out.Items[0].Path != "f019999" {
		t.Errorf("%v: %+v", err, out.Page)
	}
	found, err := box.glob(t.Context(), globArgs{Pattern: "f*9", Limit: &limit, Offset: &limit})
	if err != nil || found.Total != n/10 || found.Returned != 0 {
		t.Errorf("%v: %+v", err, found.Page)
	}
}
