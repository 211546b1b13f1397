package tree

import (
	"context"
	"fmt"
	"testing"
	"testing/fstest"
)

// A walk that did not come to the end says nothing of how many files there are.
func TestWalksThatEndEarlyKnowNoTotal(t *testing.T) {
	fsys := fstest.MapFS{".gitignore": {Data: []byte("*.log\n")}, "debug.log": {}} // two files that are left out
	for i := range 300 {
		fsys[fmt.Sprintf("dir%d/file%03d.txt", i%10, i)] = &fstest.MapFile{Data: []byte("words\n")}
	}
	tree := Open(fsys, nil)
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
