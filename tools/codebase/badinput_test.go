package codebase

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/tree"
)

// Every row of the table of bad input: what is called, and what the answer must hold. An error is always of one of two
// types, both told to the model.
func TestBadInput(t *testing.T) {
	tests := []struct {
		name, tool, args string
		want             []string // parts of the answer
		fails            bool
	}{
		{
			"missing path",
			"read_file",
			`{"path":"src/gret.go"}`,
			[]string{"not_found", "src/gret.go does not exist", "try: src/greet.go"},
			true,
		},
		{"missing directory", "list_dir", `{"path":"srcs"}`, []string{"not_found", "try: src"}, true},
		{"missing, same base", "read_file", `{"path":"main.go"}`, []string{"try: src/main.go, "}, true},
		{
			"file as directory",
			"read_file",
			`{"path":"go.mod/x"}`,
			[]string{"go.mod is a file", "read_file with path=go.mod"},
			true,
		},
		{
			"directory for a file",
			"read_file",
			`{"path":"src"}`,
			[]string{"is_directory", "3 entries: greet.go, main.go, util/", "path=src/greet.go"},
			true,
		},
		{"file for a directory", "list_dir", `{"path":"go.mod"}`, []string{"not_a_directory", "read_file or outline"}, true},
		{"blank pattern", "search", `{"pattern":"  "}`, []string{"pattern is blank"}, true},
		{"no pattern", "search", `{}`, []string{"pattern is blank"}, true},
		{"blank glob", "glob", `{"pattern":""}`, []string{"pattern is blank"}, true},
		{"blank path", "outline", `{"path":""}`, []string{"path is blank"}, true},
		{"no path", "read_file", `{}`, []string{"path is blank"}, true},
		{
			"limit 0",
			"search",
			`{"pattern":"a","limit":0}`,
			[]string{"/limit: got 0, must be at least 1", "1 to 2000, default 100"},
			true,
		},
		{"limit below 0", "list_dir", `{"limit":-5}`, []string{"/limit: got -5, must be at least 1", "1 to 2000"}, true},
		{"depth 0", "list_dir", `{"depth":0}`, []string{"/depth: got 0", "1 to 6, default 2"}, true},
		{
			"start after end",
			"read_file",
			`{"path":"src/main.go","start_line":5,"end_line":2}`,
			[]string{"start_line=5 is after end_line=2", "start_line=2, end_line=5"},
			true,
		},
		{
			"unknown field",
			"search",
			`{"pattern":"a","paht":"src"}`,
			[]string{"/paht: unknown field", `nearest is "path"`},
			true,
		},
		{
			"wrong type",
			"search",
			`{"pattern":"a","limit":"ten"}`,
			[]string{"/limit: got string, want integer", "1 to 2000"},
			true,
		},
		{"wrong value", "search", `{"pattern":"a","mode":"lines"}`, []string{"/mode", `"content","files","count"`}, true},
		{
			"over the maximum",
			"list_dir",
			`{"depth":99}`,
			[]string{"note: depth=99 was lowered to its maximum 6", "util/"},
			false,
		},
		{
			"limit over the maximum",
			"search",
			`{"pattern":"Greeting","limit":9999}`,
			[]string{"note: limit=9999 was lowered to its maximum 2000", "Greeting"},
			false,
		},
		{
			"invalid regex",
			"search",
			`{"pattern":"foo(bar"}`,
			[]string{"bad_pattern", "at character 4", "missing closing )", "literal=true"},
			true,
		},
		{"invalid repeat", "search", `{"pattern":"ab**c["}`, []string{"bad_pattern", "at character", "literal=true"}, true},
		{
			"large repetition",
			"search",
			`{"pattern":"(a{1000}){1000}"}`,
			[]string{"bad_pattern", "the pattern is too large", "limited to 1000", "a smaller count"},
			true,
		},
		{
			"deep nesting",
			"search",
			`{"pattern":"` + strings.Repeat("(", 2000) + "a" + strings.Repeat(")", 2000) + `"}`,
			[]string{"bad_pattern", "the pattern is too large"},
			true,
		},
		{
			"look-ahead",
			"search",
			`{"pattern":"foo(?!bar)"}`,
			[]string{"look-around at character 4", "RE2", "literal=true"},
			true,
		},
		{
			"look-behind in a word",
			"search",
			`{"pattern":"(?<=a)b","word":true}`,
			[]string{"look-around at character 1"},
			true,
		},
		{"newline without multiline", "search", `{"pattern":"a\\nb"}`, []string{"matches a newline", "multiline=true"}, true},
		{
			"too many patterns",
			"search",
			`{"patterns":["` + strings.Repeat(`a","`, 16) + `b"]}`,
			[]string{"17 patterns are too many", "at most 16"},
			true,
		},
		{
			"past the end",
			"read_file",
			`{"path":"src/main.go","start_line":50}`,
			[]string{"past_end", "src/main.go has 8 lines", "from 1 to 8"},
			true,
		},
		{"around past the end", "read_file", `{"path":"src/main.go","around":50}`, []string{"past_end", "8 lines"}, true},
		{
			"offset past the end",
			"glob",
			`{"pattern":"**/*.go","offset":50}`,
			[]string{"offset=50 is past the end: there are 3 files"},
			false,
		},
		{
			"unknown symbol",
			"read_file",
			`{"path":"src/greet.go","symbol":"Greting"}`,
			[]string{"defines no Greting", "try: symbol = Greeting"},
			true,
		},
		{
			"symbol and around",
			"read_file",
			`{"path":"src/greet.go","symbol":"Greeting","around":3}`,
			[]string{"exclude each other"},
			true,
		},
		{"unknown kind", "outline", `{"path":".","kinds":["klass"]}`, []string{`unknown kind \"klass\"`, "class"}, true},
		{
			"no hit",
			"search",
			`{"pattern":"greeting"}`,
			[]string{
				"no hit in",
				"skipped: 2 ignored, 4 hidden",
				"case=insensitive: 4 hits in 2 files",
				"nearest words: Greeting",
			},
			false,
		},
		{"no hit, literal meant", "search", `{"pattern":"Println(Greeting"}`, []string{"bad_pattern"}, true},
		{"no hit as a regex", "search", `{"pattern":"side ** 2","word":true}`, []string{"bad_pattern", "literal=true"}, true},
		{"no hit but as text", "search", `{"pattern":"Greeting(name"}`, []string{"bad_pattern", "literal=true"}, true},
		{"text meant", "search", `{"pattern":"main()"}`, []string{"src/main.go (3 hits)"}, false},
		{
			"no hit, include",
			"search",
			`{"pattern":"a","include":["*.rs"]}`,
			[]string{"no file passes include and exclude"},
			false,
		},
		{"glob not deep enough", "glob", `{"pattern":"*.go"}`, []string{"3 files would match **/*.go"}, false},
		{"bad glob", "glob", `{"pattern":"[a"}`, []string{"bad_pattern", "not a valid glob"}, true},
		{"glob outside", "glob", `{"pattern":"../*"}`, []string{"outside"}, true},
		{
			"exponential glob",
			"glob",
			`{"pattern":"` + strings.Repeat("**/", 20) + `a"}`,
			[]string{"bad_pattern", "at most"},
			true,
		},
		{"parent", "read_file", `{"path":"src/../go.mod"}`, []string{"outside"}, true},
		{"absolute", "read_file", `{"path":"/etc/passwd"}`, []string{"outside"}, true},
		{"home", "list_dir", `{"path":"~/x"}`, []string{"outside"}, true},
		{"windows", "list_dir", `{"path":"C:\\x"}`, []string{"outside"}, true},
		{"NUL", "read_file", `{"path":"a\u0000b"}`, []string{"bad_path"}, true},
		{"git folder", "read_file", `{"path":"src/.GIT/config"}`, []string{"refused"}, true},
		{"secret", "read_file", `{"path":".env"}`, []string{"secret: .env has the name"}, true},
		{"secret searched", "search", `{"pattern":"words","path":"server.pem"}`, []string{"secret"}, true},
		{"binary", "read_file", `{"path":"data/binary.bin"}`, []string{"binary: data/binary.bin is a binary file"}, true},
		{
			"one of several missing",
			"read_file",
			`{"paths":["go.mod","gone.txt"]}`,
			[]string{"module example.com/small", "note: not_found: gone.txt does not exist"},
			false,
		},
		{"all of several missing", "read_file", `{"paths":["gone","gone.txt"]}`, []string{"none of the paths"}, true},
		{"empty file", "read_file", `{"path":"data/empty.txt"}`, []string{"empty file"}, false},
		{"weird name", "read_file", `{"path":"weird\nname.txt"}`, []string{"weird words"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, err := call(t, smallTree(), nil, tt.tool, tt.args)
			if (err != nil) != tt.fails {
				t.Errorf("error %v, want one: %t", err, tt.fails)
			}
			var p *tools.Problem
			var a *tools.ArgumentError
			if err != nil && !errors.As(err, &p) && !errors.As(err, &a) {
				t.Errorf("error of type %T: %v", err, err)
			}
			if strings.Contains(text, "hunter2") {
				t.Error("the answer holds a secret")
			}
			if err != nil {
				text = fmt.Sprintf("%s\n%q", text, text)
			}
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in:\n%s", want, text)
				}
			}
		})
	}
}

// hostTree is a directory with links, a FIFO and what may not be read.
func hostTree(t *testing.T) (*tree.Root, string) {
	t.Helper()
	outside := t.TempDir()
	dir := t.TempDir()
	for p, body := range map[string]string{
		filepath.Join(outside, "secret.txt"): "outside words\n",
		filepath.Join(dir, "a.txt"):          "inside words\n",
		filepath.Join(dir, "sub/b.txt"):      "inside words\n",
		filepath.Join(dir, ".env"):           "inside words\n",
		filepath.Join(dir, ".git/config"):    "inside words\n",
	} {
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"in.txt": "sub/b.txt", "out.txt": filepath.Join(outside, "secret.txt"), "up.txt": "../" + filepath.Base(outside) + "/secret.txt", "chain.txt": "in.txt",
		"dir": "sub", "loop": "loop", "gone.txt": "nowhere", "env.txt": ".env", "git.txt": ".git/config", "via.txt": "dir/b.txt", "outdir": outside,
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip("no links on this system")
		}
	}
	if err := ostest.Fifo(filepath.Join(dir, "pipe")); err != nil {
		t.Skip("no FIFO on this system")
	}
	r, err := tree.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r, dir
}

func TestLinksAndDevices(t *testing.T) {
	r, dir := hostTree(t)
	tests := []struct{ tool, args, want string }{
		{"read_file", `{"path":"in.txt"}`, "inside words"},
		{"read_file", `{"path":"chain.txt"}`, "inside words"},
		{"read_file", `{"path":"` + dir + `/a.txt"}`, "inside words"},
		{"read_file", `{"path":"out.txt"}`, "outside:"},
		{"read_file", `{"path":"up.txt"}`, "outside:"},
		{"read_file", `{"path":"loop"}`, "link"},
		{"read_file", `{"path":"gone.txt"}`, "broken_link:"},
		{"read_file", `{"path":"env.txt"}`, "secret:"},
		{"read_file", `{"path":"git.txt"}`, "refused:"},
		{"read_file", `{"path":"dir/b.txt"}`, "link: dir is a link"},
		{"read_file", `{"path":"dir"}`, "path=sub"},
		{"read_file", `{"path":"via.txt"}`, "link: dir is a link"},
		{"read_file", `{"path":"outdir/secret.txt"}`, "link: outdir is a link"},
		{"read_file", `{"path":"pipe"}`, "not_a_file:"},
		{"read_file", `{"path":"` + dir + `x/a.txt"}`, "outside:"},
		{
			"search",
			`{"pattern":"words","mode":"count"}`,
			"a.txt (1 hit)\nsub/b.txt (1 hit)\n2 hits; 2 of 2 files with a hit; skipped: 1 hidden, 1 unreadable",
		},
		{"search", `{"pattern":"words","path":"pipe"}`, "1 unreadable"},
		{"list_dir", `{}`, "out.txt -> (outside)"},
		{"list_dir", `{}`, "in.txt -> sub/b.txt"},
		{"glob", `{"pattern":"*.txt"}`, "a.txt\nchain.txt\nenv.txt\nin.txt\nvia.txt\n"},
	}
	for _, tt := range tests {
		t.Run(tt.tool+tt.args, func(t *testing.T) {
			text, err := call(t, r.FS(), nil, tt.tool, tt.args)
			if !strings.Contains(text, tt.want) {
				t.Errorf("no %q in %q", tt.want, text)
			}
			var p *tools.Problem
			if err != nil && !errors.As(err, &p) {
				t.Errorf("error of type %T: %v", err, err)
			}
			if strings.Contains(text, "outside words") || strings.Contains(text, dir) {
				t.Errorf("the answer tells what is outside or where the root is: %q", text)
			}
		})
	}
}

func TestOpenRootRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{"": "no directory given", file: "is a file", file + "x": "does not exist", file + "/x": "opening root"} {
		if r, err := tree.OpenRoot(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("tree.OpenRoot(%q) = %v, %v; want an error with %q", dir, r, err, want)
		}
	}
}

func TestEmptyRoot(t *testing.T) {
	for tool, args := range map[string]string{
		"list_dir": `{}`, "glob": `{"pattern":"**"}`, "search": `{"pattern":"a"}`, "outline": `{"path":"."}`,
		"report": `{"found":false,"summary":[{"text":"The tree is empty."}]}`,
	} {
		if text, err := call(t, fstest.MapFS{}, nil, tool, args); err != nil {
			t.Errorf("%s: %s", tool, text)
		}
	}
	if text, _ := call(t, fstest.MapFS{}, nil, "read_file", `{"path":"a"}`); !strings.Contains(text, "a does not exist") {
		t.Error(text)
	}
}

// A call that is cancelled ends with ctx's error, one that runs out of time with what it has.
func TestContext(t *testing.T) {
	set, err := tools.NewSet(Tools(tree.Open(smallTree(), nil), nil)...)
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]string{
		"list_dir": `{}`,
		"glob":     `{"pattern":"**"}`,
		"search":   `{"pattern":"a"}`,
		"outline":  `{"path":"."}`,
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, stop := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer stop()
	for tool, args := range calls {
		if text, err := callIn(cancelled, t, set, tool, args); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v, %q", tool, err, text)
		}
		if text, err := callIn(late, t, set, tool, args); err != nil || !strings.Contains(text, "deadline") {
			t.Errorf("%s, late: %v, %q", tool, err, text)
		}
	}
}
