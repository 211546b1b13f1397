package locate

import (
	"maps"
	"math"
	"path"
	"slices"
	"strings"
)

// A signal is one reason for a file, with its weight in the sum.
type signal int

const (
	sBody signal = iota
	sChunk
	sTitle
	sLead
	sPath
	sTitlePath
	sDefined
	sOccurring
	sCommits
	sMentioned
	sDotted
	sTest
	sKind
	sFrame
	sQualified
	sTitleSymbol
	sTitleWord
	sNames
	sCover
	sCoverChunk
	sChurn
	sPhrase
	sImport
	sLinks
	sLinked
	sTop
	sAside
	sTogether
	sTitleChunk
	sInit
	sTested
	sSize
	sOldDefined
	sFeedback
	sFolder
	sMessages
	sTitleMessages
	sExactMessages
	sTitleChunkPath
	signalCount
)

// policy is the name of each signal and its weight by mode.
var policy = [signalCount]struct {
	name            string
	issue, question float64
}{
	sBody:        {"bm25", 1, 1},
	sChunk:       {"function", .8, .8},
	sTitle:       {"title", 1, 1},
	sLead:        {"lead", .3, .3},
	sPath:        {"path", .5, .5},
	sTitlePath:   {"title-path", .5, .5},
	sDefined:     {"symbol", .75, .75},
	sOccurring:   {"name", .5, .5},
	sCommits:     {"commits", .6, .6},
	sMentioned:   {"mentioned", .6, .6},
	sDotted:      {"module", .5, .5},
	sTest:        {"test", -9, -.3},
	sKind:        {"document", -2, -.3},
	sFrame:       {"frame", 0, 0},
	sQualified:   {"qualified", 0, 0},
	sTitleSymbol: {"title-symbol", 0, 0},
	sTitleWord:   {"title-word", 0, 0},
	sNames:       {"names", 0, 0},
	sCover:       {"cover", 0, 0},
	sCoverChunk:  {"cover-function", 0, 0},
	sChurn:       {"churn", 0, 0},
	sPhrase:      {"phrase", 0, 0},
	sImport:      {"import", 0, 0},
	sLinks:       {"links", 0, 0},
	sLinked:      {"linked", 0, 0},
	sTop:         {"top", 0, 0},
	sAside:       {"aside", 0, 0},
	sTogether:    {"together", 0, 0},
	sTitleChunk:  {"title-function", 0, 0},
	sInit:        {"init", 0, 0},
	sTested:      {"tested", 0, 0},
	sSize:        {"size", 0, 0},
}

// A scoring is one query over one index.
type scoring struct {
	ix     *Index
	q      *query
	idf    []float64 // of the terms of q.all
	title  []float64 // weights of those terms in the title, 0 if they are not there
	lead   []float64
	hits   [][]hit // by file
	values [signalCount][]float64
	best   []int // by file, the best chunk
	bestOf [][]float64
}

type hit struct {
	at int
	n  uint16
}

func (ix *Index) score(q *query) *scoring {
	s := &scoring{ix: ix, q: q}
	for i := range s.values {
		s.values[i] = make([]float64, len(ix.files))
	}
	s.title, s.lead = align(q.all, q.title), align(q.all, q.lead)
	s.count()
	s.words()
	s.chunks()
	s.paths()
	s.names()
	s.commits()
	s.mentions()
	s.kinds()
	s.more()
	for i := range s.values {
		normalise(s.values[i])
	}
	return s
}

// align gives the weights of part in the order of all's terms.
func align(all, part words) []float64 {
	weights := make([]float64, len(all.terms))
	for i, t := range part.terms {
		if at, found := slices.BinarySearch(all.terms, t); found {
			weights[at] = part.weight[i]
		}
	}
	return weights
}

func (s *scoring) count() {
	df := make([]int, len(s.q.all.terms))
	s.hits = make([][]hit, len(s.ix.files))
	for f := range s.ix.files {
		s.ix.files[f].Stats.bag.each(s.q.all.terms, func(i int, n uint16) {
			s.hits[f] = append(s.hits[f], hit{i, n})
			df[i]++
		})
	}
	s.idf = make([]float64, len(df))
	for i, n := range df {
		s.idf[i] = idf(n, len(s.ix.files))
	}
}

func (s *scoring) words() {
	for f := range s.ix.files {
		length := s.ix.files[f].Stats.bag.length
		for _, h := range s.hits[f] {
			v := s.idf[h.at] * bm25(h.n, length, s.ix.average)
			s.values[sBody][f] += v * s.q.all.weight[h.at]
			s.values[sTitle][f] += v * s.title[h.at]
			s.values[sLead][f] += v * s.lead[h.at]
		}
	}
}

func (s *scoring) chunks() {
	s.best = make([]int, len(s.ix.files))
	s.bestOf = make([][]float64, len(s.ix.files))
	for f := range s.ix.files {
		chunks := s.ix.files[f].Stats.chunks
		s.bestOf[f] = make([]float64, len(chunks))
		for c := range chunks {
			v := 0.0
			chunks[c].bag.each(s.q.all.terms, func(i int, n uint16) {
				v += s.idf[i] * bm25(n, chunks[c].bag.length, s.ix.chunk) * (s.q.all.weight[i] + s.title[i])
			})
			s.bestOf[f][c] = v
			if v > s.values[sChunk][f] {
				s.values[sChunk][f], s.best[f] = v, c
			}
		}
	}
}

func (s *scoring) paths() {
	for f := range s.ix.files {
		s.ix.files[f].path.each(s.q.all.terms, func(i int, n uint16) {
			s.values[sPath][f] += s.idf[i] * s.q.all.weight[i]
			s.values[sTitlePath][f] += s.idf[i] * s.title[i]
		})
	}
}

func (s *scoring) names() {
	weight := s.nameWeights(s.q.names)
	for f := range s.ix.files {
		seen := map[string]bool{}
		for _, c := range s.ix.files[f].Stats.chunks {
			name := last(c.name)
			if w := weight[name]; w > 0 && !seen[name] {
				seen[name] = true
				s.values[sDefined][f] += w
			}
		}
	}
	old := map[string]float64{}
	for _, name := range s.q.names {
		if df := s.ix.defined[name]; df > 0 && !s.q.own[name] {
			old[name] = idf(df, len(s.ix.files))
		}
	}
	for f := range s.ix.files {
		seen := map[string]bool{}
		for _, c := range s.ix.files[f].Stats.chunks {
			name := last(c.name)
			if w := old[name]; w > 0 && !seen[name] {
				seen[name] = true
				s.values[sOldDefined][f] += w
			}
		}
	}
	terms := wordsOf(strings.Join(s.q.names, " ")).terms
	for f := range s.ix.files {
		for _, h := range s.hits[f] {
			if _, found := slices.BinarySearch(terms, s.q.all.terms[h.at]); found {
				s.values[sOccurring][f] += s.idf[h.at]
			}
		}
	}
}

// nameWeights says how much it tells that a file defines one of the names: the fewer files define it, and the fewer use
// it, the more. What is raised is defined far from where it is raised.
func (s *scoring) nameWeights(names []string) map[string]float64 {
	n := len(s.ix.files)
	weight := map[string]float64{}
	for _, name := range names {
		df := s.ix.defined[name]
		if df == 0 || s.q.own[name] {
			continue
		}
		w := idf(df, n)
		var sp splitter
		sp.terms([]byte(name), func(t term) {
			if at, found := slices.BinarySearch(s.q.all.terms, t); found {
				w = min(w, idf(df, n)*s.idf[at]/math.Log(1+float64(n)))
			}
		})
		lastTerm := term(0)
		sp.terms([]byte(name), func(t term) { lastTerm = t })
		if at, found := slices.BinarySearch(s.q.all.terms, lastTerm); found {
			w = idf(df, n) * s.idf[at] / math.Log(1+float64(n))
		}
		for _, end := range []string{"Error", "Exception", "Warning"} {
			if strings.HasSuffix(name, end) {
				w *= .3
			}
		}
		weight[name] = w
	}
	return weight
}

// commits of which the words are the query's point at the files that they changed.
func (s *scoring) commits() {
	const best = 200
	df := make([]int, len(s.q.all.terms))
	total := 0
	for i := range s.ix.history {
		c := &s.ix.history[i]
		c.bag.each(s.q.all.terms, func(i int, _ uint16) { df[i]++ })
		total += c.bag.length
	}
	n := len(s.ix.history)
	average := float64(total) / float64(max(n, 1))
	weights := make([]float64, len(df))
	for i := range df {
		weights[i] = idf(df[i], n) * (s.q.all.weight[i] + s.title[i])
	}
	told := map[int]map[int]float64{}
	defer func() {
		df := make([]int, len(s.q.all.terms))
		for _, m := range told {
			for i := range m {
				df[i]++
			}
		}
		for f, m := range told {
			for _, i := range slices.Sorted(maps.Keys(m)) {
				tf := m[i]
				v := idf(df[i], len(told)) * tf / (tf + 1 + .02*float64(s.ix.churn[f]))
				s.values[sMessages][f] += v * s.q.all.weight[i]
				s.values[sTitleMessages][f] += v * s.title[i]
			}
		}
	}()
	type scored struct {
		at    int
		value float64
	}
	var list []scored
	for i := range s.ix.history {
		c := &s.ix.history[i]
		if len(c.Files) == 0 || len(c.Files) > wide {
			continue
		}
		c.bag.each(s.q.all.terms, func(i int, n uint16) {
			for _, p := range c.Files {
				if f, ok := s.ix.byPath[p]; ok {
					m := told[f]
					if m == nil {
						m = map[int]float64{}
						told[f] = m
					}
					m[i] += 1 / math.Sqrt(float64(len(c.Files)))
				}
			}
		})
		v := 0.0
		c.bag.each(s.q.all.terms, func(i int, n uint16) { v += weights[i] * bm25(n, c.bag.length, average) })
		if v > 0 {
			list = append(list, scored{i, v})
		}
	}
	slices.SortFunc(list, func(a, b scored) int {
		if a.value != b.value {
			if a.value > b.value {
				return -1
			}
			return 1
		}
		return a.at - b.at
	})
	for _, c := range list[:min(best, len(list))] {
		files := s.ix.history[c.at].Files
		if len(files) > 20 {
			continue
		}
		for _, p := range files {
			if f, ok := s.ix.byPath[p]; ok {
				s.values[sExactMessages][f] = max(s.values[sExactMessages][f], c.value/math.Sqrt(float64(len(files))))
				s.values[sCommits][f] += c.value * c.value / float64(len(files))
			}
		}
	}
}

func (s *scoring) mentions() {
	framed := map[string]bool{}
	for _, fr := range s.q.frames {
		framed[strings.TrimLeft(fr.path, "./")] = true
	}
	for _, p := range s.q.paths {
		if framed[strings.TrimLeft(p, "./")] {
			continue
		}
		p = strings.TrimLeft(p, "./")
		for f := range s.ix.files {
			if n := commonTail(s.ix.files[f].Path, p); n > 0 {
				s.values[sMentioned][f] = max(s.values[sMentioned][f], n)
			}
		}
	}
	for _, d := range s.q.dotted {
		parts := strings.Split(d, ".")
		for f := range s.ix.files {
			s.values[sDotted][f] = max(s.values[sDotted][f], s.module(f, parts))
		}
	}
}

// commonTail is how much of the mentioned path is the file's: 1 when one is the other's end, else less.
func commonTail(file, mentioned string) float64 {
	if file == mentioned || strings.HasSuffix(file, "/"+mentioned) || strings.HasSuffix(mentioned, "/"+file) {
		return 1
	}
	return 0
}

// module is how much of a dotted name leads to the file, its last part perhaps a definition there.
func (s *scoring) module(f int, parts []string) float64 {
	p := s.ix.files[f].Path
	mod := strings.TrimSuffix(strings.TrimSuffix(p, path.Ext(p)), "/__init__")
	for n := len(parts); n >= 1; n-- {
		want := strings.Join(parts[:n], "/")
		if mod != want && !strings.HasSuffix(mod, "/"+want) {
			continue
		}
		if n == 1 {
			return 0
		}
		v := float64(n) / float64(len(parts))
		return v
	}
	return 0
}

func (s *scoring) kinds() {
	for f := range s.ix.files {
		switch s.ix.files[f].kind {
		case test:
			s.values[sTest][f] = 1
		case document, data:
			s.values[sKind][f] = 1
		}
	}
}
