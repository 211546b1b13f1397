package locate

import (
	"math"
	"slices"
	"strings"
)

// takeNames finds the definitions whose names the query holds, and where such names are used.
func (s *scoring) takeNames() {
	for _, part := range []struct {
		signal signal
		names  []string
	}{{sDefined, s.q.names}, {sTitleSymbol, s.q.titleNames}} {
		for _, name := range part.names {
			w := s.worth(name)
			for _, f := range s.ix.defined[name] {
				s.values[part.signal][f] += w
			}
		}
	}
	for _, name := range s.q.qualified {
		files := s.ix.qualified(name)
		for _, f := range files {
			s.values[sQualified][f] += idf(len(files), len(s.ix.files))
		}
	}
	used := make([]bool, len(s.lookup.terms))
	for _, t := range wordsOf(strings.Join(s.q.names, " ")).terms {
		if at, found := s.lookup.find(t); found {
			used[at] = true
		}
	}
	for f := range s.hits {
		for _, h := range s.hits[f] {
			if used[h.at] {
				s.values[sOccurring][f] += s.idf[h.at]
			}
		}
	}
}

// worth is how much it tells that a file defines a name: the fewer files define it, and the fewer use it, the more. What
// is raised is rarely wrong where it is defined, and what the text's own code defines is another thing of that name.
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

var raisedNames = []string{"Error", "Exception", "Warning"}

// termOf is the term of an identifier as a whole.
func termOf(name string) (last term) {
	var sp splitter
	sp.terms([]byte(name), func(t term) { last = t })
	return last
}

// takeMentions finds the paths and the modules that the query names. What a traceback passes through is not named.
func (s *scoring) takeMentions() {
	for _, p := range s.q.paths {
		for _, f := range s.ix.atPath(p) {
			s.values[sMentioned][f] = 1
		}
	}
	for _, d := range s.q.dotted {
		parts := strings.Split(d, ".")
		for n := len(parts); n > 1; n-- {
			for _, f := range s.ix.atModule(strings.Join(parts[:n], "/")) {
				s.values[sDotted][f] = max(s.values[sDotted][f], float64(n)/float64(len(parts)))
			}
		}
	}
}

// takeKinds tells what is not source, and what only names a package.
func (s *scoring) takeKinds() {
	for f := range s.ix.files {
		switch s.ix.files[f].kind {
		case test:
			s.values[sTest][f] = 1
		case document, config:
			s.values[sDocument][f] = 1
		case source:
		}
		switch {
		case s.ix.files[f].Stats.generated:
			s.values[sAside][f] = 1
		case isAside(s.ix.files[f].Path):
			s.values[sAside][f] = .5
		}
		if isPackage(s.ix.files[f].Path) {
			s.values[sPackage][f] = 1
		}
	}
}
