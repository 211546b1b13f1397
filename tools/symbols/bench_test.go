package symbols

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// tree are the files of the tree that FORAY_TREE names, whose language is known.
func tree(b *testing.B) (names []string, contents [][]byte, size int64) {
	b.Helper()
	root := os.Getenv("FORAY_TREE")
	if root == "" {
		b.Skip("FORAY_TREE names no directory")
	}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || Language(p) == "" {
			return err
		}
		src, err := os.ReadFile(p)
		names, contents, size = append(names, p), append(contents, src), size+int64(len(src))
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return names, contents, size
}

// BenchmarkOf parses a tree; one iteration is the whole of it.
func BenchmarkOf(b *testing.B) {
	names, contents, size := tree(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for i := range names {
			Of(names[i], contents[i])
		}
	}
}

// BenchmarkCache asks a cache for the same tree: with nothing on disk, with all of it there, and with all in memory.
func BenchmarkCache(b *testing.B) {
	names, contents, size := tree(b)
	pass := func(b *testing.B, c *Cache) {
		for i := range names {
			c.Of(names[i], contents[i])
		}
	}
	run := func(b *testing.B, dir func() string, keep bool) {
		b.SetBytes(size)
		b.ReportAllocs()
		var c *Cache
		for b.Loop() {
			if c == nil || !keep {
				c = openCache(dir(), 1<<30, maxDisk)
			}
			pass(b, c)
			if !keep {
				c.Close()
			}
		}
	}
	warm := b.TempDir()
	c := OpenCache(warm)
	pass(b, c)
	if err := c.Close(); err != nil {
		b.Fatal(err)
	}
	b.Run("cold", func(b *testing.B) { run(b, b.TempDir, false) })
	b.Run("disk", func(b *testing.B) { run(b, func() string { return warm }, false) })
	b.Run("memory", func(b *testing.B) { run(b, func() string { return warm }, true) })
	packs, _ := filepath.Glob(filepath.Join(warm, "*"))
	total := int64(0)
	for _, p := range packs {
		if info, err := os.Stat(p); err == nil {
			total += info.Size()
		}
	}
	b.Logf("%d files, %d bytes of source, %d bytes on disk", len(names), size, total)
}
