package locate

import (
	"cmp"
	"slices"
)

// A Ranking is what Rank found, the best first.
type Ranking struct {
	Files     []Ranked
	Functions []Function // of all files, in one order
	Total     int        // files that any signal speaks for
}

// A Ranked is a file with what speaks for it.
type Ranked struct {
	Path    string
	Score   float64
	Lines   int
	Why     []string  // names of the signals that speak for it, the strongest first
	Signals []float64 // by signal, before the weights
}

// A Function is a definition in a ranked file.
type Function struct {
	Path       string
	Symbol     string
	Kind       string
	Start, End int
	Score      float64
	File       int // rank of its file
	Signals    []float64
}

// Rank returns the k files that speak most for the text. read gives the content of a file.
func (ix *Index) Rank(text string, mode Mode, k int, read func(path string) ([]byte, error)) *Ranking {
	s := ix.score(parse(text, mode))
	s.spread(s.total())
	s.passages(s.order(s.total()), read)
	total := s.total()
	for f := range total {
		total[f] /= most(mode)
	}
	order := s.order(total)
	out := &Ranking{}
	for f := range ix.files {
		if len(s.hits[f]) > 0 || s.values[sMentioned][f] > 0 {
			out.Total++
		}
	}
	for _, f := range order[:min(k, len(order))] {
		r := Ranked{Path: ix.files[f].Path, Score: total[f], Lines: ix.files[f].Stats.lines, Why: s.why(f)}
		for i := range policy {
			r.Signals = append(r.Signals, s.values[i][f])
		}
		out.Files = append(out.Files, r)
	}
	out.Functions = s.functions(order, total)
	return out
}

// Plain returns the k files that plain BM25 puts first, with or without tests.
func (ix *Index) Plain(text string, tests bool, k int) []string {
	s := ix.score(parse(text, Question))
	var order []int
	for f := range ix.files {
		if tests || ix.files[f].kind != test {
			order = append(order, f)
		}
	}
	body := s.values[sBody]
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(body[b], body[a]) })
	var out []string
	for _, f := range order[:min(k, len(order))] {
		out = append(out, ix.files[f].Path)
	}
	return out
}

// most is the largest score that there can be.
func most(mode Mode) (sum float64) {
	for i := range policy {
		sum += max(weight(signal(i), mode), 0)
	}
	return sum
}

func weight(i signal, mode Mode) float64 {
	if mode == Issue {
		return policy[i].issue
	}
	return policy[i].question
}

// why names the signals that make up most of a file's score.
func (s *scoring) why(f int) []string {
	const least = .05 // of a point
	var list []signal
	part := func(i signal) float64 { return weight(i, s.q.mode) * s.values[i][f] }
	for i := range signalCount {
		if part(i) > least {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b signal) int { return cmp.Compare(part(b), part(a)) })
	names := []string{}
	for _, i := range list {
		names = append(names, policy[i].name)
	}
	return names
}
