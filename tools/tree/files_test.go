package tree

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFiles(t *testing.T) {
	fsys := fstest.MapFS{
		".gitignore": {Data: []byte("*.log\n")}, "a.log": {}, "b/c.go": {Data: []byte("package c\r\n")}, "b/.x": {},
		"b.go": {Data: []byte("AKIAABCDEFGHIJKLMNOP\n")}, "large": {Data: make([]byte, 300)}, "key.pem": {Data: []byte("k")},
		"null": {Data: []byte("a\x00b")}, "link": {Data: []byte("b.go"), Mode: fs.ModeSymlink}, "node_modules/a.js": {},
	}
	tree := Open(fsys, &Options{MaxFile: 256})
	var got []File
	texts := map[string]string{}
	for f, err := range tree.Files(t.Context(), ".") {
		if err != nil {
			t.Fatal(err)
		}
		if f.Stamp == nil {
			t.Errorf("%s has no stamp", f.Path)
		}
		f.Stamp = nil
		got = append(got, f)
		data, err := tree.Read(f.Path)
		if (f.Skip != "" || f.Path == "null") != errors.Is(err, ErrSkipped) {
			t.Errorf("reading %s, skip %q: %v", f.Path, f.Skip, err)
		}
		texts[f.Path] = string(data)
	}
	want := []File{
		{"b/c.go", 11, "", nil},
		{"b.go", 21, "", nil},
		{"key.pem", 1, "secret", nil},
		{"large", 300, "too_large", nil},
		{"null", 3, "", nil},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"b/c.go": "package c\n", "b.go": "[redacted:aws-key]\n", "key.pem": "", "large": "", "null": ""}, texts); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
}

func TestFilesEnd(t *testing.T) {
	n := 0
	for range Open(smallTree(), nil).Files(t.Context(), ".") {
		if n++; n == 2 {
			break
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range Open(smallTree(), nil).Files(ctx, ".") {
		if last != nil {
			t.Error("a pair behind the error")
		}
		last = err
		cancel()
	}
	if n != 2 || !errors.Is(last, context.Canceled) {
		t.Errorf("%d files, then %v", n, last)
	}
	for _, err := range Open(smallTree(), nil).Files(t.Context(), "go.mod") {
		if err == nil {
			t.Error("a file was walked")
		}
	}
}

func smallTree() fstest.MapFS {
	return fstest.MapFS{"a.go": {}, "b/c.go": {}, "b/d.go": {}, "go.mod": {}}
}

// A file has an identity only if it did not change within the last seconds, whatever its time of modification was set to.
func TestIdentity(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux says when a file changed")
	}
	identity := func(dir, name string) []byte {
		root, err := OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		for f, err := range Open(root.FS(), nil).Files(t.Context(), ".") {
			if err == nil && f.Path == name {
				return f.Identity()
			}
		}
		t.Fatalf("no %s in %s", name, dir)
		return nil
	}
	settled := identity(".", "tree.go")
	if settled == nil || !bytes.Equal(settled, identity(".", "tree.go")) || bytes.Equal(settled, identity(".", "walk.go")) {
		t.Errorf("tree.go has the identity %x, which must be its own and stay", settled)
	}
	dir, old := t.TempDir(), time.Now().Add(-time.Hour)
	name := filepath.Join(dir, "a.go")
	if err := errors.Join(os.WriteFile(name, []byte("package a"), 0o644), os.Chtimes(name, old, old)); err != nil {
		t.Fatal(err)
	}
	if got := identity(dir, "a.go"); got != nil {
		t.Errorf("a file that was just written has the identity %x", got)
	}
}
