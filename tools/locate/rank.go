package locate

import (
	"cmp"
	"slices"
)

// A Ranking is what Rank found, the best first.
type Ranking struct {
	Files     []Ranked
	Functions []Function // of all files, in one order
}

// A Ranked is a file with what speaks for it.
type Ranked struct {
	Path    string
	Score   float64
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
			w := policy[i].issue
			if mode != Issue {
				w = policy[i].question
			}
			total[f] += w * s.values[i][f]
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(total[b], total[a]) })
	out := &Ranking{}
	for n, f := range order[:min(k, len(order))] {
		r := Ranked{Path: ix.files[f].Path, Score: total[f]}
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
