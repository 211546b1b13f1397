package codebase

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/tree"
)

var toolNames = []string{"list_dir", "glob", "search", "read_file", "outline", "report"}

// FuzzTools: whatever the arguments, a tool does not panic, answers within its limits in valid UTF-8, tells no secret,
// and says the same twice; in the JSON form a result is valid JSON.
func FuzzTools(f *testing.F) {
	for _, args := range []string{
		`{}`, `{"path":"src"}`, `{"path":"lib/shapes.py","symbol":"Square.area"}`, `{"paths":["go.mod","data/utf16.txt","data/latin1.txt"]}`,
		`{"pattern":"Greet"}`, `{"pattern":"[a-z]+","context":3,"limit":2,"offset":1}`, `{"patterns":["a","b.*c"],"case":"smart","mode":"count"}`,
		`{"pattern":"**/*.{go,py}","sort":"mtime"}`, `{"pattern":"(?s)a.*z","multiline":true}`, `{"pattern":"x*","max_per_file":1}`,
		`{"path":"data/long.txt","column":4000}`, `{"path":".","kinds":["func"],"depth":1}`, `{"path":"weird\nname.txt"}`, `{"pattern":"AKIA","path":"data"}`,
		`{"found":true,"summary":[{"text":"x","citations":["src/main.go:1-3"],"quote":"package main"}],"places":[{"path":"src/main.go","start":1,"end":2}]}`,
	} {
		for i := range toolNames {
			f.Add(uint8(i), args)
		}
	}
	fsys := smallTree()
	plain, err := tools.NewSet(Tools(tree.Open(fsys, nil), nil)...)
	if err != nil {
		f.Fatal(err)
	}
	encoded, err := tools.NewSet(Tools(tree.Open(fsys, nil), &Options{JSON: true})...)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, tool uint8, args string) {
		name := toolNames[int(tool)%len(toolNames)]
		for _, set := range []*tools.Set{plain, encoded} {
			text, err := callIn(t.Context(), t, set, name, args)
			again, _ := callIn(t.Context(), t, set, name, args)
			var p *tools.Problem
			var a *tools.ArgumentError
			switch {
			case text != again:
				t.Errorf("%s %s: two answers:\n%s\n%s", name, args, text, again)
			case err != nil && !errors.As(err, &p) && !errors.As(err, &a):
				t.Errorf("%s %s: error of type %T: %v", name, args, err, err)
			case !utf8.ValidString(text) || len(text) > 1<<20:
				t.Errorf("%s %s: %d bytes, or no UTF-8", name, args, len(text))
			case strings.Contains(text, "hunter2") && !strings.Contains(args, "hunter2"),
				strings.Contains(text, "AKIAABCDEFGHIJKLMNOP") && !strings.Contains(args, "AKIAABCDEFGHIJKLMNOP"):
				t.Errorf("%s %s: tells a secret:\n%s", name, args, text)
			case err == nil && set == encoded && !json.Valid([]byte(text)):
				t.Errorf("%s %s: no JSON:\n%s", name, args, text)
			}
		}
	})
}

// FuzzSymbols: whatever the source, symbols lie in the file, end after they begin, and come by line.
func FuzzSymbols(f *testing.F) {
	exts := []string{".go", ".py", ".ts", ".java", ".rs", ".c"}
	for i := range exts {
		f.Add(uint8(i), "class A {\n  int f(int x) { return \"}\"; }\n}\n")
		f.Add(uint8(i), "def f(\n  a):\n  '''d'''\nfunc g() {\nconst x = `${a}`\n}")
		f.Add(uint8(i), "#if A\nint f() {\n#else\nint g() {\n#endif\n}\n impl X for Y { fn z() {} }")
		f.Add(uint8(i), "{{{{(((\n/* \n'\"`${`")
	}
	f.Fuzz(func(t *testing.T, lang uint8, src string) {
		box := newBox(smallTree(), nil)
		text := line.Split([]byte(src))
		last := 0
		for _, s := range box.symbols(t.Context(), "x"+exts[int(lang)%len(exts)], []byte(src)) {
			if s.Start < max(last, 1) || s.End < s.Start || s.End > max(text.Count(), 1) || s.Name == "" || s.Depth < 1 ||
				strings.Contains(s.Signature+s.Doc, "\n") {
				t.Errorf("%+v in %d lines after line %d", s, text.Count(), last)
			}
			last = s.Start
		}
	})
}
