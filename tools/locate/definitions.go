package locate

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/lazyregexp"
	"github.com/forayhq/foray/internal/textsearch"
)

// A ranker ranks the definitions of a whole tree for a question, wherever their files rank. [Result.Lookup] makes it.
// It does not change and is safe for concurrent use.
type ranker struct {
	ix       *Index
	lookup   *lookup
	idf      []float64 // of the terms of lookup, among definitions
	counts   [][][]hit // by file and chunk
	average  float64   // length of a definition, in terms
	quantity bool      // the question asks for a number
}

// Weights of the words of a definition by where they are: in its name, in the documentation above it, in its body once.
const (
	inName = 3
	inDoc  = 2
)

// Factors of the score of a definition.
const (
	asideFactor    = .5  // in an example, a benchmark or generated code
	quantityFactor = 1.5 // a constant or variable with a number, if the question asks for one
)

// asksQuantity matches a question whose answer is a number.
var asksQuantity = lazyregexp.New(`(?i)\bhow (?:long|many|much|often|big|large|far|fast|high|old|deep|soon|wide)\b|` +
	`\b(?:at most|at least|maximum|minimum|limit|upper|default|number of)\b`)

// Lookup prepares a ranking of all definitions for a question and for other words that mean the same, which count as
// much. It uses the index of the call that made the result. Its Definitions are the k best, and its Line says how well
// a line matches.
func (r *Result) Lookup(question, words string) *ranker {
	ix := r.index
	if ix == nil {
		ix = NewIndex(nil, nil) // the result was not made by the tool
	}
	asked := newLookup(wordsOf(question + "\n" + words).terms)
	q := &ranker{ix: ix, lookup: asked, quantity: asksQuantity.MatchString(question)}
	q.counts = make([][][]hit, len(q.ix.files))
	df := make([]int, len(q.lookup.terms))
	total, length := 0, 0
	for f := range q.ix.files {
		if q.ix.files[f].kind != source {
			continue
		}
		chunks := q.ix.files[f].Stats.chunks
		q.counts[f] = make([][]hit, len(chunks))
		whole := q.ix.files[f].Stats.bag.hits(q.lookup)
		for c := range chunks {
			if chunks[c].name == "" {
				continue
			}
			total++
			length += chunks[c].length()
			q.counts[f][c] = chunks[c].hits(whole, q.lookup)
			for _, h := range q.counts[f][c] {
				df[h.at]++
			}
		}
	}
	q.average = max(float64(length)/float64(max(total, 1)), 1)
	for _, n := range df {
		q.idf = append(q.idf, idf(n, total))
	}
	return q
}

// Definitions returns the best k definitions, in all files but tests, by the words of their names, of the documentation
// above them and of their bodies. Equals come by path and line.
func (q *ranker) Definitions(k int) []function {
	var out []function
	for f := range q.counts {
		file := &q.ix.files[f]
		for c, hits := range q.counts[f] {
			if len(hits) == 0 {
				continue
			}
			ch := &file.Stats.chunks[c]
			score := ch.fit(hits, q.idf, q.average)
			if file.aside > 0 {
				score *= asideFactor
			}
			if q.quantity && ch.number {
				score *= quantityFactor
			}
			out = append(out, function{Path: file.Path, Symbol: ch.name, Kind: ch.kind, Start: ch.start, End: ch.end, Score: score})
		}
	}
	slices.SortStableFunc(out, func(a, b function) int { return cmp.Compare(b.Score, a.Score) })
	return out[:min(k, len(out))]
}

// Line returns how much a line has of what is looked for: the sum of the rarities of its distinct words.
func (q *ranker) Line(line string) float64 {
	var seen []int
	sum := 0.0
	namesOf([]byte(line), func(t term) {
		if at, found := q.lookup.find(t); found && !slices.Contains(seen, at) {
			seen = append(seen, at)
			sum += q.idf[at]
		}
	})
	return sum
}

// fit returns how well a definition with some hits fits, by the weights of the terms. One with many of the words comes
// before one with a few of them often.
func (ch *chunk) fit(hits []hit, weights []float64, average float64) float64 {
	score, covered := 0.0, 0.0
	for _, h := range hits {
		score += weights[h.at] * bm25Weight(h.n, ch.length(), average)
		covered += weights[h.at]
	}
	return score * math.Sqrt(covered)
}

// length is how many terms a definition and its documentation have.
func (ch *chunk) length() int { return ch.bag.length() + ch.doc.length() }

// hits counts the terms of l in a definition, weighed by where they are. whole are those of its file.
func (ch *chunk) hits(whole []hit, l *lookup) []hit {
	var hits []hit
	add := func(i int, n uint16) {
		at := slices.IndexFunc(hits, func(h hit) bool { return h.at == i })
		if at < 0 {
			at = len(hits)
			hits = append(hits, hit{at: i})
		}
		hits[at].n += n
	}
	ch.bag.each(whole, add)
	ch.doc.each(whole, func(i int, n uint16) { add(i, inDoc*n) })
	namesOf([]byte(lastPart(ch.name)), func(t term) {
		if at, found := l.find(t); found {
			add(at, inName)
		}
	})
	return hits
}

// namesOf calls emit for the terms of all names in a text.
func namesOf(text []byte, emit func(term)) {
	var sp splitter
	textsearch.Names(text, func(from, to int) { sp.terms(text[from:to], emit) })
}

// maxDocLines is how many lines of documentation above a definition count.
const maxDocLines = 80

// literal matches a number in a line of code, but none in a name.
var literal = lazyregexp.New(`[=:({*,\[<\s]\.?\d`)

// document collects the words of the comment above each definition, and notes which constants have a number.
func (m *measurer) document(text []byte) {
	lines := bytes.Split(text, []byte("\n"))
	for i := range m.stats.chunks {
		ch := &m.stats.chunks[i]
		if ch.name == "" || ch.end > len(lines) {
			continue
		}
		ch.number = (ch.kind == "const" || ch.kind == "var") && slices.ContainsFunc(lines[ch.start-1:ch.end], literal.Match)
		var terms []term
		for at := ch.start - 2; at >= 0 && at > ch.start-2-maxDocLines && isComment(lines[at]); at-- {
			namesOf(lines[at], func(t term) { terms = append(terms, t) })
		}
		ch.doc = newPart(terms, m.whole)
	}
}

// isComment reports whether a line is a comment or an annotation of what follows, in most languages.
func isComment(line []byte) bool {
	l := strings.TrimSpace(string(line))
	return slices.ContainsFunc(commentMarks, func(mark string) bool { return strings.HasPrefix(l, mark) })
}

var commentMarks = []string{"//", "# ", "/*", "*", "--", "@", "#["}
