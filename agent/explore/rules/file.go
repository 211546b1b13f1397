package rules

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/explore/rules/internal/comments"
	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/testfile"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/search"
	"github.com/forayhq/foray/tools/symbols"
)

// below returns the next definition after a line, near enough for the line to belong to its documentation.
func (f *file) below(line int) (next symbol, ok bool) {
	for _, s := range f.symbols {
		if s.Start > line && s.Start <= line+docLines && (!ok || s.Start < next.Start) {
			next, ok = s, true
		}
	}
	return next, ok
}

// A file is what the results say about one file.
type file struct {
	path    string
	size    int         // bytes; 0: unknown
	counts  []int       // per word of the question: lines that contain it
	hits    map[int]hit // by line number
	lines   []hit       // hits, sorted after the last result
	symbols []symbol    // definitions, from its outline if it was outlined

	candidate *candidate // its place in the ranking of locate; nil: none
	prior     float64    // by locate or word counts, before its content counts
	factor    float64    // by the kind of file: 1 for code, less for others
	score     float64    // prior, plus the share of its best definition
}

// A hit is a line that a search found.
type hit = search.Match

// A symbol is a definition.
type symbol = codebase.Symbol

const maxNumber = 1_000_000_000 // larger numbers in a result are a mistake

func newSymbol(path, name, kind string, start, end int) symbol {
	return symbol{Path: path, Symbol: symbols.Symbol{Name: name, Kind: kind, Start: start, End: end}}
}

// isSymbol reports whether a result names a definition with its lines.
func isSymbol(s symbol) bool {
	return s.Path != "" && s.Name != "" && s.Start > 0 && s.End >= s.Start && s.End <= maxNumber
}

func (f *file) count(word, words, n int) {
	if f.counts == nil {
		f.counts = make([]int, words)
	}
	f.counts[word] = max(f.counts[word], n)
}

// add adds a definition, unless f already has it.
func (f *file) add(s symbol) {
	listed := slices.ContainsFunc(f.symbols, func(o symbol) bool { return o.Start == s.Start && o.Name == s.Name })
	if isSymbol(s) && !listed {
		f.symbols = append(f.symbols, s)
	}
}

// enclosing returns the innermost definition around a line.
func (f *file) enclosing(line int) (in symbol, ok bool) {
	for _, s := range f.symbols {
		if s.Start <= line && line <= s.End && (!ok || s.Depth >= in.Depth) {
			in, ok = s, true
		}
	}
	return in, ok
}

// define adds the definitions of f to byName: those of its outline, and hits outside of it that define something.
func (f *file) define(byName map[string][]symbol) {
	for _, s := range f.symbols {
		byName[lastPart(s.Name)] = append(byName[lastPart(s.Name)], s)
	}
	for _, h := range f.lines {
		if _, outlined := f.enclosing(h.Line); !outlined && defines(h) {
			name := lastPart(h.Symbol)
			s := newSymbol(f.path, h.Symbol, "", h.Line, h.Line)
			s.Signature = strings.TrimSpace(h.Text)
			byName[name] = append(byName[name], s)
		}
	}
}

// defines reports whether the line of a hit defines the symbol around it.
func defines(h hit) bool {
	name := lastPart(h.Symbol)
	if name == "" || !strings.Contains(h.Text, name) {
		return false
	}
	return comments.Definition.MatchString(h.Text) || memberLine(h.Text, name)
}

// coverage returns the share of the question's words in f, weighted by worth.
func (f *file) coverage(worths []float64, whole float64) float64 {
	if whole == 0 {
		return 1
	}
	sum := 0.0
	for i, n := range f.counts {
		if n > 0 {
			sum += worths[i]
		}
	}
	return sum / whole
}

// reason says why f, at index i of the ranking, is outlined.
func (f *file) reason(i int) string {
	if f.candidate == nil {
		return fmt.Sprintf("candidate %d by word counts", i+1)
	}
	return fmt.Sprintf("candidate %d by locate (%s)", f.candidate.place,
		line.Truncate(strings.Join(f.candidate.why, ", "), 80))
}

// A reading is a run of lines that read_file returned.
type reading struct {
	path, symbol string
	start        int
	lines        []string
}

func (r *reading) end() int { return r.start + len(r.lines) - 1 }

// line returns line n, and whether r contains it.
func (r *reading) line(n int) (string, bool) {
	if n < r.start || n > r.end() {
		return "", false
	}
	return r.lines[n-r.start], true
}

// A candidate is a file in the ranking of locate, with its best definitions.
type candidate struct {
	path      string
	place     int     // from 1
	score     float64 // as locate gives it
	sure      float64 // how likely it is right, as locate gives it
	why       []string
	functions []symbol // best first
	scores    []float64
}

func (c *candidate) add(s symbol, score float64) {
	if isSymbol(s) && !slices.ContainsFunc(c.functions, func(o symbol) bool { return o.Start == s.Start }) {
		c.functions = append(c.functions, s)
		c.scores = append(c.scores, score)
	}
}

// reading returns the lines that were read around line n of p, or nil.
func (e *evidence) reading(p string, n int) *reading {
	for i := range e.readings {
		r := &e.readings[i]
		if _, ok := r.line(n); ok && r.path == p {
			return r
		}
	}
	return nil
}

// line returns line n of p, if it was read, or if a search returned all of it.
func (e *evidence) line(p string, n int) (string, bool) {
	if r := e.reading(p, n); r != nil {
		return r.line(n)
	}
	if f := e.files[p]; f != nil {
		if h, ok := f.hits[n]; ok && !strings.Contains(h.Text, "…") {
			return h.Text, true
		}
	}
	return "", false
}

// Patterns of the files that count less than code, besides tests.
var (
	vendoredPath = lazyregexp.New(`(?:^|/)(?:vendor|vendored|_vendor|third_party|node_modules|dist|build|` +
		`generated)/|\.min\.\w+$|\.pb\.go$|_pb2\.py$|\.generated\.\w+$|_generated\.\w+$`)
	dependencyPath = lazyregexp.New(`(?:^|/)(?:deps|extern|externals?|3rdparty|thirdparty)/`)
	docPath        = lazyregexp.New(`(?i)\.(?:md|mdx|rst|txt|adoc|html?|tex|ipynb|po)$|(?:^|/)(?:docs?|examples?|` +
		`samples?|demos?|site|website)/|changelog|(?:^|/)(?:history|news|license|authors|notice)[^/]*$`)
	dataPath = lazyregexp.New(`(?i)\.(?:json|csv|tsv|svg|lock|sum|xml|css|scss|snap|out|dat|patch|map|jsonl|` +
		`ya?ml|toml|cfg|ini)$|(?:^|/)[^/]*lock[^/]*\.(?:json|ya?ml)$`)
	codeExtension = set(`
.go .py .pyi .pyx .js .jsx .mjs .cjs .ts .tsx .mts .cts .java .rs .c .h .cc .cpp .cxx .hh .hpp .hxx .inl .cs .rb .php
.kt .swift .scala .sh .vue .svelte .lua .ex .exs .erl .hs .ml .clj .dart .zig .nim .m .mm .pl .r .jl .sql .proto`)
)

const testFactor = .25 // of tests

// factor returns the factor of a file for its kind: 1 for code.
func (q *question) factor(p string) float64 {
	f := 1.0
	if testfile.Is(p) && !q.tests {
		f *= testFactor
	}
	if vendoredPath.MatchString(p) {
		f *= .3
	}
	if dependencyPath.MatchString(p) {
		f *= .5
	}
	switch {
	case q.docs:
	case docPath.MatchString(p):
		f *= .4
	case dataPath.MatchString(p):
		f *= .3
	}
	return f
}

func isCode(p string) bool { return codeExtension[strings.ToLower(path.Ext(p))] }
