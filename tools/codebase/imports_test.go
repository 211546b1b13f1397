package codebase

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestIsImport: no line is an import only to the regexp, in the sources of this module and those that the tests of
// package symbols read.
func TestIsImport(t *testing.T) {
	imported := 0
	check := func(text []byte) {
		for l := range bytes.Lines(text) {
			l = bytes.TrimRight(l, "\n")
			want := imports.Match(l)
			if got := isImport(l); got != want {
				t.Errorf("%q: %v, want %v", l, got, want)
			}
			if want {
				imported++
			}
		}
	}
	for _, pattern := range []string{"*.go", "testdata/*", "../symbols/testdata/*", "../search/*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if text, err := os.ReadFile(name); err == nil {
				check(text)
			}
		}
	}
	check([]byte("  #  include <a>\n# import b\nexport type { A } from 'a'\nexport { b }\nexport const c = 1\npub use d::e;\n" +
		"extern crate f\nlet { g } = require('g')\nvar h=require\nlet i = 1\n\tconst j = 2\nrequire_relative 'k'\n\fusing l;\n"))
	if imported < 50 {
		t.Errorf("only %d imports", imported)
	}
}

// TestBeginsLikeAnImport: a statement may begin with a name that begins like a word for imports, or with that word as a
// name.
func TestBeginsLikeAnImport(t *testing.T) {
	for text, want := range map[string]bool{
		"user.save()": false, "require.Equal(t, 1, f())": false, "used := f(x)": false, "important(x)": false,
		"fromCache(f)": false, "includes(a)": false, "use.f()": false, "import(\"x\")": true, "import {": true,
		"require('x')": true, "require \"x\"": true, "from a import b": true, "use App\\Models;": true, "import x": true,
	} {
		if got := isImport([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
