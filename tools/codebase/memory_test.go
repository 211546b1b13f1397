package codebase

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/forayhq/foray/tools/tree"
)

// What a search finds follows the files, also those that are in memory: rewritten, in the same length, at the same
// time; grown, gone, replaced by a directory.
func TestMemoryFollowsFiles(t *testing.T) {
	dir := t.TempDir()
	r, err := tree.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	box := newBox(r.FS(), nil)
	old := time.Now().Add(-time.Hour)
	file := filepath.Join(dir, "sub", "a.txt")
	steps := []struct {
		name string
		do   func() error
		want string
	}{
		{"nothing", func() error { return os.Mkdir(filepath.Join(dir, "sub"), 0o755) }, ""},
		{"written now", func() error { return os.WriteFile(file, []byte("needle 1"), 0o644) }, "needle 1"},
		{"same length, at once", func() error { return os.WriteFile(file, []byte("needle 2"), 0o644) }, "needle 2"},
		{"long ago", func() error { return os.Chtimes(file, old, old) }, "needle 2"},
		{"from memory", func() error { return nil }, "needle 2"},
		{"same length, later", func() error {
			if err := os.WriteFile(file, []byte("needle 3"), 0o644); err != nil {
				return err
			}
			return os.Chtimes(file, old.Add(time.Second), old.Add(time.Second))
		}, "needle 3"},
		{"another file of that name, length and time", func() error {
			if err := os.WriteFile(file+"x", []byte("needle 4"), 0o644); err != nil {
				return err
			}
			if err := os.Chtimes(file+"x", old.Add(time.Second), old.Add(time.Second)); err != nil {
				return err
			}
			return os.Rename(file+"x", file)
		}, "needle 4"},
		{"grown", func() error { return os.WriteFile(file, []byte("a longer needle 5"), 0o644) }, "a longer needle 5"},
		{"binary", func() error { return os.WriteFile(file, []byte("needle\x006"), 0o644) }, ""},
		{"text again", func() error { return os.WriteFile(file, []byte("needle 7"), 0o644) }, "needle 7"},
		{"a directory", func() error {
			if err := os.Remove(file); err != nil {
				return err
			}
			return os.Mkdir(file, 0o755)
		}, ""},
		{
			"a file in it",
			func() error { return os.WriteFile(filepath.Join(file, "b"), []byte("needle 8"), 0o644) },
			"needle 8",
		},
		{"gone", func() error { return os.RemoveAll(filepath.Join(dir, "sub")) }, ""},
	}
	for _, s := range steps {
		if err := s.do(); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			out, err := box.search(t.Context(), searchArgs{Pattern: "needle.*"})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, f := range out.Items {
				got += f.Matches[0].Text
			}
			if got != s.want {
				t.Errorf("%s: %q, want %q", s.name, got, s.want)
			}
		}
	}
}

// An opened counts the files that are opened.
type opened struct {
	fstest.MapFS
	n atomic.Int64
}

func (o *opened) Open(name string) (fs.File, error) {
	if f, ok := o.MapFS[name]; ok && f.Mode.IsRegular() {
		o.n.Add(1)
	}
	return o.MapFS.Open(name)
}

// Files of a git tree are known by the hash of their content, others by their time: both are kept when they are read
// the second time, here to show their hits.
func TestMemoryReadsTwice(t *testing.T) {
	fsys := &opened{MapFS: fstest.MapFS{}}
	for i := range 20 {
		fsys.MapFS[fmt.Sprintf("hash%d", i)] = &fstest.MapFile{Data: []byte("needle\n"), Sys: fmt.Sprintf("%040d", i)}
		fsys.MapFS[fmt.Sprintf("time%d", i)] = &fstest.MapFile{Data: []byte("needle\n"), ModTime: time.Unix(1e9, 0)}
	}
	fsys.MapFS["binary"] = &fstest.MapFile{Data: []byte("needle\x00"), ModTime: time.Unix(1e9, 0)}
	box := newBox(fsys, nil)
	first := ""
	for i := range 3 {
		out, err := box.search(t.Context(), searchArgs{Pattern: "needle"})
		if err != nil {
			t.Fatal(err)
		}
		_, text := out.Text()
		if first == "" {
			first = text
		}
		if n, want := fsys.n.Load(), int64([]int{81, 82, 82}[i]); n != want || text != first ||
			!strings.Contains(text, "40 of 40 hits in 40 files; skipped: 1 binary") {
			t.Errorf("search %d: %d files opened in all, want %d:\n%s", i, n, want, text)
		}
	}
	fsys.MapFS["hash3"] = &fstest.MapFile{Data: []byte("nothing\n"), Sys: "another"}
	if out, err := box.search(t.Context(), searchArgs{Pattern: "needle"}); err != nil || out.Hits != 39 ||
		fsys.n.Load() != 83 {
		t.Errorf("%v, %d hits, %d files opened", err, out.Hits, fsys.n.Load())
	}
}
