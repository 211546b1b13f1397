package locate

import (
	"cmp"
	"slices"
	"strings"
)

// A trait is one reason for a function, with its weight in the sum.
type trait int

const (
	tFile trait = iota // how much speaks for its file
	tWords
	tTitle
	tInFile // its share of the best of its file
	tNamed
	tQualified
	tFramed
	tClass
	tNames
	tLong
	traitCount
)

var traits = [traitCount]struct {
	name   string
	weight float64
}{
	tFile:      {"file", 1},
	tWords:     {"words", .7},
	tTitle:     {"title", .3},
	tInFile:    {"in-file", .3},
	tNamed:     {"named", .3},
	tQualified: {"qualified", .3},
	tFramed:    {"framed", .1},
	tClass:     {"class", 0},
	tNames:     {"names", .2},
	tLong:      {"long", 0},
}

// functionFiles is how many files functions are taken from.
const functionFiles = 20

// functions ranks the definitions of the best files.
func (s *scoring) functions(order []int, total []float64) []Function {
	var out []Function
	names := s.nameWeights(s.q.names)
	dotted := map[string]bool{}
	for _, d := range s.q.dotted {
		parts := strings.Split(d, ".")
		for n := 2; n <= len(parts); n++ {
			dotted[strings.Join(parts[n-2:n], ".")] = true
		}
	}
	framed := map[string]bool{}
	for _, fr := range s.q.frames {
		framed[fr.name] = true
	}
	for rank, f := range order[:min(functionFiles, len(order))] {
		best := slices.Max(append([]float64{1e-9}, s.bestOf[f]...))
		for c, ch := range s.ix.files[f].Stats.chunks {
			if ch.name == "" {
				continue
			}
			fn := Function{Path: s.ix.files[f].Path, Symbol: ch.name, Kind: ch.kind, Start: ch.start, End: ch.end, File: rank}
			v := make([]float64, traitCount)
			v[tFile] = total[f] / total[order[0]]
			v[tWords] = s.bestOf[f][c]
			v[tInFile] = s.bestOf[f][c] / best
			ch.bag.each(s.q.all.terms, func(i int, n uint16) {
				if s.title[i] > 0 {
					v[tTitle] += s.idf[i] * bm25(n, ch.bag.length, s.ix.chunk)
				}
			})
			v[tNamed] = names[last(ch.name)]
			if dotted[ch.name] {
				v[tQualified] = 1
			}
			if framed[last(ch.name)] {
				v[tFramed] = 1
			}
			if ch.kind == "class" {
				v[tClass] = 1
			}
			var sp splitter
			sp.terms([]byte(last(ch.name)), func(t term) {
				if at, found := slices.BinarySearch(s.q.all.terms, t); found {
					v[tNames] += s.idf[at] * (.3 + s.title[at])
				}
			})
			v[tLong] = float64(ch.end - ch.start + 1)
			fn.Signals = v
			out = append(out, fn)
		}
	}
	for _, t := range []trait{tWords, tTitle, tNamed, tNames, tLong} {
		top := 1e-9
		for i := range out {
			top = max(top, out[i].Signals[t])
		}
		for i := range out {
			out[i].Signals[t] /= top
		}
	}
	for i := range out {
		for t := range traits {
			out[i].Score += traits[t].weight * out[i].Signals[t]
		}
	}
	slices.SortStableFunc(out, func(a, b Function) int { return cmp.Compare(b.Score, a.Score) })
	return out
}
