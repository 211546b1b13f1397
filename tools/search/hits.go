package search

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools/tree"
)

// maxHitRunes is how much of a line with a hit is shown, in runes.
const maxHitRunes = 500

// maxFileHits is how many hits of each pattern are merged in one file, if there are several patterns.
const maxFileHits = 1 << 16

// A hit is a span and the index of the pattern that found it.
type hit struct {
	span
	pattern int
}

// A fileHits holds the hits in one file.
type fileHits struct {
	File
	shown   int   // how many of the hits may be returned: at most Query.PerFile, or 1 if Query.Brief
	counts  []int // by pattern, if there are several
	suspect bool  // a line with a hit may hold a credential
	err     error // why part of the file was not searched
}

// find searches data, the text of the file p. It fills in Matches only if texts is set.
func (s *Search) find(ctx context.Context, t *tree.Tree, p string, data []byte, texts bool) fileHits {
	r := fileHits{File: File{Path: p}}
	several := len(s.patterns) > 1
	keep := 0
	switch {
	case several:
		keep = maxFileHits
	case texts:
		keep = s.PerFile
	}
	var hits []hit
	for i, m := range s.patterns {
		n, last := 0, span{}
		err := m.each(ctx, data, func(at span) bool {
			if at.from != last.from || at.to != last.to { // one line may have very many hits
				r.suspect = r.suspect || t.Suspect(p, data[at.from:at.to])
				last = at
			}
			if n++; n <= keep {
				hits = append(hits, hit{at, i})
			}
			return true
		})
		r.Hits += n
		r.err = cmp.Or(r.err, err)
		if several {
			r.counts = append(r.counts, n)
		}
	}
	if several {
		slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.from, b.from) })
		hits = slices.CompactFunc(hits, func(a, b hit) bool { return a.from == b.from })
		r.Hits = len(hits)
		hits = hits[:min(len(hits), s.PerFile)]
	}
	r.shown = min(r.Hits, s.PerFile)
	if s.Brief {
		r.shown = min(r.Hits, 1)
	}
	if texts {
		r.Matches = s.matches(data, hits, several)
	}
	return r
}

func (s *Search) matches(data []byte, hits []hit, several bool) []Match {
	out := make([]Match, len(hits))
	n, at := 1, 0
	for i, h := range hits {
		if h.rough {
			s.patterns[h.pattern].locate(data, &h.span)
		}
		n += bytes.Count(data[at:h.from], []byte("\n"))
		at = h.from
		first := data[h.from:h.to]
		if end := bytes.IndexByte(first, '\n'); end >= 0 {
			first = first[:end]
		}
		start := min(h.start-h.from, len(first))
		m := Match{
			Line:   n,
			Column: utf8.RuneCount(first[:start]) + 1,
			Text:   line.Around(first, start, min(h.end-h.from, len(first)), maxHitRunes),
		}
		if more := bytes.Count(data[h.from:h.to], []byte("\n")); more > 0 {
			m.EndLine = n + more
		}
		if several {
			m.Pattern = h.pattern + 1
		}
		out[i] = m
	}
	return out
}
