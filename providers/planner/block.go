package planner

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// A block is a definition, or lines of a file without definitions, with what of the question it holds.
type block struct {
	symbol
	score   float64
	covered float64 // share of the question's words that it holds, by worth
	inName  []int   // words in its name
	inDoc   []int   // words in its signature or documentation
	inBody  []int   // words in its lines
	ident   string  // the identifier of the question that it defines
	uses    string  // the identifier of the question that stands in it
	lines   []int   // of hits, in order
}

// Weights of where a word of the question stands in a block.
const (
	inNameWeight  = 2.5
	inOwnerWeight = 1.0
	inDocWeight   = 1.4
	inBodyWeight  = .6
	inBodyMore    = .15 // each further line, up to three
	fileShare     = .25 // of the file's score, for each of its blocks
	longBlock     = 300 // lines from which a block counts half
	valueFactor   = .6  // of a constant or variable
	nearLines     = 12  // hits at most so far apart make one block where there are no definitions
)

// blocks finds the blocks of files and returns them, best first.
func (e *evidence) blocks(q *question, files []*file) []*block {
	worths, whole := e.worths(q)
	var all []*block
	for _, f := range files {
		for _, b := range f.blocks() {
			b.weigh(q, f, worths, whole)
			if b.score > 0 {
				all = append(all, b)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *block) int { return cmp.Compare(b.score, a.score) })
	return all
}

// blocks are the definitions of f with the hits in each, innermost first served.
func (f *file) blocks() []*block {
	var all []*block
	byStart := make(map[int]*block)
	for _, s := range f.symbols {
		b := &block{symbol: s}
		byStart[s.start*16+s.depth%16] = b
		all = append(all, b)
	}
	var loose []hit
	for _, h := range f.lines() {
		if s, ok := f.enclosing(h.line); ok {
			b := byStart[s.start*16+s.depth%16]
			b.lines = append(b.lines, h.line)
		} else {
			loose = append(loose, h)
		}
	}
	return append(all, f.windows(loose)...)
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

// weigh scores a block.
func (b *block) weigh(q *question, f *file, worths []float64, whole float64) {
	covered, score := 0.0, 0.0
	for i, w := range q.words {
		n := b.count(f, w)
		here := math.Min(float64(n), 1)*inBodyWeight + math.Max(0, math.Min(float64(n-1), 3))*inBodyMore
		switch {
		case w.re.MatchString(lastPart(b.name)):
			b.inName = append(b.inName, i)
			here += inNameWeight
		case w.re.MatchString(b.signature), w.re.MatchString(b.doc):
			b.inDoc = append(b.inDoc, i)
			here += inDocWeight
		case n > 0:
			b.inBody = append(b.inBody, i)
		}
		if w.re.MatchString(ownerOf(b.name)) {
			here += inOwnerWeight
		}
		if here > 0 {
			covered += worths[i]
		}
		score += worths[i] * here
	}
	if whole > 0 {
		b.covered = covered / whole
	}
	score *= .3 + .7*b.covered*b.covered
	score /= 1 + float64(b.end-b.start)/longBlock
	if b.kind == "const" || b.kind == "var" || b.name == "" {
		score *= valueFactor
	}
	score += b.named(q, f)
	if score > 0 {
		b.score = score*q.factor(f.path) + fileShare*f.score*math.Max(b.covered, .1)
	}
}

// count is how many lines of b hold w.
func (b *block) count(f *file, w word) (n int) {
	for _, l := range b.lines {
		if w.re.MatchString(f.hits[l].text) {
			n++
		}
	}
	return n
}

// named scores the identifiers of the question in b.
func (b *block) named(q *question, f *file) (score float64) {
	for _, id := range q.idents {
		if b.name != "" && id.names(b.name) {
			b.ident = id.text
			score += identDefined
			continue
		}
		n := 0
		for _, l := range b.lines {
			if id.re.MatchString(f.hits[l].text) {
				n++
			}
		}
		if n > 0 {
			b.uses = id.text
			score += identStands * math.Log1p(float64(min(n, 5)))
		}
	}
	return score
}

// why names the evidence for b in a few words.
func (b *block) why(q *question) string {
	var parts []string
	list := func(words []int) string {
		names := make([]string, len(words))
		for i, w := range words {
			names[i] = q.words[w].text
		}
		return strings.Join(names, ", ")
	}
	if b.ident != "" {
		parts = append(parts, "defines "+b.ident)
	}
	if b.uses != "" {
		parts = append(parts, "uses "+b.uses)
	}
	for _, s := range []struct {
		where string
		words []int
	}{{"name: ", b.inName}, {"signature or doc: ", b.inDoc}, {"body: ", b.inBody}} {
		if len(s.words) > 0 {
			parts = append(parts, s.where+list(s.words))
		}
	}
	return strings.Join(parts, "; ")
}

// confidence is a rule of thumb, not a measured probability: high when a name of the question is defined here or its
// words stand together in name and documentation, low when little of it does.
func (b *block) confidence() float64 {
	switch {
	case b.ident != "", b.covered >= .85 && len(b.inName) > 0 && len(b.inName)+len(b.inDoc) > 1:
		return .8
	case b.covered >= .6 && len(b.inName)+len(b.inDoc) > 0, b.uses != "":
		return .5
	case b.covered >= .35:
		return .3
	default:
		return .1
	}
}
