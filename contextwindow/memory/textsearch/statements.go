package textsearch

import (
	"slices"
	"strings"
	"time"
)

// A Wording is a text as the built-in embedder sees it: a sparse vector whose dimensions are stems, pairs of characters
// and days, and, weighing less, single characters and pairs of words. It needs no model and no download, is made anew
// when memories are read, and is the same on every machine.
type Wording struct {
	terms  []string // weigh 1
	lesser []string // weigh characterWeight
}

// ReadStatement reads a text that was written at a time, which its "yesterday" is told from; zero: it is not understood. That it is
// about the user goes without saying.
func ReadStatement(text string, at time.Time) Wording {
	said := Words(strings.ReplaceAll(text, "用户", " "))
	w := Wording{lesser: characters(said)}
	w.terms = slices.DeleteFunc(termsOf(said), func(t string) bool { return t == "user" })
	for i := 1; i < len(w.terms); i++ {
		w.lesser = append(w.lesser, w.terms[i-1]+" "+w.terms[i])
	}
	c := calendar{}
	if !at.IsZero() {
		c.years, c.on = [2]int{at.Year(), at.Year()}, dayOf(at)
	}
	for _, d := range c.find(text, said) {
		if d.first == d.last {
			w.terms = append(w.terms, "@"+time.Unix(int64(d.first)*24*60*60, 0).UTC().Format(time.DateOnly))
		}
	}
	return w
}

// covering is how far occurrences cover a term. One in a statement of average length covers it.
var covering = BM25{K1: .5, B: .3}

// unseen is what share of a rare term's weight a term has that no memory says: a question is often worded otherwise, and
// its other words must not count for nothing.
const unseen = .35

// others is how many memories are thought to be there beside those that are, so that with few of them what two share is
// not taken for what all say.
const others = 20

// negligible is the weight below which a term is not looked up: nearly every memory says it.
const negligible = .02

// A common word (words/common.txt) is thought to be in this share of all memories at least, and counts so much less where it
// is all that a memory says of a question that says more.
const (
	commonShare = .4
	commonAlone = .3
)

// Covered returns how much of a text each document says, from 0 to 1: BM25 with saturation capped at one occurrence, as a
// share of what saying all of it would give.
func (p *Statements) Covered(w Wording) []float32 {
	asked := query(w.terms, w.lesser)
	telling := func(a weighted) bool { return a.weight == 1 && !words().common[a.term] }
	slices.SortStableFunc(asked, func(a, b weighted) int { // what tells first, so that it is known who says any of it
		switch {
		case telling(a) == telling(b):
			return 0
		case telling(a):
			return -1
		}
		return 1
	})
	alone := slices.ContainsFunc(asked, telling)
	sums := make([]float32, len(p.lengths))
	best := make([]float32, len(p.lengths)) // of one term, by whichever word answers it best
	var touched []int32
	n, total := float64(len(p.lengths)+others), 0.0
	average := p.total / max(float64(len(p.lengths)), 1)
	for _, a := range asked {
		common := words().common[a.term]
		answers, having := p.answers(a.term)
		if common {
			having = max(having, commonShare*n)
		}
		if len(answers) == 0 {
			if !common {
				having = 1
			}
			total += unseen * a.weight * Rarity(n, having)
			continue
		}
		weight := a.weight * Rarity(n, having)
		total += weight
		if weight < negligible {
			continue
		}
		for _, s := range answers {
			for _, at := range p.lists[s.term] {
				full := covering.Weight(float64(at.count), p.lengths[at.document], average)
				if best[at.document] == 0 {
					touched = append(touched, at.document)
				}
				best[at.document] = max(best[at.document], float32(s.share*min(full, 1)))
			}
		}
		for _, d := range touched {
			if common && alone && sums[d] == 0 {
				best[d] *= commonAlone
			}
			sums[d] += float32(weight) * best[d]
			best[d] = 0
		}
		touched = touched[:0]
	}
	if total > 0 {
		for i := range sums {
			sums[i] /= float32(total)
		}
	}
	return sums
}

// Alike returns how much two texts say the same, from 0 to 1: the harmonic mean of how much each says of the other's
// terms, by their rarity among the documents.
func (p *Statements) Alike(a, b Wording) float64 {
	there, back := p.share(a, b), p.share(b, a)
	if there+back == 0 {
		return 0
	}
	return 2 * there * back / (there + back)
}

// restated is what a word counts that says in one statement what another does in the other.
const restated = .8

// share returns how much of a's terms b says.
func (p *Statements) share(a, b Wording) float64 {
	said, all := 0.0, 0.0
	n := float64(len(p.lengths) + others)
	for _, t := range query(a.terms, a.lesser) {
		weight := t.weight * Rarity(n, float64(len(p.lists[t.term])))
		all += weight
		if slices.Contains(b.terms, t.term) || slices.Contains(b.lesser, t.term) {
			said += weight
			continue
		}
		for _, s := range words().answered[t.term] {
			if slices.Contains(b.terms, s.term) {
				said += weight * restated
				break
			}
		}
	}
	return said / max(all, 1e-9)
}

// Statements are short texts, searched by how much of a question each says.
type Statements struct{ postings }

// Add takes the next statement.
func (p *Statements) Add(w Wording) { p.add(w.terms, w.lesser) }
