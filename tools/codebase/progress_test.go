package codebase

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/tree"
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

// Each tool that walks the tree counts its files, knows how many there are once the tree was walked through, and
// gives the same whether or not anybody looks.
func TestToolsCountFiles(t *testing.T) {
	const files = 300
	for _, test := range []struct {
		tool, args         string
		done, total, again int // at the end of a first call, and how many a second one knew of
	}{
		{"list_dir", `{}`, files, 0, files},
		{"list_dir", `{"path":"dir3"}`, 30, 0, 0},
		{"list_dir", `{"include_ignored":true}`, files + 2, 0, 0},
		{"glob", `{"pattern":"**/*.py"}`, files, 0, files},
		{"search", `{"pattern":"words"}`, files, 0, files},
		{"search", `{"pattern":"words","include":["*.py"]}`, files, files, files}, // and once more for a hint
		{"search", `{"pattern":"words","path":"dir3"}`, 30, 0, 0},
		{"search", `{"pattern":"words","exclude":["dir3/**"]}`, files - 30, 0, 0},
		{"find_symbol", `{"name":"work42"}`, files, 0, files},
		{"find_symbol", `{"name":"ork42"}`, files, files, files},
		{"references", `{"name":"work42"}`, files, 0, files},
		{"repo_map", `{}`, files, files, files},
		{"outline", `{"path":"."}`, files / 2, files / 2, files / 2},
		{"read_file", `{"path":"dir0/missing.py"}`, files, 0, files},
	} {
		fsys := wideTree()
		want, _ := call(t, fsys, nil, test.tool, test.args)
		set, err := tools.NewSet(Tools(tree.Open(fsys, nil), nil)...)
		if err != nil {
			t.Fatal(err)
		}
		for turn, total := range []int{test.total, test.again} {
			g := new(tools.Progress)
			text, _ := callIn(tools.WithRun(t.Context(), tools.Run{Progress: g}), t, set, test.tool, test.args)
			got, ok := g.Read()
			if !ok || got != (tools.Status{Unit: "files", Done: test.done, Total: total}) {
				t.Errorf("%s %s, call %d: %+v", test.tool, test.args, turn+1, got)
			}
			if text != want {
				t.Errorf("%s %s, call %d gives %q, and where nobody looks %q", test.tool, test.args, turn+1, text, want)
			}
		}
	}
}
