package locate

import (
	"math"
	"slices"
)

// A Ranking is the result of [Index.Rank].
type Ranking struct {
	Files     []rankedFile // best first, equal scores by path
	Functions []function   // of the first files, best first; the best of a file follows the best of each better file
	Total     int          // files with a word of the text in their content or path
}

// A rankedFile is a file with the reasons for its rank.
type rankedFile struct {
	Path     string
	Lines    int
	Score    float64   // at most 1, to four digits; for an issue, tests have negative scores
	Why      []string  // the main signals, strongest first
	Evidence []string  // what the signals found, such as "symbol: Cart.total"
	Signals  []float64 // values from 0 to 1, in the order of Mode.Signals
}

// gap is the lead of the first file over the second, or the distance of the i-th file from the first.
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

// Rank returns the k best files for a text. It reads the best files again through read.
func (ix *Index) Rank(text string, mode Mode, k int, read func(path string) ([]byte, error)) *Ranking {
	r, _ := ix.rank(text, mode, k, read, func(*scoring, []float64) error { return nil })
	return r
}

// rank is [Index.Rank] with a last change of the scores. Its error is that of the change; the ranking is then without.
func (ix *Index) rank(
	text string, mode Mode, k int, read func(path string) ([]byte, error), change func(s *scoring, total []float64) error,
) (*Ranking, error) {
	s := ix.score(parse(text, mode))
	s.takePassages(byScore(s.total()), read)
	total := s.total()
	err := change(s, total)
	for f := range total {
		total[f] = math.Round(total[f]/maxScore(mode)*1e4) / 1e4
	}
	order := slices.DeleteFunc(byScore(total), func(f int) bool { return !s.mentions(f) })
	out := &Ranking{Functions: s.functions(order, total), Total: len(order)}
	for _, f := range order[:min(k, len(order))] {
		r := rankedFile{Path: ix.files[f].Path, Lines: ix.files[f].Stats.lines, Score: total[f]}
		r.Why, r.Evidence = explainer{s}.explain(f)
		for i := range signalCount {
			r.Signals = append(r.Signals, s.values[i][f])
		}
		out.Files = append(out.Files, r)
	}
	return out, err
}

// score computes all signals except the phrases, which need the contents of files.
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
	// the following signals are not relative to their largest value
	s.takeMentions()
	s.takeKinds()
	s.spread(s.total())
	return s
}

// mentions reports whether the text shares a word with a file or its path.
func (s *scoring) mentions(f int) bool {
	return len(s.hits[f]) > 0 || s.values[sPath][f] > 0 || s.values[sMentioned][f] > 0
}

// Plain returns the k best files by plain BM25, with or without tests, as a baseline.
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
