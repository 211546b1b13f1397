package locate

import (
	"cmp"
	"math"
	"slices"
)

// A Ranking is what Rank found.
type Ranking struct {
	Files     []Ranked   // best first, those of one score by path
	Functions []Function // of the first of the files, best first, the best of a file behind the best of each file before it
	Total     int        // files that hold a word of the text, in them or in their path
}

// A Ranked is a file with what speaks for it.
type Ranked struct {
	Path     string
	Lines    int
	Score    float64   // at most 1, to four digits; that of a test is negative for an issue
	Why      []string  // the signals that make it up, the strongest first
	Evidence []string  // what the signals found, as "symbol: Cart.total"
	Signals  []float64 // values, 0 to 1, in the order of Signals
}

// Gap is how far the i-th file, from 0, is ahead of the second when it is the first, else how far behind the first.
func (r *Ranking) Gap(i int) float64 {
	switch {
	case i > 0:
		return r.Files[0].Score - r.Files[i].Score
	case len(r.Files) > 1:
		return r.Files[0].Score - r.Files[1].Score
	default:
		return r.Files[0].Score
	}
}

// A Signal is one reason for a file: its name, and what it is worth in each mode.
type Signal struct {
	Name            string
	Issue, Question float64
}

// Signals lists the signals in the order of Ranked.Signals.
func Signals() []Signal {
	list := make([]Signal, signalCount)
	for i := range signalCount {
		list[i] = Signal{policy[i].name, policy[i].issue, policy[i].question}
	}
	return list
}

// Rank returns the k files that speak most for a text. It reads the best of them again.
func (ix *Index) Rank(text string, mode Mode, k int, read func(path string) ([]byte, error)) *Ranking {
	s := ix.score(parse(text, mode))
	s.takePassages(byScore(s.total()), read)
	total := s.total()
	for f := range total {
		total[f] = math.Round(total[f]/most(mode)*1e4) / 1e4
	}
	order := slices.DeleteFunc(byScore(total), func(f int) bool { return !s.told(f) })
	out := &Ranking{Functions: s.functions(order, total), Total: len(order)}
	for _, f := range order[:min(k, len(order))] {
		r := Ranked{Path: ix.files[f].Path, Lines: ix.files[f].Stats.lines, Score: total[f]}
		r.Why, r.Evidence = s.explain(f)
		for i := range signalCount {
			r.Signals = append(r.Signals, s.values[i][f])
		}
		out.Files = append(out.Files, r)
	}
	return out
}

// told reports whether the text tells of a file at all: by a word, or by its path.
func (s *scoring) told(f int) bool {
	return len(s.hits[f]) > 0 || s.values[sPath][f] > 0 || s.values[sMentioned][f] > 0
}

// explain names the signals that make up a file's score, and what they found.
func (s *scoring) explain(f int) (why, evidence []string) {
	const least = .05 // of a score before it is divided
	why, evidence = []string{}, []string{}
	part := func(i signal) float64 { return weight(i, s.q.mode) * s.values[i][f] }
	var list []signal
	for i := range signalCount {
		if part(i) > least {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b signal) int { return cmp.Compare(part(b), part(a)) })
	for _, i := range list {
		why = append(why, policy[i].name)
		if found := s.evidence(i, f); found != "" {
			evidence = append(evidence, policy[i].name+": "+found)
		}
	}
	return why, evidence
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
