package tree

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

func steadyTree(t *testing.T, files map[string]string) (*Tree, string) {
	t.Helper()
	dir := t.TempDir()
	long := time.Now().Add(-time.Hour)
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(p, long, long); err != nil {
			t.Fatal(err)
		}
	}
	r, err := OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return Open(r.FS(), nil), dir
}

// A view keeps what it has seen, whoever changes the files meanwhile; the tree and a new view see the change.
func TestSteadySeesOneState(t *testing.T) {
	plain, dir := steadyTree(t, map[string]string{"a.txt": "old", "sub/b.txt": "b"})
	view := plain.Steady()
	read := func(name string, from *Tree, want string) {
		t.Helper()
		if got, err := from.Read("a.txt"); err != nil || string(got) != want {
			t.Errorf("%s reads %q, %v, want %q", name, got, err, want)
		}
	}
	read("the view", view, "old")
	if _, err := view.Walk(t.Context(), ".", Scope{}, func(Node) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("new text"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "c.txt"), []byte("c"), 0o644); err != nil {
		t.Fatal(err)
	}
	read("the view", view, "old")
	if got := visits(t, view, ""); slices.Contains(got, "c.txt") {
		t.Errorf("the view sees a file that came after its walk: %v", got)
	}
	read("the tree", plain, "new text")
	read("a new view", plain.Steady(), "new text")
	if got := visits(t, plain.Steady(), ""); !slices.Contains(got, "c.txt") {
		t.Errorf("a new view does not see the new file: %v", got)
	}
}

// A view repeats a walk as it was: the same nodes in the same order, without what the visitor skips.
func TestSteadyRepeatsWalks(t *testing.T) {
	plain, _ := steadyTree(t, map[string]string{
		"a/1": "", "a/deep/2": "", "a/z": "", "ab/3": "", "b": "", ".hidden/4": "", ".gitignore": "*.log\n", "x.log": "",
	})
	view := plain.Steady()
	for _, skip := range []string{"", "a", "a/deep", "ab"} {
		want := visits(t, plain, skip)
		for turn := range 3 {
			if got := visits(t, view, skip); !slices.Equal(got, want) {
				t.Errorf("without %q, turn %d: %v, want %v", skip, turn, got, want)
			}
		}
	}
}

func visits(t *testing.T, from *Tree, skip string) (all []string) {
	t.Helper()
	skipped, err := from.Walk(t.Context(), ".", Scope{}, func(n Node) error {
		all = append(all, n.Path)
		if n.Path == skip {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return append(all, "skipped: "+skipped.String())
}

// Sweeps of a view that begin together read each file once, and every sweep sees every file.
func TestSteadyReadsOnce(t *testing.T) {
	files := map[string]string{}
	for _, name := range []string{"a", "b", "c/d", "c/e", "f"} {
		files[name] = name
	}
	plain, _ := steadyTree(t, files)
	view := plain.Steady()
	base, err := view.Resolve(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	var seen atomic.Int64
	done := make(chan error)
	for range 4 {
		go func() {
			_, _, err := Sweep[int]{Look: func(*int, string, Content) { seen.Add(1) }}.Run(context.Background(), view, base)
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if got := seen.Load(); got != int64(4*len(files)) {
		t.Errorf("%d looks, want %d", got, 4*len(files))
	}
}
