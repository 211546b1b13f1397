package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/forayhq/foray/internal/attacktable"
	"github.com/forayhq/foray/internal/ostest"
)

// rows is an endless output of ls-tree, with names of a length.
type rows struct {
	length, n int
	left      []byte
}

func (r *rows) Read(p []byte) (int, error) {
	if len(r.left) == 0 {
		r.n++
		r.left = fmt.Appendf(nil, "100644 blob %s\td/%0*d\x00", someHash, r.length, r.n)
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}

// A listing ends at its bounds, says so, and keeps no more of the paths than their names.
func TestAttackEndlessListing(t *testing.T) {
	ostest.SkipRaced(t)
	attacktable.Watch(t, "tools/gitrepo", "the size of a listing")
	for _, length := range []int{8, 4_000} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		l, err := readListing(io.MultiReader(strings.NewReader("040000 tree "+someHash+"\td\x00"), &rows{length: length}), 40)
		runtime.GC()
		runtime.ReadMemStats(&after)
		if !errors.Is(err, errEnough) || l.partial == nil || l.partial.Code != "too_many" {
			t.Fatalf("names of %d bytes: %v, %v", length, err, l.partial)
		}
		if held := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) >> 20; held > 200 {
			t.Errorf("names of %d bytes: %d MiB are held, want at most 200", length, held)
		}
		if n := len(l.entries); n < 10_000 || n > maxEntries+2 {
			t.Errorf("names of %d bytes: %d entries", length, n)
		}
		if i, ok := l.find(1, fmt.Sprintf("%0*d", length, 7)); !ok || l.entries[i].size != unasked {
			t.Errorf("names of %d bytes: what was listed is not found", length)
		}
	}
}

// Paths that no system has are left out and counted, however long they are.
func TestAttackLongPaths(t *testing.T) {
	attacktable.Watch(t, "tools/gitrepo", "the length of a path")
	row := func(name string) string { return "100644 blob " + someHash + "\t" + name + "\x00" }
	l, err := readListing(strings.NewReader(row(strings.Repeat("a", maxPath+1))+row(strings.Repeat("b", 3*maxLine))+row("c")), 40)
	if _, ok := l.find(0, "c"); err != nil || l.refused != 2 || !ok {
		t.Errorf("%d refused, error %v", l.refused, err)
	}
}

// bomb makes a repository with a commit whose tree has so many levels, each with so many names of the same tree.
func bomb(t *testing.T, levels, width int) *Repo {
	t.Helper()
	dir := t.TempDir()
	git := func(input string, args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...)
		cmd.Stdin = strings.NewReader(input)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	git("", "init", "-q")
	object := "100644 blob " + git("text\n", "hash-object", "-w", "--stdin")
	for range levels {
		var tree strings.Builder
		for i := range width {
			fmt.Fprintf(&tree, "%s\td%d\n", object, i)
		}
		object = "040000 tree " + git(tree.String(), "mktree")
	}
	git("", "update-ref", "HEAD", git("", "commit-tree", "-m", "bomb", strings.Fields(object)[2]))
	r, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A tree whose parts are shared is listed up to the bounds of time and entries, and says that it is not whole.
func TestAttackTreeBomb(t *testing.T) {
	attacktable.Watch(t, "tools/gitrepo", "the entries of a tree")
	for _, c := range []struct{ levels, width int }{{10, 10}, {60, 2}} {
		r := bomb(t, c.levels, c.width)
		r.listLimit = time.Second
		start := time.Now()
		tree, err := r.Tree(t.Context(), "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		if tree.Partial() == nil || tree.Len() == 0 || tree.Len() > maxEntries+1 {
			t.Errorf("%+v: %d entries, %v", c, tree.Len(), tree.Partial())
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%+v: took %v", c, took)
		}
		_ = tree.Close()
	}
}

// What the problem of a tree bomb says to try: a directory of it is whole.
func TestAttackTreeBombByDirectory(t *testing.T) {
	r := bomb(t, 10, 10)
	tree, err := r.Tree(t.Context(), "HEAD:d0/d1/d2/d3/d4/d5")
	if err == nil {
		err = tree.Close()
	}
	if err != nil || tree.Len() != 10+100+1000+10_000 || tree.Partial() != nil {
		t.Errorf("error %v, tree %+v", err, tree)
	}
}

// A cancelled listing of a tree bomb ends at once, and so does its git.
func TestAttackTreeBombCancelled(t *testing.T) {
	r := bomb(t, 10, 10)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	start := time.Now()
	_, err := r.Tree(ctx, "HEAD")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was cancelled", err)
	}
	if took := time.Since(start); took > 15*time.Second { // the listing has 20 s for names alone
		t.Errorf("took %v", took)
	}
}

// Without an answer for the size of a blob, the listing ends before it.
func TestListingEndsBeforeUnknownSizes(t *testing.T) {
	hash := func(digit string) string { return strings.Repeat(digit, 40) }
	l, err := readListing(strings.NewReader("100644 blob "+hash("a")+"\ta\x00040000 tree "+hash("b")+"\td\x00"+
		"100644 blob "+hash("c")+"\td/c\x00100644 blob "+hash("a")+"\te\x00"), 40)
	if err != nil {
		t.Fatal(err)
	}
	if l.fill(map[string]int64{hash("a"): 7, hash("c"): unasked}) {
		t.Error("every size is known, it says")
	}
	_, c := l.find(1+1, "c")
	if _, e := l.find(0, "e"); len(l.entries) != 3 || c || e || l.entries[1].size != 7 {
		t.Errorf("%d entries, d/c %v, e %v, size of a %d", len(l.entries), c, e, l.entries[1].size)
	}
}
