package textsearch

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Statements ranks short texts, such as memories, by how much of a question each says. Searches may run concurrently
// with each other, but not with [Statements.Add] or [Statements.Keep]. The zero Statements is empty.
type Statements struct {
	postings postings
	wordings []wording
	index    Index // each statement is a turn in a session of its own
}

// Add adds a statement. At is when it was made, which "yesterday" in it counts from; if it is zero, relative days are
// ignored.
func (s *Statements) Add(text string, at time.Time) { s.add(wordingOf(text, at), text, at) }

func (s *Statements) add(w wording, text string, at time.Time) {
	s.index.Add(Turn{Session: strconv.Itoa(len(s.wordings)), Text: text, At: at})
	terms := s.postings.appendNumbers(s.postings.appendNumbers(nil, w.terms), w.lesser)
	s.postings.add(int32(len(s.wordings)), terms, len(w.lesser))
	s.wordings = append(s.wordings, w)
}

// Keep drops the statements for which keep returns false. The others are renumbered in the same order.
func (s *Statements) Keep(keep func(i int) bool) {
	var kept Statements
	for i, w := range s.wordings {
		if t := s.index.turn(int32(i)); keep(i) {
			kept.add(w, t.Text, t.At)
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

// wordingOf parses a text. It leaves out the word "user": every statement is about the user.
func wordingOf(text string, at time.Time) wording {
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
	// unseenShare is the weight of a term that no statement says, relative to one that a single statement says. It is
	// less than 1 because questions are often worded differently from statements.
	unseenShare = .35
	// extraStatements is added to the number of statements. Among three statements, a term that two of them say would
	// otherwise pass for a frequent one.
	extraStatements = 20
	// negligible is the weight below which a term is not looked up, because nearly every statement says it.
	negligible = .02
	// commonShare is the share of statements that is assumed to say a common word (words/common.txt), at least.
	commonShare = .4
	// commonAlone is the factor of a common word if a statement says nothing else of a question that has other words.
	commonAlone = .3
)

// inStatement weighs the occurrences of a term: one in a statement of average length weighs 1, which covers the term.
var inStatement = BM25{K1: .5, B: .3}

// Covered returns how much of a question each statement says, from 0 to 1: the BM25 of the question's terms, each
// capped at one occurrence, relative to a statement that says all of them. At is when the question is asked.
func (s *Statements) Covered(question string, at time.Time) []float32 {
	c := newCoverage(s, wordingOf(question, at))
	for _, a := range c.asked {
		c.score(a)
	}
	if c.total > 0 {
		for i := range c.sums {
			c.sums[i] /= float32(c.total)
		}
	}
	return c.sums
}

// perfect is about the score of a statement that says each word of a question once.
const perfect = turnWeight + sessionWeight

// Scores returns how well each of some statements answers a question, as an [Index] ranks turns: about 1 for one that
// says all of it, and more if it also fits in kind or time. At is when the question is asked.
func (s *Statements) Scores(question string, at time.Time, statements []int32) []float64 {
	scores := make([]float64, len(statements))
	if len(statements) > 0 {
		sc := s.index.newScorer(s.index.read(question, at))
		for i, n := range statements {
			scores[i] = sc.ranked(n).score / perfect
		}
	}
	return scores
}

// A coverage scores statements against a question, term by term.
type coverage struct {
	postings *postings
	asked    []weighted // terms that are not common first
	specific bool       // the question has a term that is not common
	all      float64    // statements, plus extraStatements
	average  float64    // length of a statement
	total    float64    // weight of the terms so far
	sums     []float32  // by statement: the part of total that it says

	// For the term in progress: how well each statement covers it, from 0 to 1, and which statements cover it at all.
	covered []float32
	by      []int32
}

func newCoverage(s *Statements, w wording) *coverage {
	n := len(s.postings.lengths)
	c := &coverage{
		postings: &s.postings, asked: query(w.terms, w.lesser), all: float64(n + extraStatements),
		average: s.postings.average(), sums: make([]float32, n), covered: make([]float32, n),
	}
	specific := func(a weighted) bool { return a.weight == 1 && !theLexicon().common[a.term] }
	c.specific = slices.ContainsFunc(c.asked, specific)
	rank := func(a weighted) int {
		if specific(a) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(c.asked, func(a, b weighted) int { return rank(a) - rank(b) })
	return c
}

// score adds the weight of a term to the sums of the statements that say it or a word that answers it.
func (c *coverage) score(a weighted) {
	common := theLexicon().common[a.term]
	answers, having := c.postings.answers(a.term)
	having = min(having, float64(len(c.sums)))
	switch {
	case common:
		having = max(having, commonShare*c.all)
	case len(answers) == 0:
		having = 1
	}
	rarity := Rarity(c.all, having)
	if len(answers) == 0 {
		c.total += unseenShare * a.weight * rarity
		return
	}
	weight := a.weight * rarity
	c.total += weight
	if weight < negligible {
		return
	}
	c.cover(answers)
	for _, d := range c.by {
		if common && c.specific && c.sums[d] == 0 {
			c.covered[d] *= commonAlone
		}
		c.sums[d] += float32(weight) * c.covered[d]
		c.covered[d] = 0
	}
	c.by = c.by[:0]
}

// cover sets how well each statement covers a term: by the best of the words that answer it.
func (c *coverage) cover(answers []matching) {
	for _, m := range answers {
		for _, p := range m.postings {
			d := p.document()
			if c.covered[d] == 0 {
				c.by = append(c.by, d)
			}
			weight := inStatement.Weight(float64(p.count()), float64(c.postings.lengths[d]), c.average)
			c.covered[d] = max(c.covered[d], m.share*float32(min(weight, 1)))
		}
	}
}

// Alike returns how similar a text is to each of some statements, from 0 to 1: the harmonic mean of the share of its
// terms that the statement says, and the reverse, both weighted by rarity.
func (s *Statements) Alike(text string, at time.Time, statements []int32) []float64 {
	w := wordingOf(text, at)
	scores := make([]float64, len(statements))
	for i, n := range statements {
		there, back := s.share(w, s.wordings[n]), s.share(s.wordings[n], w)
		if there+back > 0 {
			scores[i] = 2 * there * back / (there + back)
		}
	}
	return scores
}

// restated is the share by which a term counts if the other text has only a word that answers it.
const restated = .8

// share returns what share of a's terms b says, by weight.
func (s *Statements) share(a, b wording) float64 {
	said, all := 0.0, 0.0
	n := float64(len(s.wordings) + extraStatements)
	for _, t := range query(a.terms, a.lesser) {
		weight := t.weight * Rarity(n, float64(s.postings.list(t.term).groups))
		all += weight
		if slices.Contains(b.terms, t.term) || slices.Contains(b.lesser, t.term) {
			said += weight
			continue
		}
		for _, answer := range theLexicon().answered[t.term] {
			if slices.Contains(b.terms, answer.term) {
				said += weight * restated
				break
			}
		}
	}
	return said / max(all, 1e-9)
}
