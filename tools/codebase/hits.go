package codebase

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"unicode/utf8"
)

// maxHitRunes is how much of a line with a hit is shown.
const maxHitRunes = 500

// maxFileHits bounds the hits of one pattern that are told apart in one file when several patterns or multiline are
// asked for.
const maxFileHits = 1 << 16

// A hit is a span and the index of the pattern that found it.
type hit struct {
	span
	pattern int
}

// find searches data, the content of the file p. The matches are told only if texts is set.
func (q *query) find(ctx context.Context, p string, data []byte, texts bool) fileHits {
	r := fileHits{path: p}
	several := len(q.matchers) > 1
	keep := 0
	switch {
	case several:
		keep = maxFileHits
	case texts:
		keep = q.perFile
	}
	var hits []hit
	for i, m := range q.matchers {
		n := 0
		err := m.each(ctx, data, func(s span) bool {
			r.suspect = r.suspect || hinted(data[s.from:s.to])
			if n++; n <= keep {
				hits = append(hits, hit{s, i})
			}
			return true
		})
		r.hits += n
		r.err = cmp.Or(r.err, err)
		if several {
			r.counts = append(r.counts, n)
		}
	}
	if several {
		slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.from, b.from) })
		hits = slices.CompactFunc(hits, func(a, b hit) bool { return a.from == b.from })
		r.hits = len(hits)
		hits = hits[:min(len(hits), q.perFile)]
	}
	r.kept = min(r.hits, q.perFile)
	if q.mode != "content" {
		r.kept = min(r.hits, 1)
	}
	if texts {
		r.matches = matches(data, hits, several)
	}
	return r
}

func matches(data []byte, hits []hit, several bool) []Match {
	out := make([]Match, len(hits))
	line, at := 1, 0
	for i, h := range hits {
		line += bytes.Count(data[at:h.from], []byte("\n"))
		at = h.from
		first := data[h.from:h.to]
		if n := bytes.IndexByte(first, '\n'); n >= 0 {
			first = first[:n]
		}
		start := min(h.start-h.from, len(first))
		m := Match{
			Line:   line,
			Column: utf8.RuneCount(first[:start]) + 1,
			Text:   around(first, start, min(h.end-h.from, len(first))),
		}
		if n := bytes.Count(data[h.from:h.to], []byte("\n")); n > 0 {
			m.EndLine = line + n
		}
		if several {
			m.Pattern = h.pattern + 1
		}
		out[i] = m
	}
	return out
}

// around is line as valid UTF-8, cut to maxHitRunes with the match in its middle. An ellipsis stands for what is cut.
func around(line []byte, start, end int) string {
	if len(line) <= maxHitRunes || utf8.RuneCount(line) <= maxHitRunes {
		return oneLine(string(line))
	}
	room := max(maxHitRunes-utf8.RuneCount(line[start:end]), 0)
	from, to := start, start
	for n := room / 2; n > 0 && from > 0; n-- {
		_, size := utf8.DecodeLastRune(line[:from])
		from -= size
	}
	for n := maxHitRunes - utf8.RuneCount(line[from:start]); n > 0 && to < len(line); n-- {
		_, size := utf8.DecodeRune(line[to:])
		to += size
	}
	s := oneLine(string(line[from:to]))
	if from > 0 {
		s = "…" + s
	}
	if to < len(line) {
		s += "…"
	}
	return s
}
