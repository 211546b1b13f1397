package rules

import (
	"cmp"
	"github.com/forayhq/foray/agent/explore/rules/internal/comments"
	"math"
	"slices"
	"strings"
)

// A block is a definition, or a run of lines outside all definitions, with the parts of the question that occur in it.
type block struct {
	symbol
	score   float64 // by the parts of the question in it
	prior   float64 // by locate
	own     float64 // score and prior combined, without its file
	rank    float64 // own, plus the prior of its file
	covered float64 // share of the question's words in it, weighted by worth
	proof   float64 // covered, reduced for words found only in the body, and for files other than code
	inName  []int   // indexes of the words in its name
	inDoc   []int   // indexes of the words in its signature or documentation
	inBody  []int   // indexes of the words in its lines
	ident   string  // identifier of the question that it defines
	uses    string  // identifier of the question that it uses
	lines   []int   // numbers of the lines with hits, in order
	factor  float64 // factor of its file
}

// Weights and factors of a block, mostly by where it contains a word or identifier of the question.
const (
	identDefined  = 12.0 // an identifier of the question is defined here
	identForwards = 6.0  // off for a function of one line: mostly it passes on to another of that name
	identUsed     = 2.0  // an identifier of the question occurs here
	identWhole    = 6.0  // it does with what qualifies it, as repr.number
	inNameWeight  = 2.5
	inOwnerWeight = 1.0
	inDocWeight   = 1.4
	inBodyWeight  = .6
	inBodyMore    = .15 // for each further line, up to three
	longBlock     = 300 // lines at which a block counts half
	shortBlock    = 8   // lines below which a block is only a declaration
	shortFactor   = .7  // factor of a block of one line
	phraseName    = 1.5 // a phrase of the question in its name
	phraseBody    = .8  // a phrase in its documentation or lines
	howFactor     = .8  // factor of anything but a function, if the question asks how
	plainFactor   = .7  // factor of a definition with a name like String or Get
	densityWeight = .5  // weight of [block.density]
	docProof      = .9  // proof by a word in the signature or documentation, against 1 in the name
	bodyProof     = .6  // proof by a word in the body
	otherProof    = .5  // least factor of a proof in files other than code
	nearLines     = 12  // hits outside definitions form one block if they are no farther apart
)

// kindFactors are the factors of short definitions by kind, against 1 for a function. Lines outside all definitions
// have no kind.
var kindFactors = map[string]float64{
	"const": .6, "var": .6, "": .6, "macro": .8, "module": .5, "type": .85, "struct": .85, "interface": .85, "enum": .85,
	"impl": .7,
}

// blocks returns the definitions of f, with each hit assigned to the innermost one around it, and the blocks of the
// other hits.
func (f *file) blocks() []*block {
	var all []*block
	byStart := make(map[int]*block)
	for _, s := range f.symbols {
		b := &block{symbol: s}
		byStart[s.Start*16+s.Depth%16] = b
		all = append(all, b)
	}
	var loose []hit
	for _, h := range f.lines {
		s, ok := f.enclosing(h.Line)
		if !ok && comments.Is(h.Text) {
			s, ok = f.below(h.Line)
		}
		if ok {
			b := byStart[s.Start*16+s.Depth%16]
			b.lines = append(b.lines, h.Line)
		} else {
			loose = append(loose, h)
		}
	}
	return append(all, f.windows(loose)...)
}

// weigh scores a block: by the words and phrases in it, scaled by their coverage, its shape and its file, plus its
// identifiers.
func (b *block) weigh(q *question, f *file, worths []float64, whole float64) {
	b.factor = f.factor
	score := b.wordScore(q, f, worths) + b.phraseScore(q, f, worths)
	if whole > 0 {
		b.covered, b.proof = b.covered/whole, b.proof/whole*math.Max(f.factor, otherProof)
	}
	if len(b.inName) > 1 {
		score *= 1 + densityWeight*b.density(q)
	}
	score *= .3 + .7*b.covered*b.covered
	score *= b.shape(q)
	score += b.identScore(q, f)
	if score > 0 {
		b.score = score * f.factor
	}
}

// wordScore scores the words of the question in b, and adds their worth to covered and proof.
func (b *block) wordScore(q *question, f *file, worths []float64) (score float64) {
	for i, w := range q.words {
		n := b.count(f, w)
		here := math.Min(float64(n), 1)*inBodyWeight + math.Max(0, math.Min(float64(n-1), 3))*inBodyMore
		switch {
		case w.in(lastPart(b.Name)):
			b.inName = append(b.inName, i)
			here += inNameWeight * w.sameness(b.Name)
			b.proof += worths[i]
		case w.inCode(b.Signature), w.in(b.Doc), b.commented(f, w):
			b.inDoc = append(b.inDoc, i)
			here += inDocWeight
			b.proof += worths[i] * docProof
		case n > 0:
			b.inBody = append(b.inBody, i)
			b.proof += worths[i] * bodyProof
		}
		if w.in(ownerOf(b.Name)) {
			here += inOwnerWeight
		}
		if here > 0 {
			b.covered += worths[i]
		}
		score += worths[i] * here
	}
	return score
}

// commented reports whether w is in the comment above b.
func (b *block) commented(f *file, w word) bool {
	return slices.ContainsFunc(b.lines, func(l int) bool { return l < b.Start && w.in(f.hits[l].Text) })
}

// shape returns the factor of b for its form. Long and very short blocks, tests, and common names like String count
// less; so does anything but a function, if the question asks how.
func (b *block) shape(q *question) float64 {
	lines := float64(b.End - b.Start)
	s := min(1, shortFactor+(1-shortFactor)*lines/shortBlock) / (1 + lines/longBlock)
	if b.Name == "" || lines < shortBlock {
		s *= cmp.Or(kindFactors[b.Kind], 1)
	}
	if q.how && b.Kind != "func" && b.Kind != "method" && b.Kind != "definition" {
		s *= howFactor
	}
	if plainNames[lastPart(b.Name)] {
		s *= plainFactor
	}
	if testName.MatchString(b.Name) && !q.tests {
		s *= testFactor
	}
	return s
}

// phraseScore scores the phrases of the question in b.
func (b *block) phraseScore(q *question, f *file, worths []float64) (score float64) {
	for _, p := range q.phrases {
		worth := worths[p.first] + worths[p.second]
		switch {
		case p.in(lastPart(b.Name)):
			score += worth * phraseName
		case p.in(b.Doc), slices.ContainsFunc(b.lines, func(l int) bool { return p.in(f.hits[l].Text) }):
			score += worth * phraseBody
		}
	}
	return score
}

// density returns the share of the parts of b's name that are words of the question.
func (b *block) density(q *question) float64 {
	parts, n := identParts(lastPart(b.Name)), 0
	for _, p := range parts {
		if slices.ContainsFunc(b.inName, func(i int) bool { return q.words[i].in(p) }) {
			n++
		}
	}
	return float64(n) / float64(max(len(parts), 1))
}

// count returns how many lines of b contain w.
func (b *block) count(f *file, w word) (n int) {
	for _, l := range b.lines {
		if w.inCode(f.hits[l].Text) {
			n++
		}
	}
	return n
}

// identScore scores the identifiers of the question in b, and notes which it defines or uses.
func (b *block) identScore(q *question, f *file) (score float64) {
	for _, id := range q.idents {
		if b.Name != "" && id.names(b.Name) {
			b.ident = id.text
			score += identDefined
			if b.End == b.Start && (b.Kind == "func" || b.Kind == "method") {
				score -= identForwards
			}
			continue
		}
		n, whole := 0, false
		for _, l := range b.lines {
			if id.re.MatchString(f.hits[l].Text) {
				n++
				whole = whole || strings.Contains(f.hits[l].Text, id.text)
			}
		}
		switch {
		case whole && id.text != id.last:
			b.uses = id.text
			score += identWhole
		case n > 0:
			b.uses = id.last
		}
		if n > 0 {
			score += identUsed * math.Log1p(float64(min(n, 5)))
		}
	}
	return score
}

// windows makes blocks of the hits outside the outlined definitions: one per symbol that search names, or else one per
// run of near lines.
func (f *file) windows(hits []hit) []*block {
	var all []*block
	for _, h := range hits {
		last := len(all) - 1
		if last >= 0 && all[last].Name == h.Symbol && (h.Symbol != "" || h.Line-all[last].End <= nearLines) {
			all[last].End = h.Line
			all[last].lines = append(all[last].lines, h.Line)
			continue
		}
		all = append(all, &block{symbol: newSymbol(f.path, h.Symbol, "", h.Line, h.Line), lines: []int{h.Line}})
	}
	return all
}
