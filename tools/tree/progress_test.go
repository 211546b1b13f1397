package tree

import (
	"context"
	"fmt"
	"testing"
	"testing/fstest"
)

// wideTree is 10 directories of 30 files, in half of which a language is known, and two files that are left out.
func wideTree() fstest.MapFS {
	fsys := fstest.MapFS{".gitignore": {Data: []byte("*.log\n")}, "debug.log": {Data: []byte("ignored\n")}}
	for i := range 300 {
		name := fmt.Sprintf("dir%d/file%03d", i%10, i)
		if i%2 == 0 {
			fsys[name+".py"] = &fstest.MapFile{Data: fmt.Appendf(nil, "def work%d():\n    return work%d()\n", i, i+2)}
		} else {
			fsys[name+".txt"] = &fstest.MapFile{Data: []byte("words\n")}
		}
	}
	return fsys
}

// A walk that did not come to the end says nothing of how many files there are.
func TestWalksThatEndEarlyKnowNoTotal(t *testing.T) {
	tree := Open(wideTree(), nil)
	for f, err := range tree.Files(t.Context(), ".") {
		if err != nil {
			t.Fatal(err)
		}
		if f.Path >= "dir5" {
			break
		}
	}
	if n := tree.files.Load(); n != 0 {
		t.Errorf("%d files are known", n)
	}
	for _, err := range tree.Files(t.Context(), ".") {
		if err != nil {
			t.Fatal(err)
		}
	}
	if n := tree.files.Load(); n != 300 {
		t.Errorf("%d files are known behind a whole walk", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range tree.Files(ctx, ".") {
	}
	if n := tree.files.Load(); n != 300 {
		t.Errorf("%d files are known behind a walk that was cancelled", n)
	}
}
