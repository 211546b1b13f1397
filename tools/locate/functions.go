package locate

import (
	"cmp"
	"slices"
)

type function struct {
	Path       string
	Symbol     string // qualified: Class.method
	Kind       string
	Start, End int
	Score      float64 // comparable across files
	Traits     []float64
}

type trait int

const (
	tFile trait = iota
	tWords
	tTitle
	tInFile
	tNamed
	tQualified
	tFramed
	tName
	traitCount
)

// traits are the names of the reasons and their weights.
var traits = [traitCount]struct {
	name   string
	weight float64
}{
	tFile:      {"file", 1},       // the score of its file
	tWords:     {"words", .7},     // words of the text in its body
	tTitle:     {"title", .2},     // words of the title in its body
	tInFile:    {"in-file", .3},   // relative to the best definition of its file
	tNamed:     {"named", .3},     // the text contains its name
	tQualified: {"qualified", .6}, // and its class
	tFramed:    {"framed", .1},    // a traceback passes through it
	tName:      {"name", .2},      // words of the text in its name
}

// functionFiles is how many files contribute definitions.
const functionFiles = 20

func (s *scoring) functions(order []int, total []float64) []function {
	var out []function
	for _, f := range order[:min(functionFiles, len(order))] {
		fits := s.fits(f)
		best := slices.Max(fits)
		for c, ch := range s.ix.files[f].Stats.chunks {
			if ch.name == "" {
				continue
			}
			t := s.traitsOf(&ch, s.hits[f])
			t[tFile] = total[f]
			t[tWords] = fits[c]
			if best > 0 {
				t[tInFile] = fits[c] / best
			}
			out = append(out, function{s.ix.files[f].Path, ch.name, ch.kind, ch.start, ch.end, 0, t})
		}
	}
	weigh(out)
	return inFileOrder(out)
}

// inFileOrder sorts definitions, which come by the rank of their files, by score. But the best definition of a file
// follows the best of each better file, because the ranking of files is more reliable than the scores of two
// definitions.
func inFileOrder(byFile []function) []function {
	out := make([]function, 0, len(byFile))
	var open []function // of the files so far, best first
	byScore := func(a, b function) int { return cmp.Compare(b.Score, a.Score) }
	for from, to := 0, 0; from < len(byFile); from = to {
		for to < len(byFile) && byFile[to].Path == byFile[from].Path {
			to++
		}
		own := slices.Clone(byFile[from:to])
		slices.SortStableFunc(own, byScore)
		for len(open) > 0 && open[0].Score > own[0].Score {
			out, open = append(out, open[0]), open[1:]
		}
		out = append(out, own[0])
		open = append(open, own[1:]...)
		slices.SortStableFunc(open, byScore)
	}
	return append(out, open...)
}

// traitsOf computes the traits of a definition that do not depend on its file, which has the hits whole.
func (s *scoring) traitsOf(ch *chunk, whole []hit) []float64 {
	const aside = .3 // weight of a word of the text, relative to one of its title
	t := make([]float64, traitCount)
	name := lastPart(ch.name)
	if slices.Contains(s.q.names, name) {
		t[tNamed] = s.worth(name)
	}
	if slices.Contains(s.q.qualified, ch.name) {
		t[tQualified] = 1
	}
	if s.q.framed[name] {
		t[tFramed] = 1
	}
	ch.bag.each(whole, func(i int, n uint16) {
		if s.title[i] > 0 {
			t[tTitle] += s.idf[i] * bm25Weight(n, ch.bag.length(), s.ix.chunk)
		}
	})
	var sp splitter
	sp.terms([]byte(name), func(word term) {
		if at, found := s.lookup.find(word); found {
			t[tName] += s.idf[at] * (aside + s.title[at])
		}
	})
	return t
}

// weigh divides each trait by its maximum and adds them up to a score of at most 1.
func weigh(out []function) {
	sum := 0.0
	for t := range traits {
		sum += traits[t].weight
		largest := 0.0
		for i := range out {
			largest = max(largest, out[i].Traits[t])
		}
		for i := range out {
			if largest > 0 {
				out[i].Traits[t] /= largest
			}
			out[i].Score += traits[t].weight * out[i].Traits[t]
		}
	}
	for i := range out {
		out[i].Score /= sum
	}
}

// fits returns how well each definition of a file fits the text.
func (s *scoring) fits(f int) []float64 {
	if s.q.mode == Issue {
		return s.chunks[f]
	}
	weights := make([]float64, len(s.idf))
	for i := range weights {
		weights[i] = s.idf[i] * (s.q.all.weight[i] + s.title[i])
	}
	chunks := s.ix.files[f].Stats.chunks
	fits := make([]float64, len(chunks))
	for c := range chunks {
		fits[c] = chunks[c].fit(chunks[c].hits(s.hits[f], s.lookup), weights, s.ix.chunk)
	}
	return fits
}
