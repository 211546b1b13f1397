package codebase

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what the tools print into the golden files")

// golden compares got with the file, or writes it.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// The definitions of a sample of a language, as outline tells them. The samples are those of tools/symbols.
func TestOutlineGolden(t *testing.T) {
	dir := os.DirFS("../symbols/testdata")
	for _, f := range []string{"sample.go", "sample.py"} {
		t.Run(f, func(t *testing.T) {
			text, err := call(t, dir, nil, "outline", `{"path":"`+f+`","depth":6}`)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("testdata/outline", f+".golden"), text)
		})
	}
}

// The text of every tool. Each file of the archive is a call: its name is the tool and the arguments.
func TestTextGolden(t *testing.T) {
	const file = "testdata/text.txtar"
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range a.Files {
		name, args, _ := strings.Cut(f.Name, " ")
		args, asJSON := strings.CutPrefix(args, "JSON ")
		text, _ := callAs(t, smallTree(), nil, &Options{JSON: asJSON}, name, args)
		text = strings.TrimSuffix(text, "\n") + "\n"
		if *update {
			a.Files[i].Data = []byte(text)
			continue
		}
		if diff := cmp.Diff(string(f.Data), text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.Name, diff)
		}
	}
	if *update {
		golden(t, file, string(txtar.Format(a)))
	}
}
