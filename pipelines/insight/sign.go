package insight

import (
	"fmt"
)

// A sign is a rule about lines. All hits of its query that pass keep make one finding.
type sign struct {
	importance string
	query      query
	anywhere   bool              // looks in tests and examples too
	inTests    bool              // looks in tests only
	inStrings  bool              // the hit may be in a string or a comment
	unless     query             // excludes files in which it has a hit; zero: none
	keep       func(h *hit) bool // nil: all
	one, many  string            // titles; many has a %d
	claim      string
}

// longLine is the length from which a line counts as generated, in bytes.
const longLine = 400

// find returns the finding of a sign, if any.
func (s *survey) find(g sign) []draft {
	hits, done := s.search(g.query)
	excluded, listed := s.files(g.unless)
	generated, searched := s.generated()
	if !done || !listed || !searched {
		return nil
	}
	var kept []hit
	for _, h := range hits {
		switch {
		case excluded[h.path], generated[h.path], !g.appliesTo(h):
		case !g.inStrings && !h.inCode():
		case g.keep == nil || g.keep(&h):
			kept = append(kept, h)
		}
	}
	total := len(kept)
	if !g.inStrings {
		checked, all, done := s.dropQuoted(firstOfEachFile(kept))
		if !done {
			return nil
		}
		if kept = checked; all {
			total = len(kept)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return []draft{g.draft(kept, total)}
}

// draft makes the finding of the hits that were confirmed, out of total hits that match.
func (g sign) draft(kept []hit, total int) draft {
	f := draft{importance: g.importance, title: g.one, claim: g.claim, evidence: cites(kept)}
	if len(kept) > 1 {
		f.title = fmt.Sprintf(g.many, len(kept))
	}
	if total > len(kept) {
		f.title += " (more lines match)"
		f.claim += fmt.Sprintf(" Lines that match: %d; read and confirmed: %d.", total, len(kept))
	}
	if len(kept) > mostEvidence {
		f.claim += fmt.Sprintf(" %d are cited.", mostEvidence)
	}
	return f
}

// firstOfEachFile moves the first hit of each file before all other hits.
func firstOfEachFile(hits []hit) []hit {
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
