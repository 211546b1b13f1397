package locate

import (
	"cmp"
	"slices"
)

// A Change is a commit of the history whose words are taken.
type Change struct {
	bag   bag
	files []string
}

// NewChange takes the words of a commit's message. The files are those it changed; more than MaxFiles say nothing of one.
func NewChange(message string, files []string) Change {
	var terms []term
	var s splitter
	raw := []byte(message)
	identifiers(raw, func(from, to int) { s.terms(raw[from:to], func(t term) { terms = append(terms, t) }) })
	if len(files) > MaxFiles {
		files = nil
	}
	return Change{bag: newBag(terms), files: files}
}

// bestCommits is how many commits speak for the files that they changed.
const bestCommits = 200

// takeCommits finds the commits that use the words of the query.
func (s *scoring) takeCommits() {
	history := s.ix.history
	df := make([]int, len(s.lookup.terms))
	total := 0
	for i := range history {
		history[i].bag.each(s.lookup, func(i int, _ uint16) { df[i]++ })
		total += history[i].bag.length
	}
	average := float64(total) / float64(max(len(history), 1))
	type scored struct {
		at    int
		value float64
	}
	var list []scored
	for at := range history {
		c := &history[at]
		v := 0.0
		c.bag.each(s.lookup, func(i int, n uint16) {
			v += idf(df[i], len(history)) * (s.q.all.weight[i] + s.title[i]) * bm25(n, c.bag.length, average)
		})
		if v > 0 && len(c.files) > 0 {
			list = append(list, scored{at, v})
		}
	}
	slices.SortFunc(list, func(a, b scored) int { return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.at, b.at)) })
	for _, c := range list[:min(bestCommits, len(list))] {
		files := history[c.at].files
		for _, p := range files {
			if f, ok := s.ix.byPath[p]; ok {
				s.values[sCommits][f] += c.value * c.value / float64(len(files))
			}
		}
	}
}

// Bounds of the commits that tell which files change together.
const (
	togetherCommits = 5000
	togetherFiles   = 10 // of one commit
)

// takeTogether lets files speak for those that changed with them.
func (s *scoring) takeTogether(weight []float64) {
	for i := range s.ix.history[:min(len(s.ix.history), togetherCommits)] {
		c := &s.ix.history[i]
		if len(c.files) < 2 || len(c.files) > togetherFiles {
			continue
		}
		sum := 0.0
		for _, p := range c.files {
			if f, ok := s.ix.byPath[p]; ok {
				sum += weight[f]
			}
		}
		for _, p := range c.files {
			if f, ok := s.ix.byPath[p]; ok && sum > weight[f] {
				s.values[sTogether][f] += (sum - weight[f]) / float64(len(c.files)-1)
			}
		}
	}
}
