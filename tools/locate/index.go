package locate

import (
	"math"
	"path"
	"slices"
	"strings"
)

// A File is a file of an index.
type File struct {
	Path  string
	Stats *Stats
}

// An Index is the files of one tree. It does not change once made and is safe for concurrent use.
type Index struct {
	files   []indexed
	history []Change
	average float64        // terms of a file
	chunk   float64        // terms of a chunk
	defined map[string]int // files that define a name
	byPath  map[string]int
	modules modules
	links   [][]int // by file, the files that it imports
	churn   []int   // by file, how many changes of the history it had
	named   float64 // words of the names of a file
}

type indexed struct {
	File
	path bag
	kind kind
}

// A Change is a commit of the history whose words are taken.
type Change struct {
	bag   bag
	Files []string
}

// NewChange takes the words of a commit.
func NewChange(message string, files []string) Change {
	var terms []term
	var s splitter
	raw := []byte(message)
	identifiers(raw, func(from, to int) { s.terms(raw[from:to], func(t term) { terms = append(terms, t) }) })
	return Change{bag: newBag(terms), Files: files}
}

// kind is what a file is by its path.
type kind int

const (
	source kind = iota
	test
	document
	data
)

// NewIndex makes an index of files, in the order of their paths, and of a history, the newest change first.
func NewIndex(files []File, history []Change) *Index {
	ix := &Index{history: history, defined: map[string]int{}, byPath: map[string]int{}}
	var total, chunks, names, n int
	var s splitter
	for i, f := range files {
		x := indexed{File: f, kind: kindOf(f.Path)}
		var terms []term
		raw := []byte(f.Path)
		identifiers(raw, func(from, to int) { s.terms(raw[from:to], func(t term) { terms = append(terms, t) }) })
		x.path = newBag(terms)
		ix.files = append(ix.files, x)
		ix.byPath[f.Path] = i
		total += f.Stats.bag.length
		names += f.Stats.names.length
		own := map[string]bool{}
		for _, c := range f.Stats.chunks {
			if c.bag.length > 0 {
				chunks += c.bag.length
				n++
			}
			if c.name != "" {
				own[last(c.name)] = true
			}
		}
		for name := range own {
			ix.defined[name]++
		}
	}
	ix.link()
	ix.named = float64(names) / float64(max(len(files), 1))
	ix.average = float64(total) / float64(max(len(files), 1))
	ix.chunk = float64(chunks) / float64(max(n, 1))
	return ix
}

// link resolves the imports and counts the changes of each file.
func (ix *Index) link() {
	ix.modules = newModules(ix.files)
	ix.links = make([][]int, len(ix.files))
	for f := range ix.files {
		seen := map[int]bool{f: true}
		for _, m := range ix.files[f].Stats.imports {
			for _, to := range ix.modules.resolve(ix.files[f].Path, m) {
				if !seen[to] {
					seen[to] = true
					ix.links[f] = append(ix.links[f], to)
				}
			}
		}
	}
	ix.churn = make([]int, len(ix.files))
	for _, c := range ix.history[:min(len(ix.history), 1000)] {
		for _, p := range c.Files {
			if f, ok := ix.byPath[p]; ok && len(c.Files) <= wide {
				ix.churn[f]++
			}
		}
	}
}

// wide is how many files a change has at most that says something about one of them.
const wide = 20

func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

var (
	documents = setOf(".md .rst .txt .adoc .tex .html .htm")
	sources   = setOf(`.py .pyx .pyi .pxd .go .ts .tsx .js .jsx .mjs .cjs .mts .cts .rs .java .c .h .cc .cpp .cxx .hpp .hh .cs .rb .php .kt .kts .swift .scala .sh .bash .m .mm .lua .pl .ex .exs .erl .hs .ml .clj .dart .r .jl .vue .svelte .proto .sql .zig`)
)

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
	return data
}

// isTest reports whether a path is that of a test by the habits of the languages.
func isTest(p string) bool {
	dir, base := path.Split(p)
	for d := range strings.SplitSeq(dir, "/") {
		switch d {
		case "test", "tests", "testing", "__tests__", "testdata", "spec", "specs":
			if d == "testing" {
				continue
			}
			return true
		}
	}
	name := strings.TrimSuffix(base, path.Ext(base))
	return strings.HasPrefix(name, "test_") || strings.HasSuffix(name, "_test") || strings.HasSuffix(name, "_tests") ||
		strings.HasSuffix(name, ".test") || strings.HasSuffix(name, ".spec") || name == "conftest" || name == "tests" || name == "test" ||
		strings.HasSuffix(name, "Test") && path.Ext(base) == ".java"
}

// k1 and b of BM25, by Robertson's defaults.
const (
	k1 = 1.2
	b  = 0.75
)

// bm25 is what one term that stands n times in a text of some length adds.
func bm25(n uint16, length int, average float64) float64 {
	tf := float64(n)
	return tf * (k1 + 1) / (tf + k1*(1-b+b*float64(length)/average))
}

// idf of a term that df of n texts hold.
func idf(df, n int) float64 {
	return math.Log(1 + (float64(n-df)+.5)/(float64(df)+.5))
}

// normalise divides by the maximum.
func normalise(v []float64) {
	if m := slices.Max(append(v, 0)); m > 0 {
		for i := range v {
			v[i] /= m
		}
	}
}

// Indexed reports whether a file of this name is one whose words are taken.
func Indexed(p string) bool {
	ext := strings.ToLower(path.Ext(p))
	return sources[ext] || documents[ext] || configs[ext]
}

var configs = setOf(".toml .cfg .ini .yaml .yml")
