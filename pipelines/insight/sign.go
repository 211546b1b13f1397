package insight

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A sign is a rule about lines. All hits of its query that pass keep make one finding.
type sign struct {
	importance string
	query      query
	anywhere   bool              // looks in tests and examples too
	inTests    bool              // looks in tests only
	inStrings  bool              // the hit may be in a string or a comment
	always     bool              // however often the project does it
	unless     query             // excludes files in which it has a hit; zero: none
	elsewhere  query             // excludes folders in which it has a hit, as a default set in another file; zero: none
	keep       func(h *hit) bool // nil: all
	// weigh judges a hit by the function around it. It returns "" for a sure hit, drop for no finding, or why the hit may
	// be intended.
	weigh     func(h *hit, s scope) string
	one, many string // titles; many has a %d
	claim     string
}

// longLine is the length from which a line counts as generated, in bytes.
const longLine = 400

// find returns the findings of a sign: one of the hits that are sure, and one, a level lower, of the others.
func (s *survey) find(g sign) []draft {
	hits, done := s.search(g.query)
	excluded, listed := s.files(g.unless)
	settled, searched := s.folders(g.elsewhere)
	generated, known := s.generated()
	if !done || !listed || !known || !searched {
		return nil
	}
	var kept []hit
	for _, h := range hits {
		switch {
		case excluded[h.path], generated[h.path], settled[path.Dir(h.path)], !g.appliesTo(h):
		case !g.inStrings && !h.inCode():
		case g.keep == nil || g.keep(&h):
			kept = append(kept, h)
		}
	}
	total := len(kept)
	sure, doubted, done := s.confirm(g, firstOfEachFile(kept))
	if !done {
		return nil
	}
	more := max(0, total-mostRead)
	var all []draft
	if len(sure) > 0 {
		all = append(all, g.draft(sure, more))
		more = 0
	}
	if len(doubted) > 0 {
		all = append(all, g.doubtful(doubted, more))
	}
	return all
}

// draft makes the finding of hits that were confirmed; more is how many others were not read.
func (g sign) draft(kept []hit, more int) draft {
	f := draft{importance: g.importance, title: g.one, claim: g.claim, evidence: cites(kept)}
	if len(kept) > 1 {
		f.title = fmt.Sprintf(g.many, len(kept))
	}
	if more > 0 {
		f.title += " (more lines match)"
		f.claim += fmt.Sprintf(" Lines that match: %d; read and confirmed: %d.", len(kept)+more, len(kept))
	}
	if len(kept) > mostEvidence {
		f.claim += fmt.Sprintf(" %d are cited.", mostEvidence)
	}
	return f
}

// doubtful makes the finding of hits that may be intended. It is less important, and says why.
func (g sign) doubtful(kept []hit, more int) draft {
	f := g.draft(kept, more)
	f.title, f.doubtful = f.title+", maybe on purpose", true
	if f.importance = lower[f.importance]; f.importance == "" {
		f.importance = low
	}
	var reasons []string
	for _, h := range kept {
		if !slices.Contains(reasons, h.doubt) {
			reasons = append(reasons, h.doubt)
		}
	}
	f.claim += " It may be meant: " + strings.Join(reasons, "; ") + "."
	return f
}

// lower is the importance of a finding in doubt.
var lower = map[string]string{high: medium, medium: low}

// firstOfEachFile moves the first hit of each file before all other hits, and those in shipped code before all.
func firstOfEachFile(hits []hit) []hit {
	hits = slices.Clone(hits)
	slices.SortStableFunc(hits, func(a, b hit) int { return len(doubtOfPath(a.path)) - len(doubtOfPath(b.path)) })
	var first, more []hit
	seen := make(map[string]bool)
	for _, h := range hits {
		if seen[h.path] {
			more = append(more, h)
		} else {
			first = append(first, h)
		}
		seen[h.path] = true
	}
	return append(first, more...)
}

// appliesTo reports whether a sign looks at the file and line of a hit.
func (g sign) appliesTo(h hit) bool {
	switch {
	case isForeign(h.path), len(h.text) > longLine, linterMark.MatchString(h.text):
		return false
	case g.anywhere:
		return true
	}
	return isTest(h.path) == g.inTests && !isAside(h.path)
}

// findAll returns the findings of all signs of a table.
func (s *survey) findAll(signs []sign) []draft {
	var all []draft
	for _, g := range signs {
		all = append(all, s.find(g)...)
	}
	return all
}

// cites returns the citations of the first mostEvidence hits.
func cites(hits []hit) []string {
	var all []string
	for _, h := range hits[:min(len(hits), mostEvidence)] {
		all = append(all, h.cite())
	}
	return all
}
