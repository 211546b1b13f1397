package locate

import (
	"math"
	"slices"
)

// A Ranking is what Rank found.
type Ranking struct {
	Files     []ranked   // best first, those of one score by path
	Functions []function // of the first of the files, best first, the best of a file behind the best of each file before it
	Total     int        // files that hold a word of the text, in them or in their path
}

// A ranked is a file with what speaks for it.
type ranked struct {
	Path     string
	Lines    int
	Score    float64   // at most 1, to four digits; that of a test is negative for an issue
	Why      []string  // the signals that make it up, the strongest first
	Evidence []string  // what the signals found, as "symbol: Cart.total"
	Signals  []float64 // values, 0 to 1, in the order of Signals
}

// gap is how far the i-th file, from 0, is ahead of the second when it is the first, else how far behind the first.
func (r *Ranking) gap(i int) float64 {
	switch {
	case i > 0:
		return r.Files[0].Score - r.Files[i].Score
	case len(r.Files) > 1:
		return r.Files[0].Score - r.Files[1].Score
	default:
		return r.Files[0].Score
	}
}

// Signals returns the names of the signals in the order of the values in a [Ranking], and their weights in a mode.
func (m Mode) Signals() (names []string, weights []float64) {
	for i := range signalCount {
		names, weights = append(names, policy[i].name), append(weights, weight(i, m))
	}
	return names, weights
}

// Rank returns the k files that speak most for a text. It reads the best of them again.
func (ix *Index) Rank(text string, mode Mode, k int, read func(path string) ([]byte, error)) *Ranking {
	s := ix.score(parse(text, mode))
	s.takePassages(byScore(s.total()), read)
	total := s.total()
	for f := range total {
		total[f] = math.Round(total[f]/most(mode)*1e4) / 1e4
	}
	order := slices.DeleteFunc(byScore(total), func(f int) bool { return !s.mentions(f) })
	out := &Ranking{Functions: s.functions(order, total), Total: len(order)}
	for _, f := range order[:min(k, len(order))] {
		r := ranked{Path: ix.files[f].Path, Lines: ix.files[f].Stats.lines, Score: total[f]}
		r.Why, r.Evidence = s.explain(f)
		for i := range signalCount {
			r.Signals = append(r.Signals, s.values[i][f])
		}
		out.Files = append(out.Files, r)
	}
	return out
}

// score takes all signals but the phrases, which need the contents of files.
func (ix *Index) score(q *query) *scoring {
	s := &scoring{ix: ix, q: q, lookup: newLookup(q.all.terms)}
	for i := range s.values {
		s.values[i] = make([]float64, len(ix.files))
	}
	s.title, s.lead = s.align(q.title), s.align(q.lead)
	s.count()
	s.takeWords()
	s.takeChunks()
	s.takeNames()
	s.takeCommits()
	s.takeModules()
	s.takeCited()
	s.takeUses()
	for i := range s.values {
		normalise(s.values[i])
	}
	// what follows is no share of the largest value
	s.takeMentions()
	s.takeKinds()
	s.spread(s.total())
	return s
}

// told reports whether the text tells of a file at all: by a word, or by its path.
func (s *scoring) mentions(f int) bool {
	return len(s.hits[f]) > 0 || s.values[sPath][f] > 0 || s.values[sMentioned][f] > 0
}

// Plain returns the k files that plain BM25 puts first, with or without tests: what the ranking is compared with.
func (ix *Index) Plain(text string, tests bool, k int) []string {
	s := ix.score(parse(text, Question))
	var out []string
	for _, f := range byScore(s.values[sBody]) {
		if len(out) < k && (tests || ix.files[f].kind != test) {
			out = append(out, ix.files[f].Path)
		}
	}
	return out
}
