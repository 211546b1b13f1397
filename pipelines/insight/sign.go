package insight

import (
	"fmt"
)

// A sign is a rule about lines: hits of a query that are kept are one finding.
type sign struct {
	importance string
	query      query
	anywhere   bool              // tests and examples too
	inTests    bool              // tests only
	inStrings  bool              // the hit may be in a string or a comment
	unless     query             // files with a hit of it are left out; zero: none
	keep       func(h *hit) bool // nil: all
	one, many  string            // titles; many has a %d
	claim      string
}

// longLine is how long a line is that nobody wrote by hand, in bytes.
const longLine = 400

// find returns the finding of a sign, if there is one.
func (s *survey) find(g sign) []draft {
	hits, done := s.search(g.query)
	out, known := s.files(g.unless)
	written, scanned := s.generated()
	if !done || !known || !scanned {
		return nil
	}
	var kept []hit
	for _, h := range hits {
		switch {
		case out[h.path], written[h.path], !g.concerns(h):
		case !g.inStrings && !h.inCode():
		case g.keep == nil || g.keep(&h):
			kept = append(kept, h)
		}
	}
	total := len(kept)
	if !g.inStrings {
		read, all, done := s.unquoted(spread(kept))
		if !done {
			return nil
		}
		if kept = read; all {
			total = len(kept)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return []draft{g.draft(kept, total)}
}

// draft is the finding of hits that were read, of so many that look like it.
func (g sign) draft(kept []hit, total int) draft {
	f := draft{importance: g.importance, title: g.one, claim: g.claim, evidence: cites(kept)}
	if len(kept) > 1 {
		f.title = fmt.Sprintf(g.many, len(kept))
	}
	if total > len(kept) {
		f.title += " (more lines match)"
		f.claim += fmt.Sprintf(" %d lines match; %d of them were read and confirmed.", total, len(kept))
	}
	if len(kept) > mostEvidence {
		f.claim += fmt.Sprintf(" %d are cited.", mostEvidence)
	}
	return f
}

// spread orders hits so that each file comes once before any comes again.
func spread(hits []hit) []hit {
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

// concerns reports whether a sign says something of the place of a hit.
func (g sign) concerns(h hit) bool {
	switch {
	case isForeign(h.path), len(h.text) > longLine, acknowledged.MatchString(h.text):
		return false
	case g.anywhere:
		return true
	}
	return isTest(h.path) == g.inTests && !isAside(h.path)
}

// findAll returns the findings of some signs.
func (s *survey) findAll(signs []sign) []draft {
	var all []draft
	for _, g := range signs {
		all = append(all, s.find(g)...)
	}
	return all
}

// cites are the citations of some hits, not more than mostEvidence.
func cites(hits []hit) []string {
	var all []string
	for _, h := range hits[:min(len(hits), mostEvidence)] {
		all = append(all, h.cite())
	}
	return all
}
