package symbols

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/internal/ostest"
)

// source is a file of which there can be any number.
func source(i int) (name string, src []byte) {
	n := strconv.Itoa(i)
	return "f" + n + ".py", []byte("class C" + n + ":\n    \"\"\"Class " + n + ".\"\"\"\n\n    def m(self):\n        return " + n + "\n")
}

// ask asks the cache for n files and fails when an answer is not that of Of.
func ask(t testing.TB, c *Cache, n int) {
	t.Helper()
	for i := range n {
		name, src := source(i)
		if diff := cmp.Diff(Of(name, src), c.Of(name, src)); diff != "" {
			t.Fatalf("%s (-Of +Cache):\n%s", name, diff)
		}
	}
}

func packsIn(t testing.TB, dir string) []string {
	t.Helper()
	packs, err := filepath.Glob(filepath.Join(dir, "*"+packSuffix))
	if err != nil {
		t.Fatal(err)
	}
	return packs
}

func closeCache(t testing.TB, c *Cache) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// A second process finds what the first one parsed, also of a file with another name, but not of one with other content
// or language.
func TestCacheOutlivesProcess(t *testing.T) {
	dir := t.TempDir()
	first := OpenCache(dir)
	ask(t, first, 50)
	ask(t, first, 50)
	if s := first.Stats(); s != (cacheStats{Memory: 50, Parsed: 50}) {
		t.Errorf("first process: %+v", s)
	}
	closeCache(t, first)
	closeCache(t, first)
	if packs := packsIn(t, dir); len(packs) != 1 {
		t.Errorf("packs: %v", packs)
	}
	second := OpenCache(dir)
	defer second.Close()
	ask(t, second, 60)
	_, src := source(7)
	second.Of("other/name.py", src)
	second.Of("name.rb", src)
	if s := second.Stats(); s != (cacheStats{Memory: 1, Disk: 50, Parsed: 11}) {
		t.Errorf("second process: %+v", s)
	}
}

// What is damaged on disk is parsed again, and whole the next time.
func TestCacheDamaged(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"cut":         func(b []byte) []byte { return b[:len(b)/2] },
		"empty":       func([]byte) []byte { return nil },
		"entry":       func(b []byte) []byte { b[10] ^= 1; return b },
		"every entry": func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("class"), []byte("clasp")) },
		"index":       func(b []byte) []byte { b[len(b)-footerSize-3] ^= 1; return b },
		"footer":      func(b []byte) []byte { b[len(b)-footerSize] ^= 1; return b },
		"other":       func([]byte) []byte { return bytes.Repeat([]byte("text\n"), 1000) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c := OpenCache(dir)
			ask(t, c, 20)
			closeCache(t, c)
			pack := packsIn(t, dir)[0]
			b, err := os.ReadFile(pack)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(pack, damage(b), 0o600); err != nil {
				t.Fatal(err)
			}
			c = OpenCache(dir)
			ask(t, c, 20)
			if c.Stats().Parsed == 0 {
				t.Errorf("nothing parsed: %+v", c.Stats())
			}
			closeCache(t, c)
			c = OpenCache(dir)
			defer c.Close()
			ask(t, c, 20)
			if c.Stats().Parsed != 0 {
				t.Errorf("parsed a third time: %+v", c.Stats())
			}
		})
	}
}

// Entries of another version are not read, and go when there are too many bytes.
func TestCacheVersions(t *testing.T) {
	dir := t.TempDir()
	c := OpenCache(dir)
	ask(t, c, 20)
	closeCache(t, c)
	pack := packsIn(t, dir)[0]
	foreign := filepath.Join(dir, "0123456789abcdef-1"+packSuffix)
	if err := os.Rename(pack, foreign); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-24 * time.Hour)
	if err := os.Chtimes(foreign, long, long); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(foreign)
	if err != nil {
		t.Fatal(err)
	}
	c = openCache(dir, maxMemory, info.Size()+10)
	ask(t, c, 20)
	if c.Stats().Disk != 0 {
		t.Errorf("read from another version: %+v", c.Stats())
	}
	closeCache(t, c)
	if packs := packsIn(t, dir); len(packs) != 1 || packs[0] == foreign {
		t.Errorf("packs: %v", packs)
	}
}

// What has the name of a pack and is none is not waited for, nor read whole.
func TestCacheOddFiles(t *testing.T) {
	dir := t.TempDir()
	name := func(kind string) string { return filepath.Join(dir, version()+"-"+kind+packSuffix) }
	footer := binary.LittleEndian.AppendUint64(nil, largest) // of an empty index
	footer = append(append(footer, make([]byte, 8)...), packMark...)
	huge, err := os.Create(name("huge")) // sparse
	if err != nil {
		t.Fatal(err)
	}
	_, err = huge.WriteAt(footer, largest)
	err = errors.Join(err, huge.Close(), ostest.Fifo(name("fifo")), os.Mkdir(name("dir"), 0o700),
		os.Symlink(name("loop"), name("loop")), os.Symlink("/dev/zero", name("zero")))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := openPack(name("huge")); !errors.Is(err, errDamaged) {
		t.Errorf("a pack that is too large: %v, %v", p, err)
	}
	if err := os.Remove(name("huge")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []cacheStats{{Parsed: 3}, {Disk: 3}} {
		c := OpenCache(dir)
		ask(t, c, 3)
		if got := c.Stats(); got != want {
			t.Errorf("among odd files: %+v, want %+v", got, want)
		}
		closeCache(t, c)
	}
}

// Many small packs become one, and lose nothing.
func TestCachePutsTogether(t *testing.T) {
	dir := t.TempDir()
	const each, times = 5, 2*maxPacks + 3
	for i := range times {
		c := OpenCache(dir)
		for j := range each {
			c.Of(source(i*each + j))
		}
		closeCache(t, c)
	}
	if packs := packsIn(t, dir); len(packs) > maxPacks {
		t.Errorf("%d packs", len(packs))
	}
	c := OpenCache(dir)
	defer c.Close()
	ask(t, c, each*times)
	if s := c.Stats(); s.Disk != each*times {
		t.Errorf("%+v", s)
	}
}

// A directory that cannot be used changes nothing but the time.
func TestCacheWithoutDisk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := OpenCache(filepath.Join(file, "below"))
	ask(t, c, 20)
	if err := c.Close(); err == nil {
		t.Error("no error")
	}
	ask(t, c, 21)
	c = openCache("", 2000, maxDisk)
	ask(t, c, 50)
	if c.bytes > 2000 || c.kept.Len() == 0 {
		t.Errorf("%d bytes, %d files in memory", c.bytes, c.kept.Len())
	}
	closeCache(t, c)
}

// Several processes, each with several goroutines, share a directory.
func TestCacheShared(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5 {
				c := openCache(dir, maxMemory, 20_000)
				var inner sync.WaitGroup
				for range 2 {
					inner.Go(func() { ask(t, c, 100) })
				}
				inner.Wait()
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	left, err := filepath.Glob(filepath.Join(dir, tempPrefix+"*"))
	if err != nil || len(left) > 0 {
		t.Error(err, left)
	}
	closeCache(t, OpenCache(dir))
}

// FuzzDecode: whatever bytes are on disk, decoding them does not panic, and what it takes is what encode writes.
func FuzzDecode(f *testing.F) {
	name, src := source(1)
	f.Add(encode(Of(name, src))[4:])
	f.Add([]byte{})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		sealed := seal(append(make([]byte, 4), b...))
		all, ok := decode(sealed)
		if !ok {
			return
		}
		if again, ok := decode(encode(all)); !ok || cmp.Diff(all, again) != "" {
			t.Errorf("%+v became %+v", all, again)
		}
	})
}
