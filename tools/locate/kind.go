package locate

import (
	"path"
	"slices"
	"strings"
)

// kind is what a file is by its path.
type kind int

const (
	source kind = iota
	test
	document
	config
)

// What is what, by the ending of a name.
var (
	sources = setOf(`.py .pyx .pyi .pxd .go .ts .tsx .js .jsx .mjs .cjs .mts .cts .rs .java .c .h .cc .cpp .cxx .hpp .hh .cs .rb
		.php .kt .kts .swift .scala .sh .bash .m .mm .lua .pl .pm .ex .exs .erl .hs .ml .clj .dart .r .jl .vue .svelte .proto .sql .zig`)
	documents = setOf(".md .rst .txt .adoc .tex .html .htm")
	configs   = setOf(".toml .cfg .ini .yaml .yml")
)

// Indexed reports whether the words of a file of this name are taken: source, documents and settings. The others are data.
func Indexed(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return sources[ext] || documents[ext] || configs[ext]
}

func kindOf(p string) kind {
	ext := strings.ToLower(path.Ext(p))
	switch {
	case isTest(p):
		return test
	case sources[ext]:
		return source
	case documents[ext]:
		return document
	}
	return config
}

var testFolders = []string{"test", "tests", "__tests__", "testdata", "spec", "specs"}

// isTest reports whether a path is that of a test, by the habits of the languages.
func isTest(p string) bool {
	dir, base := path.Split(p)
	for d := range strings.SplitSeq(dir, "/") {
		if slices.Contains(testFolders, d) {
			return true
		}
	}
	name := strings.TrimSuffix(base, path.Ext(base))
	if slices.Contains([]string{"conftest", "tests", "test"}, name) || strings.HasPrefix(name, "test_") {
		return true
	}
	return slices.ContainsFunc([]string{"_test", "_tests", ".test", ".spec"}, func(end string) bool { return strings.HasSuffix(name, end) }) ||
		path.Ext(base) == ".java" && strings.HasSuffix(name, "Test")
}

// packageFiles are the names of files that stand for their folder.
var packageFiles = []string{"/__init__", "/index", "/mod"}

// moduleOf is the module that a file is: its path without the ending, that of the folder for a file that stands for it.
func moduleOf(p string) string {
	m := strings.TrimSuffix(p, path.Ext(p))
	for _, name := range packageFiles {
		m = strings.TrimSuffix(m, name)
	}
	return m
}

func isPackage(p string) bool {
	return slices.ContainsFunc(packageFiles, func(name string) bool { return strings.HasSuffix(strings.TrimSuffix(p, path.Ext(p)), name) })
}

func setOf(list string) map[string]bool {
	set := make(map[string]bool)
	for _, s := range strings.Fields(list) {
		set[s] = true
	}
	return set
}
