package codebase

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/forayhq/foray/tools"
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
	plain, err := tools.NewSet(Tools(fsys, nil)...)
	if err != nil {
		f.Fatal(err)
	}
	encoded, err := tools.NewSet(Tools(fsys, &Options{JSON: true})...)
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
			case strings.Contains(text, "hunter2") && !strings.Contains(args, "hunter2"), strings.Contains(text, "AKIAABCDEFGHIJKLMNOP") && !strings.Contains(args, "AKIAABCDEFGHIJKLMNOP"):
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
		tree := newTree(smallTree(), nil)
		text := newText([]byte(src))
		last := 0
		for _, s := range tree.symbols(t.Context(), "x"+exts[int(lang)%len(exts)], []byte(src)) {
			if s.Start < max(last, 1) || s.End < s.Start || s.End > max(text.count(), 1) || s.Name == "" || s.Depth < 1 || strings.Contains(s.Signature+s.Doc, "\n") {
				t.Errorf("%+v in %d lines after line %d", s, text.count(), last)
			}
			last = s.Start
		}
	})
}

// FuzzRedact: no line is lost, and what is redacted once has nothing left to redact.
func FuzzRedact(f *testing.F) {
	f.Add("a\n-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nz\n")
	f.Add("AKIAABCDEFGHIJKLMNOP AKIAABCDEFGHIJKLMNOP ghp_0123456789abcdefghijABCDEFGHIJ0123456789")
	f.Add("-----BEGIN PRIVATE KEY-----\nPRIVATE KEY")
	f.Fuzz(func(t *testing.T, s string) {
		tree := newTree(smallTree(), nil)
		once := tree.redact([]byte(s))
		if strings.Count(string(once), "\n") != strings.Count(s, "\n") {
			t.Errorf("lines changed: %q → %q", s, once)
		}
		if twice := tree.redact(once); string(twice) != string(once) {
			t.Errorf("not stable: %q → %q → %q", s, once, twice)
		}
	})
}

// FuzzLines: whatever the pattern and the text, a search finds the lines that the regexp matches one by one.
func FuzzLines(f *testing.F) {
	for _, pattern := range []string{
		"", "a", "x*", `^$`, `\bfoo\b`, `[a-z]+[0-9]{2}$`, "(?i)kelvin|\u017f", `\B.\B`, `[^a]é+`, `(a|b)*c`, `\W\w`, `^\s*\}`, "(?s).", "\ufffd", `[ab]*a[ab]{12}c`, `(?:^|[^\pL])x(?:$|[^\pL])`,
	} {
		f.Add(pattern, "foo\n\nbar12\nKELVIN \u212a \u017f\nab\xff\xfec é\n}\n", false)
		f.Add(pattern, strings.Repeat("abababbbabaab", 9)+"c\nx\n\n", true)
		f.Add(pattern, strings.Repeat("ab\né}\n\n", 200)+"foo\nab12\n"+strings.Repeat("ab\xff\n", 300)+"  } foo x", false)
		f.Add(pattern, strings.Repeat("many words, then foo and ab12\n", 50)+strings.Repeat(wideLine(20)+"é ab é\n", 25)+"foo", false)
	}
	f.Add(`[ab]*a[ab]{12}[cegikmoqsuwyCEGIKMOQSUWY]`, manyStates(), false)
	f.Fuzz(func(t *testing.T, pattern, text string, fold bool) {
		m, err := compile(pattern, matchOptions{fold: fold})
		if err != nil || len(text) > 1<<14 || m.cost > 2000 || slices.ContainsFunc(m.needles.list, func(b []byte) bool { return bytes.ContainsRune(b, utf8.RuneError) }) {
			return // regexp takes any byte that is no UTF-8 for U+FFFD, a needle only the character
		}
		var want, got []string
		for line := range strings.Lines(text) {
			if line = strings.TrimSuffix(line, "\n"); m.re.MatchString(line) {
				want = append(want, line)
			}
		}
		for name, search := range map[string]func(context.Context, []byte, func(span) bool) error{"each": m.each, "byLine": m.byLine, "byChunk": m.byChunk} {
			got = nil
			if err := search(t.Context(), []byte(text), func(s span) bool {
				got = append(got, text[s.from:s.to])
				return true
			}); err != nil {
				continue // too large for the pattern
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s of %q in %q: %q, want %q", name, pattern, text, got, want)
			}
		}
	})
}

// manyStates are lines for which an automaton of that pattern drops its states.
func manyStates() string {
	var b strings.Builder
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 16000 {
		b.WriteByte("ab"[r.IntN(2)])
		if i%100 == 99 {
			b.WriteString([]string{"\n", "c\n", "é\n", "l\n"}[r.IntN(4)])
		}
	}
	return b.String()
}
