package locate

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// takeNames gives files weight for names in the query: those that define one, those that define a qualified one, and
// those in which the words of one occur.
func (s *scoring) takeNames() {
	take := func(to signal, names []string) {
		for _, name := range names {
			w := s.worth(name)
			for _, f := range s.ix.defined[name] {
				s.values[to][f] += w
			}
		}
	}
	take(sDefined, s.q.names)
	take(sTitleSymbol, s.q.titleNames)
	for _, name := range s.q.qualified {
		files := s.ix.qualified(name)
		for _, f := range files {
			s.values[sQualified][f] += idf(len(files), len(s.ix.files))
		}
	}
	inName := make([]bool, len(s.lookup.terms))
	for _, t := range wordsOf(strings.Join(s.q.names, " ")).terms {
		if at, found := s.lookup.find(t); found {
			inName[at] = true
		}
	}
	for f, hits := range s.hits {
		for _, h := range hits {
			if inName[h.at] {
				s.values[sOccurring][f] += s.idf[h.at]
			}
		}
	}
}

// worth is how significant a definition of a name is: more so the fewer files define it and the fewer use it. An
// exception is rarely wrong where it is defined, so its name counts less. A name that the text's own code defines
// counts nothing.
func (s *scoring) worth(name string) float64 {
	const raised = .3
	files := len(s.ix.defined[name])
	if files == 0 || s.q.own[name] {
		return 0
	}
	n := len(s.ix.files)
	w := idf(files, n)
	if at, found := s.lookup.find(termOf(name)); found {
		w *= s.idf[at] / math.Log1p(float64(n))
	}
	if slices.ContainsFunc(raisedNames, func(end string) bool { return strings.HasSuffix(name, end) }) {
		w *= raised
	}
	return w
}

// raisedNames are the endings of the names of exceptions.
var raisedNames = []string{"Error", "Exception", "Warning"}

func termOf(name string) (last term) {
	var sp splitter
	sp.terms([]byte(name), func(t term) { last = t })
	return last
}

// takeMentions finds the paths in the query, except those of tracebacks. A bare name that many files share, such as
// models.py, counts less.
func (s *scoring) takeMentions() {
	for _, p := range s.q.paths {
		files := s.ix.atPath(p)
		for _, f := range files {
			v := 1.0
			if !strings.Contains(p, "/") && s.ix.files[f].Path != p {
				v /= float64(len(files))
			}
			s.values[sMentioned][f] = max(s.values[sMentioned][f], v)
		}
	}
}

// takeModules finds the modules that the query names, with dots, in full or by prefix.
func (s *scoring) takeModules() {
	for _, d := range s.q.dotted {
		parts := strings.Split(d, ".")
		for n := len(parts); n > 1; n-- {
			for _, f := range s.ix.atModule(strings.Join(parts[:n], "/")) {
				s.values[sDotted][f] = max(s.values[sDotted][f], float64(n)/float64(len(parts)))
			}
		}
	}
}

// takeUses finds the files that use the best definitions, which leads from what a text names to what belongs to it.
func (s *scoring) takeUses() {
	const most, leastName = 8, 4 // files that define a name, and its length: more common names lead nowhere
	if weight(sUses, s.q.mode) == 0 {
		return
	}
	worth := make(map[term]float64)
	for i, best := range s.bestChunks() {
		name := lastPart(s.ix.files[best.file].Stats.chunks[best.chunk].name)
		files := len(s.ix.defined[name])
		if files <= most && len(name) >= leastName && !strings.HasPrefix(name, "__") {
			worth[termOf(name)] += best.fit / math.Sqrt(float64(i+1)) / float64(files)
		}
	}
	l := newLookup(slices.Sorted(maps.Keys(worth)))
	parallel(len(s.ix.files), func(f int) {
		for _, h := range s.ix.files[f].Stats.bag.hits(l) {
			s.values[sUses][f] += worth[l.terms[h.at]]
		}
	})
}

type bestChunk struct {
	file, chunk int
	fit         float64
}

// bestChunks are the best definitions in source files, best first.
func (s *scoring) bestChunks() []bestChunk {
	const most = 15
	best := make([]bestChunk, 0, most+1)
	for f := range s.chunks {
		if s.ix.files[f].kind != source {
			continue
		}
		for c, v := range s.chunks[f] {
			full := len(best) == most
			if v <= 0 || s.ix.files[f].Stats.chunks[c].name == "" || full && v <= best[most-1].fit {
				continue
			}
			at, _ := slices.BinarySearchFunc(best, v, func(b bestChunk, v float64) int {
				if b.fit >= v {
					return -1
				}
				return 1
			})
			best = slices.Insert(best, at, bestChunk{f, c, v})
			best = best[:min(most, len(best))]
		}
	}
	return best
}

// takeKinds marks files that are not source, and files that only represent their package.
func (s *scoring) takeKinds() {
	for f := range s.ix.files {
		switch s.ix.files[f].kind {
		case test:
			s.values[sTest][f] = 1
		case document, config:
			s.values[sDocument][f] = 1
		case source:
		}
		s.values[sAside][f] = s.ix.files[f].aside
		if isPackage(s.ix.files[f].Path) {
			s.values[sPackage][f] = 1
		}
	}
}
