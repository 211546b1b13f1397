package rules

import (
	"fmt"
	"slices"
	"strings"
)

// below is the definition that begins next behind a line, near enough for the line to belong to its documentation.
func (f *file) below(line int) (next symbol, ok bool) {
	for _, s := range f.symbols {
		if s.start > line && s.start <= line+docLines && (!ok || s.start < next.start) {
			next, ok = s, true
		}
	}
	return next, ok
}

// windows makes blocks of hits outside of all definitions that are known: by their symbol, else by nearness.
func (f *file) windows(hits []hit) []*block {
	var all []*block
	for _, h := range hits {
		last := len(all) - 1
		if last >= 0 && all[last].name == h.symbol && (h.symbol != "" || h.line-all[last].end <= nearLines) {
			all[last].end = h.line
			all[last].lines = append(all[last].lines, h.line)
			continue
		}
		all = append(all, &block{symbol: symbol{path: f.path, name: h.symbol, start: h.line, end: h.line}, lines: []int{h.line}})
	}
	return all
}

// A file is what is known of one file.
type file struct {
	path    string
	size    int   // bytes; 0: not known
	counts  []int // lines with each word
	hits    map[int]hit
	lines   []hit    // hits by line, once all are gathered
	symbols []symbol // from its outline

	candidate *candidate // nil: locate does not name it
	prior     float64    // of the ranking of the tree, before anything of it was read
	factor    float64    // by how much it counts less for what it is
	score     float64
}

// A hit is a line that a search found.
type hit struct {
	line   int
	symbol string
	text   string
}

// A symbol is a definition.
type symbol struct {
	path, name, kind, signature, doc string
	start, end, depth                int
}

func (f *file) count(word, words, n int) {
	if f.counts == nil {
		f.counts = make([]int, words)
	}
	f.counts[word] = max(f.counts[word], n)
}

func (f *file) hit(m object) {
	if n := m.number("line"); n > 0 {
		f.hits[n] = hit{n, m.text("symbol"), m.text("text")}
	}
}

// add takes up a definition, once.
func (f *file) add(s symbol) {
	known := slices.ContainsFunc(f.symbols, func(o symbol) bool { return o.start == s.start && o.name == s.name })
	if s.path != "" && s.name != "" && s.start > 0 && s.end >= s.start && !known {
		f.symbols = append(f.symbols, s)
	}
}

// enclosing is the innermost symbol of the outline around a line.
func (f *file) enclosing(line int) (in symbol, ok bool) {
	for _, s := range f.symbols {
		if s.start <= line && line <= s.end && (!ok || s.depth >= in.depth) {
			in, ok = s, true
		}
	}
	return in, ok
}

// define adds the definitions of f, those of its outline and those that a search found outside of it.
func (f *file) define(byName map[string][]symbol) {
	for _, s := range f.symbols {
		byName[lastPart(s.name)] = append(byName[lastPart(s.name)], s)
	}
	for _, h := range f.lines {
		if _, outlined := f.enclosing(h.line); !outlined && h.defines() {
			name := lastPart(h.symbol)
			byName[name] = append(byName[name], symbol{path: f.path, name: h.symbol, start: h.line, end: h.line, signature: strings.TrimSpace(h.text)})
		}
	}
}

// defines reports whether the line of a hit defines the symbol that it stands in.
func (h hit) defines() bool {
	name := lastPart(h.symbol)
	if name == "" || !strings.Contains(h.text, name) {
		return false
	}
	return definition.MatchString(h.text) || memberLine(h.text, name)
}

// coverage is the share of the question's words that f holds, by what they are worth.
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

// standing says why a candidate is looked into.
func (f *file) standing(i int) string {
	if f.candidate == nil {
		return fmt.Sprintf("candidate %d by its words", i+1)
	}
	return fmt.Sprintf("candidate %d by locate (%s)", f.candidate.place, clip(strings.Join(f.candidate.why, ", "), 80))
}
