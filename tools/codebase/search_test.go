package codebase

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/search"
	"github.com/forayhq/foray/tools/tree"
)

// Paging through a result with next gives all of it, once, in the same order, whatever the size of a page.
func TestPages(t *testing.T) {
	fsys := smallTree()
	for i := range 9 {
		fsys[fmt.Sprintf("many/%d.go", i)] = &fstest.MapFile{Data: []byte("package many\n\nfunc A() {}\n\nfunc B() {}\n")}
	}
	for tool, args := range map[string]string{
		"list_dir": `"depth":6`, "glob": `"pattern":"**/*"`, "search": `"pattern":"func|many","context":0`, "outline": `"path":"."`,
	} {
		t.Run(tool, func(t *testing.T) {
			whole, _ := pages(t, fsys, tool, args, 2000)
			for _, size := range []int{1, 2, 7} {
				got, n := pages(t, fsys, tool, args, size)
				if diff := cmp.Diff(whole, got); diff != "" || n < 2 {
					t.Errorf("%d pages of %d (-whole +paged):\n%s", n, size, diff)
				}
			}
		})
	}
}

// pages collects the items of all pages; those of search as lines.
func pages(t *testing.T, fsys fs.FS, tool, args string, size int) (items []string, n int) {
	t.Helper()
	for offset := 0; ; n++ {
		text, err := callAs(
			t,
			fsys,
			nil,
			&Options{JSON: true},
			tool,
			fmt.Sprintf(`{%s,"limit":%d,"offset":%d}`, args, size, offset),
		)
		if err != nil {
			t.Fatal(text)
		}
		var page struct {
			Items    []json.RawMessage
			Returned int
			Next     int
		}
		if err := json.Unmarshal([]byte(text), &page); err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Items {
			var f search.File
			if tool != "search" {
				items = append(items, string(item))
			} else if err := json.Unmarshal(item, &f); err != nil {
				t.Fatal(err)
			}
			for _, m := range f.Matches {
				items = append(items, fmt.Sprintf("%s:%d:%d %s %s", f.Path, m.Line, m.Column, m.Symbol, m.Text))
			}
		}
		if page.Returned > size {
			t.Fatalf("%d items on a page of %d", page.Returned, size)
		}
		if page.Next == 0 {
			return items, n + 1
		}
		offset = page.Next
	}
}

// A vanishing file is there for the first reading only.
type vanishing struct {
	fstest.MapFS
	mu   sync.Mutex
	seen map[string]bool
}

func (v *vanishing) Open(name string) (fs.File, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.seen[name] && strings.HasSuffix(name, "main.go") {
		return nil, fs.ErrNotExist
	}
	v.seen[name] = true
	return v.MapFS.Open(name)
}

func TestVanishedFile(t *testing.T) {
	text, err := call(t, &vanishing{MapFS: smallTree(), seen: map[string]bool{}}, nil, "search", `{"pattern":"Greeting"}`)
	if err != nil || !strings.Contains(text, "note: src/main.go vanished") ||
		!strings.Contains(text, "L7 \tfmt.Println") ||
		!strings.Contains(text, "L4 [Greeting]") {
		t.Errorf("%v: %s", err, text)
	}
}

// Files that are too large, and lines that are, are passed over or cut; nothing hangs.
func TestLargeFiles(t *testing.T) {
	fsys := fstest.MapFS{
		"large.txt": {Data: []byte(strings.Repeat("word\n", 1000))},
		"line.js":   {Data: []byte("x" + strings.Repeat("a", 900) + "needle")},
		"b.txt":     {Data: []byte("needle word\n")},
	}
	o := &tree.Options{MaxFile: 2000}
	text, _ := call(t, fsys, o, "search", `{"pattern":"word"}`)
	if !strings.Contains(text, "1 of 1 hits in 1 file; skipped: 1 too large") {
		t.Error(text)
	}
	text, _ = call(t, fsys, o, "read_file", `{"path":"large.txt"}`)
	if !strings.Contains(text, "too_large: large.txt is larger than 2.0 kB") {
		t.Error(text)
	}
	text, _ = call(t, fsys, o, "search", `{"pattern":"needle","path":"line.js"}`)
	if !strings.Contains(text, "L1 …aaa") || len(text) > 700 {
		t.Error(text)
	}
	// A line that is too long for the regexp is searched all the same, unless the pattern has a state for each of its
	// bytes.
	fsys["line.js"] = &fstest.MapFile{Data: []byte(strings.Repeat("ab", 1<<20) + "\nshort c\n")}
	text, _ = call(t, fsys, nil, "search", `{"pattern":"([ab]{200}){4}","path":"line.js"}`)
	if !strings.Contains(text, "1 of 1 hits") || len(text) > 2000 {
		t.Error(text)
	}
	var noise strings.Builder
	for r := rand.New(rand.NewPCG(1, 2)); noise.Len() < 2<<20; {
		noise.WriteByte("ab"[r.IntN(2)])
	}
	fsys["line.js"] = &fstest.MapFile{Data: []byte(noise.String())}
	text, _ = call(t, fsys, nil, "search", `{"pattern":"[ab]*a[ab]{900}x?\\d","path":"line.js"}`)
	if !strings.Contains(text, "1 too large") {
		t.Error(text)
	}
}

// Many calls at once give the same answers as one.
func TestConcurrentCalls(t *testing.T) {
	set, err := tools.NewSet(Tools(tree.Open(os.DirFS("."), nil), nil)...)
	if err != nil {
		t.Fatal(err)
	}
	calls := []struct{ tool, args string }{
		{"search", `{"pattern":"func "}`},
		{"outline", `{"path":"."}`},
		{"list_dir", `{}`},
		{"glob", `{"pattern":"**/*.go"}`},
		{"read_file", `{"path":"search.go"}`},
	}
	var want []string
	for _, c := range calls {
		text, err := callIn(t.Context(), t, set, c.tool, c.args)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, text)
	}
	var wg sync.WaitGroup
	for range 4 {
		for i, c := range calls {
			wg.Go(func() {
				if text, _ := callIn(t.Context(), t, set, c.tool, c.args); text != want[i] {
					t.Errorf("%s gives another answer beside others", c.tool)
				}
			})
		}
	}
	wg.Wait()
}

// BenchmarkTools runs each tool over the standard library: `go test -bench Tools ./tools/codebase`.
func BenchmarkTools(b *testing.B) {
	r, err := tree.OpenRoot(goSources(b))
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	set, err := tools.NewSet(Tools(tree.Open(r.FS(), nil), nil)...)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ name, tool, args string }{
		{"list", "list_dir", `{}`}, {"glob", "glob", `{"pattern":"**/*_test.go"}`},
		{"literal", "search", `{"pattern":"SetDeadline"}`}, {"fold", "search", `{"pattern":"setdeadline","case":"insensitive"}`},
		{"alternation", "search", `{"pattern":"readFrom|WriteTo|closeAll"}`}, {"noliteral", "search", `{"pattern":"[a-z]+[0-9]{4}$"}`},
		{"read", "read_file", `{"path":"net/http/server.go","around":2000}`}, {"outline", "outline", `{"path":"net/http"}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if text, err := callIn(b.Context(), b, set, c.tool, c.args); err != nil {
					b.Fatal(text)
				}
			}
		})
	}
}
