package textsearch

import (
	"slices"
	"strings"
	"time"
)

// Statements are short texts such as memories, searched by how much of a question each says. Any number of searches may
// run side by side, but none beside [Statements.Add] or [Statements.Keep]. The zero Statements is empty.
type Statements struct {
	said     postings
	wordings []wording
}

// Add takes the next statement. At is when it was made, which its "yesterday" counts from; if it is zero, relative days
// are not understood.
func (s *Statements) Add(text string, at time.Time) { s.add(word(text, at)) }

func (s *Statements) add(w wording) {
	s.said.add(w.terms, w.lesser)
	s.wordings = append(s.wordings, w)
}

// Keep drops the statements for which keep returns false. The others are renumbered in the same order.
func (s *Statements) Keep(keep func(i int) bool) {
	var kept Statements
	for i, w := range s.wordings {
		if keep(i) {
			kept.add(w)
		}
	}
	*s = kept
}

// A wording is a text as a sparse vector. Its dimensions are stems, pairs of characters and days, and with less weight
// single characters and pairs of words.
type wording struct {
	terms  []string // weigh 1
	lesser []string // weigh characterWeight
}

// word parses a text. It leaves out the word "user": every statement is about the user.
func word(text string, at time.Time) wording {
	said := Words(strings.ReplaceAll(text, "用户", " "))
	w := wording{lesser: characters(said)}
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

const (
	// unseenShare is what share of a rare term's weight a term has that no statement says. Questions are often worded
	// otherwise, and their other words must not count for nothing.
	unseenShare = .35
	// extraStatements are counted beside those that are there, so that among few statements a term that two share is not
	// taken for one that all share.
	extraStatements = 20
	// negligible is the weight below which a term is not looked up: nearly every statement says it.
	negligible = .02
	// commonShare is the share of all statements that are taken to say a common word (words/common.txt), at least.
	commonShare = .4
	// commonAlone is how much less a common word counts if it is all that a statement shares with a question that has
	// other words too.
	commonAlone = .3
)

// covering is how occurrences cover a term: one in a statement of average length covers it.
var covering = BM25{K1: .5, B: .3}

// Covered returns how much of a question each statement says, from 0 to 1: the BM25 of its terms, each capped at one
// occurrence, relative to a statement that says all of them. At is when the question is asked.
func (s *Statements) Covered(question string, at time.Time) []float32 {
	c := newCoverage(s, word(question, at))
	for _, a := range c.asked {
		c.add(a)
	}
	if c.total > 0 {
		for i := range c.sums {
			c.sums[i] /= float32(c.total)
		}
	}
	return c.sums
}

// A coverage is a question on its way to its scores.
type coverage struct {
	said     *postings
	asked    []weighted
	specific bool // the question has words that are not common
	all      float64
	average  float64 // length of a statement
	total    float64 // weight of what was asked so far

	sums    []float32
	best    []float32 // of the term at hand, by whichever word answers it best
	touched []int32   // the statements that best is set for
}

func newCoverage(s *Statements, w wording) *coverage {
	n := len(s.said.lengths)
	c := &coverage{
		said: &s.said, asked: query(w.terms, w.lesser), all: float64(n + extraStatements),
		average: s.said.total / max(float64(n), 1), sums: make([]float32, n), best: make([]float32, n),
	}
	specific := func(a weighted) bool { return a.weight == 1 && !words().common[a.term] }
	c.specific = slices.ContainsFunc(c.asked, specific)
	slices.SortStableFunc(c.asked, func(a, b weighted) int { // specific terms first: add looks whether a statement has any
		switch {
		case specific(a) == specific(b):
			return 0
		case specific(a):
			return -1
		}
		return 1
	})
	return c
}

// add adds to the scores of the statements that answer a term.
func (c *coverage) add(a weighted) {
	common := words().common[a.term]
	answers, having := c.said.answers(a.term)
	if common {
		having = max(having, commonShare*c.all)
	}
	if len(answers) == 0 {
		if !common {
			having = 1
		}
		c.total += unseenShare * a.weight * Rarity(c.all, having)
		return
	}
	weight := a.weight * Rarity(c.all, having)
	c.total += weight
	if weight < negligible {
		return
	}
	for _, answer := range answers {
		for _, p := range c.said.lists[answer.term] {
			d := p.document
			if c.best[d] == 0 {
				c.touched = append(c.touched, d)
			}
			full := covering.Weight(float64(p.count), c.said.lengths[d], c.average)
			c.best[d] = max(c.best[d], float32(answer.share*min(full, 1)))
		}
	}
	for _, d := range c.touched {
		if common && c.specific && c.sums[d] == 0 {
			c.best[d] *= commonAlone
		}
		c.sums[d] += float32(weight) * c.best[d]
		c.best[d] = 0
	}
	c.touched = c.touched[:0]
}

// Alike returns how similar each of some statements is to a text, from 0 to 1: the harmonic mean of how much each of
// the two says of the other's terms, weighted by rarity.
func (s *Statements) Alike(text string, at time.Time, statements []int32) []float64 {
	w := word(text, at)
	scores := make([]float64, len(statements))
	for i, n := range statements {
		there, back := s.share(w, s.wordings[n]), s.share(s.wordings[n], w)
		if there+back > 0 {
			scores[i] = 2 * there * back / (there + back)
		}
	}
	return scores
}

// restated is what a word counts in one statement that answers another word in the other.
const restated = .8

// share returns how much of a's terms b says.
func (s *Statements) share(a, b wording) float64 {
	said, all := 0.0, 0.0
	n := float64(len(s.wordings) + extraStatements)
	for _, t := range query(a.terms, a.lesser) {
		weight := t.weight * Rarity(n, float64(len(s.said.lists[t.term])))
		all += weight
		if slices.Contains(b.terms, t.term) || slices.Contains(b.lesser, t.term) {
			said += weight
			continue
		}
		for _, answer := range words().answered[t.term] {
			if slices.Contains(b.terms, answer.term) {
				said += weight * restated
				break
			}
		}
	}
	return said / max(all, 1e-9)
}
