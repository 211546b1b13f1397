package toollimit

import (
	"math"
	"sort"
	"strings"

	"github.com/forayhq/foray/toollimit/internal/grep"
)

type sizedLine struct {
	span
	size
}

// textOf joins the lines.
func textOf(text string, ls []sizedLine) string {
	var b strings.Builder
	for _, l := range ls {
		b.WriteString(l.of(text))
	}
	return b.String()
}

func total(ls []sizedLine) (t size) {
	for _, l := range ls {
		t = t.plus(l.size)
	}
	return t
}

// A fileHits is a group: the head line with the name of a file, its matches, and the lines around them.
type fileHits struct {
	head    sizedLine
	matches []sizedLine
	around  []contextLine
}

// A contextLine is a line near a match, with its distance to the nearest one.
type contextLine struct {
	sizedLine
	away int
}

type hits struct {
	text        string
	notes, foot []sizedLine
	files       []fileHits
	hits        int
	clipped     size // what was dropped from long lines
}

func parseHits(text string) hits {
	h := hits{text: text}
	for _, l := range linesOf(text) {
		s := l.of(text)
		l := sizedLine{l, sizeOf(s)}
		switch {
		case grep.IsFile(s):
			h.files = append(h.files, fileHits{head: l})
		case len(h.files) == 0:
			h.notes = append(h.notes, l)
		case grep.IsMatch(s):
			f := &h.files[len(h.files)-1]
			f.matches = append(f.matches, l)
			h.hits++
		case isNote(s):
			h.foot = append(h.foot, l)
		default:
			f := &h.files[len(h.files)-1]
			f.around = append(f.around, contextLine{sizedLine: l})
		}
	}
	for i := range h.files {
		h.files[i].measure()
	}
	return h
}

// measure sets the distance of each context line to the nearest match, in lines.
func (f *fileHits) measure() {
	m := 0
	for i := range f.around {
		a := &f.around[i]
		a.away = math.MaxInt
		for m < len(f.matches) && f.matches[m].at < a.at {
			m++
		}
		if m < len(f.matches) {
			a.away = between(f, a.at, f.matches[m].at)
		}
		if m > 0 {
			a.away = min(a.away, 1+between(f, f.matches[m-1].at, a.at))
		}
	}
}

// between counts the context lines in a range of the text, at most maxAway.
func between(f *fileHits, from, to int) (n int) {
	at := sort.Search(len(f.around), func(i int) bool { return f.around[i].at >= from })
	for at+n < len(f.around) && f.around[at+n].at < to && n < maxAway {
		n++
	}
	return n
}

// maxAway is the largest distance of a context line: a search returns at most 20 lines of context.
const maxAway = 20
