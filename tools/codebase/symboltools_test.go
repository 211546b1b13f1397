package codebase

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/tree"
)

// symbolTree is the tree of testdata/symboltools.txtar: the files of the archive whose names begin with "tree/".
func symbolTree(t testing.TB) (fstest.MapFS, *txtar.Archive) {
	t.Helper()
	a, err := txtar.ParseFile("testdata/symboltools.txtar")
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{}
	for _, f := range a.Files {
		if p, ok := strings.CutPrefix(f.Name, "tree/"); ok {
			fsys[p] = &fstest.MapFile{Data: f.Data}
		}
	}
	return fsys, a
}

// The text of find_symbol, references and repo_map. Each file of the archive that is none of the tree is a call: its
// name is the tool and the arguments.
func TestSymbolTools(t *testing.T) {
	fsys, a := symbolTree(t)
	for i, f := range a.Files {
		if strings.HasPrefix(f.Name, "tree/") {
			continue
		}
		name, args, _ := strings.Cut(f.Name, " ")
		args, asJSON := strings.CutPrefix(args, "JSON ")
		text, _ := callAs(t, fsys, nil, &Options{JSON: asJSON}, name, args)
		text = strings.TrimSuffix(text, "\n") + "\n"
		if *update {
			a.Files[i].Data = []byte(text)
		} else if diff := cmp.Diff(string(f.Data), text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.Name, diff)
		}
	}
	if *update {
		golden(t, "testdata/symboltools.txtar", string(txtar.Format(a)))
	}
}

// What find_symbol says is what read_file reads: every definition of the tree is found by its name, alone and
// qualified, at the lines that outline tells.
func TestFindSymbolFindsAll(t *testing.T) {
	fsys, _ := symbolTree(t)
	set, err := tools.NewSet(Tools(tree.Open(fsys, nil), &Options{JSON: true})...)
	if err != nil {
		t.Fatal(err)
	}
	decoded := func(tool, args string, into any) {
		t.Helper()
		text, err := callIn(t.Context(), t, set, tool, args)
		if err == nil {
			err = json.Unmarshal([]byte(text), into)
		}
		if err != nil {
			t.Fatalf("%s %s: %v", tool, args, err)
		}
	}
	var outline OutlineResult
	decoded("outline", `{"path":".","depth":6}`, &outline)
	if len(outline.Items) < 15 {
		t.Fatalf("the tree has %d definitions", len(outline.Items))
	}
	for _, want := range outline.Items {
		for _, name := range []string{want.Name, lastPart(want.Name)} {
			var found SymbolResult
			decoded("find_symbol", fmt.Sprintf(`{"name":%q,"kind":%q,"include_body":true}`, name, want.Kind), &found)
			hits := 0
			for _, got := range found.Items {
				if len(got.Body) != got.End-got.Start+1 {
					t.Errorf("%s: %d lines of L%d-%d", name, len(got.Body), got.Start, got.End)
				}
				if got.Body = nil; cmp.Diff(want, got) == "" {
					hits++
				}
			}
			if hits != 1 {
				t.Errorf("%s: found %d times among %+v", name, hits, found.Items)
			}
		}
	}
}

// The map keeps to its budget, whatever it is, and holds more with more.
func TestRepoMapBudget(t *testing.T) {
	fsys, _ := symbolTree(t)
	for i := range 400 {
		p := fmt.Sprintf("more/mod%03d.py", i)
		fsys[p] = &fstest.MapFile{
			Data: fmt.Appendf(
				nil,
				"from shop.orders import Order\n\n\nclass Thing%03d:\n    def use_order_of_%d(self):\n        return Order(%d).total_price()\n",
				i,
				i,
				i,
			),
		}
	}
	before := 0
	for _, budget := range []int{100, 200, 500, 1024, 4000, 8192} {
		text, err := call(t, fsys, nil, "repo_map", fmt.Sprintf(`{"budget":%d}`, budget))
		if err != nil {
			t.Fatal(err)
		}
		if n := toollimit.Tokens(text); n > budget+budget/20+10 || n < before {
			t.Errorf("budget %d: %d tokens after %d before", budget, n, before)
		} else {
			before = n
		}
		if !strings.Contains(text, "class Order") {
			t.Errorf("budget %d: what all use is not in the map:\n%s", budget, text)
		}
	}
}

// A call that runs out of time says so, and one that is cancelled fails.
func TestSymbolToolsDeadline(t *testing.T) {
	fsys, _ := symbolTree(t)
	set, err := tools.NewSet(Tools(tree.Open(fsys, &tree.Options{Timeout: 1}), nil)...)
	if err != nil {
		t.Fatal(err)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	for tool, args := range map[string]string{"find_symbol": `{"name":"Order"}`, "references": `{"name":"Order"}`, "repo_map": `{}`} {
		text, err := callIn(t.Context(), t, set, tool, args)
		if err != nil || !strings.Contains(text, "the deadline passed") {
			t.Errorf("%s: %v %s", tool, err, text)
		}
		if text, err := callIn(stopped, t, set, tool, args); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v %s", tool, err, text)
		}
	}
}

// FuzzSymbolTools: whatever the source and the name, the tools answer in valid UTF-8, twice the same, or with a
// problem that is one of ours.
func FuzzSymbolTools(f *testing.F) {
	f.Add("a.py", "class A:\n    def b(self):\n        return A().b()\n", "A.b")
	f.Add("a.go", "package a\n\nfunc F() { F() }\n", "F")
	f.Add("a.ts", "import {\n  a,\n} from 'x'\nexport const b = () => a<string>(`${a}`)\n", "a")
	f.Add("a.rs", "use x::y;\nfn z() { y!(1) }\n", "y")
	f.Add("a.c", "int f(\n", "::")
	b := newBox(fstest.MapFS{}, nil)
	of := []tools.Tool{newTool(b, "find_symbol", "", (*toolbox).findSymbol), newTool(b, "references", "", (*toolbox).references),
		newTool(b, "repo_map", "", (*toolbox).repoMap)} // once, since schemas take longer than calls; each run gives them its tree
	schemas, err := tools.NewSet(of...)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, file, src, name string) {
		fsys := fstest.MapFS{"b.py": {Data: []byte("def b(): pass\n")}}
		if len(file) < 20 && strings.Count(file, "/") == 0 && len(file) > 2 && utf8.ValidString(file) {
			fsys[file] = &fstest.MapFile{Data: []byte(src)}
		}
		given, err := json.Marshal(map[string]string{"name": name})
		if err != nil {
			t.Fatal(err)
		}
		args := map[string]string{"find_symbol": string(given), "references": string(given), "repo_map": `{"budget":200}`}
		b.Tree = tree.Open(fsys, nil)
		for _, tool := range of {
			text, err := callIn(t.Context(), t, schemas, tool.Name, args[tool.Name])
			again, _ := callIn(t.Context(), t, schemas, tool.Name, args[tool.Name])
			var p *tools.Problem
			if text != again || !utf8.ValidString(text) || err != nil && !errors.As(err, &p) {
				t.Errorf("%s %s: %v\n%q\n%q", tool.Name, args, err, text, again)
			}
		}
	})
}

// A name without a definition takes one look at the definitions of each file, and the suggestions come from that look.
func TestMissingNameReadsDefinitionsOnce(t *testing.T) {
	fsys := fstest.MapFS{}
	for i := range 20 {
		text := fmt.Sprintf("package p\n\nfunc Compute%d() {}\n", i)
		fsys[fmt.Sprintf("f%d.go", i)] = &fstest.MapFile{Data: []byte(text), ModTime: time.Unix(1e9, 0)}
	}
	box := newBox(fsys, nil)
	_, err := box.findSymbol(t.Context(), findArgs{Name: "Compote7"})
	var problem *tools.Problem
	if !errors.As(err, &problem) || !strings.Contains(problem.Try, "Compute7") {
		t.Errorf("%v, want Compute7 as a suggestion", err)
	}
	if n := box.Options().Symbols.Stats(); n.Memory+n.Parsed != len(fsys) {
		t.Errorf("%+v, want one look at each of %d files", n, len(fsys))
	}
}
