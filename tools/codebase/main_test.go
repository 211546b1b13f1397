package codebase

import (
	"context"
	"encoding/json"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/tree"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// call runs a tool over fsys as an agent does: validated, called, rendered. An error is rendered as its text.
func call(t testing.TB, fsys fs.FS, o *tree.Options, name, args string) (text string, err error) {
	t.Helper()
	return callAs(t, fsys, o, nil, name, args)
}

func callAs(t testing.TB, fsys fs.FS, o *tree.Options, as *Options, name, args string) (text string, err error) {
	t.Helper()
	set, err := tools.NewSet(Tools(tree.Open(fsys, o), as)...)
	if err != nil {
		t.Fatal(err)
	}
	return callIn(t.Context(), t, set, name, args)
}

func callIn(ctx context.Context, t testing.TB, set *tools.Set, name, args string) (string, error) {
	t.Helper()
	tool, ok := set.Lookup(name)
	if !ok {
		t.Fatalf("no tool %q", name)
	}
	if err := set.Validate(name, json.RawMessage(args)); err != nil {
		return err.Error(), err
	}
	v, err := tool.Call(ctx, json.RawMessage(args))
	if err != nil {
		return err.Error(), err
	}
	_, text := tools.Render(v)
	return text, nil
}

func newBox(fsys fs.FS, o *tree.Options) *toolbox { return &toolbox{Tree: tree.Open(fsys, o)} }

// smallTree is a tree with a bit of everything.
func smallTree() fstest.MapFS {
	fsys := fstest.MapFS{}
	for p, body := range map[string]string{
		"README.md":           "# Small\n\nA tree for tests.\n",
		"go.mod":              "module example.com/small\n",
		"src/main.go":         "package main\n\nimport \"fmt\"\n\n// main greets.\nfunc main() {\n\tfmt.Println(Greeting(\"you\"))\n}\n",
		"src/greet.go":        "package main\n\n// Greeting is what is said to name.\nfunc Greeting(name string) string {\n\treturn \"hello \" + name\n}\n\n// A Greeter greets.\ntype Greeter struct{ name string }\n\n// Greet greets.\nfunc (g *Greeter) Greet() string { return Greeting(g.name) }\n",
		"src/util/strings.go": "package util\n\nfunc Upper(s string) string { return s }\n",
		"lib/shapes.py":       "\"\"\"Shapes.\"\"\"\n\nSIDES = 4\n\n\nclass Square(Shape):\n    \"\"\"A square.\"\"\"\n\n    def area(self):\n        return self.side ** 2\n\n    def scale(\n        self,\n        by,\n    ):\n        self.side *= by\n\n\ndef unit():\n    return Square(1)\n",
		"data/crlf.txt":       "one\r\ntwo\r\nthree\r\n",
		"data/latin1.txt":     "caf\xe9\nplain\n",
		"data/utf16.txt":      "\xff\xfeh\x00i\x00\n\x00",
		"data/binary.bin":     "\x00\x01\x02hello",
		"data/empty.txt":      "",
		"data/long.txt":       strings.Repeat("0123456789", 500) + "needle" + strings.Repeat("abcdefghij", 500) + "\nsecond\n",
		"data/short.txt":      "key = AKIAABCDEFGHIJKLMNOP\nplain\n",
		".env":                "PASSWORD=hunter2\n",
		".env.example":        "PASSWORD=\n",
		".hidden/x.txt":       "hidden words\n",
		".gitignore":          "*.log\nout/\n",
		"debug.log":           "ignored words\n",
		"out/a.txt":           "ignored words\n",
		"server.pem":          "words\n",
		"weird\nname.txt":     "weird words\n",
	} {
		fsys[p] = &fstest.MapFile{Data: []byte(body)}
	}
	return fsys
}
