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
	order := make([]int, len(ix.files))
	total := make([]float64, len(ix.files))
	for f := range order {
		order[f] = f
		for i := range policy {
			total[f] += weight(signal(i), mode) * s.values[i][f]
		}
	}
	for f := range total {
		total[f] /= most(mode)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(total[b], total[a]) })
	out := &Ranking{}
	for f := range ix.files {
		if len(s.hits[f]) > 0 || s.values[sMentioned][f] > 0 {
			out.Total++
		}
	}
	for n, f := range order[:min(k, len(order))] {
		r := Ranked{Path: ix.files[f].Path, Score: total[f], Lines: ix.files[f].Stats.lines, Why: s.why(f)}
		for i := range policy {
			r.Signals = append(r.Signals, s.values[i][f])
		}
		out.Files = append(out.Files, r)
		if n < 20 {
			for _, fn := range s.functions(f) {
				fn.File = n
				fn.Score = fn.Score * total[f]
				out.Functions = append(out.Functions, fn)
			}
		}
	}
	slices.SortStableFunc(out.Functions, func(a, b Function) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

func (s *scoring) functions(f int) []Function {
	var out []Function
	for c, ch := range s.ix.files[f].Stats.chunks {
		if ch.name == "" || s.bestOf[f][c] == 0 {
			continue
		}
		out = append(out, Function{Path: s.ix.files[f].Path, Symbol: ch.name, Kind: ch.kind, Start: ch.start, End: ch.end, Score: s.bestOf[f][c]})
	}
	slices.SortStableFunc(out, func(a, b Function) int { return cmp.Compare(b.Score, a.Score) })
	return out[:min(len(out), 20)]
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
