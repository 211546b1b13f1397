package toollimit

import (
	"math"
	"sort"
	"strings"

	"github.com/forayhq/foray/internal/line"
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
	matches []hitLine
	around  []contextLine

	plain int // 0 if a match defines a searched word, else 1
	class int
	hits  int // as the head says
	best  int // index of the match to show first
}

// A hitLine is a match as it is shown, with its newline, and where it is in the text.
type hitLine struct {
	at       int
	from, to int // line numbers in the file; 0 if unknown
	text     string
	size
}

// nth returns the index of the match to show after n others.
func (f *fileHits) nth(n int) int {
	switch {
	case n == 0:
		return f.best
	case n <= f.best:
		return n - 1
	}
	return n
}

// A contextLine is a line near a match, with its distance to the nearest one that is shown.
type contextLine struct {
	sizedLine
	number int // in the file
	away   int
}

type hits struct {
	text        string
	notes, foot []sizedLine
	files       []fileHits
	hits        int
	all         size     // of the text
	longest     int      // runes of the longest match
	words       []string // that were searched
	order       []int    // of files, the best first
}

func parseHits(text string) hits {
	h := hits{text: text}
	for _, l := range linesOf(text) {
		s := l.of(text)
		l := sizedLine{l, sizeOf(s)}
		h.all = h.all.plus(l.size)
		switch {
		case grep.IsFile(s):
			h.files = append(h.files, fileHits{head: l})
		case len(h.files) == 0:
			h.notes = append(h.notes, l)
		case grep.IsMatch(s):
			from, to := grep.Numbers(s)
			f := &h.files[len(h.files)-1]
			f.matches = append(f.matches, hitLine{at: l.at, from: from, to: to, text: s, size: l.size})
			h.hits, h.longest = h.hits+1, max(h.longest, l.runes)
		case isNote(s):
			h.foot = append(h.foot, l)
		default:
			from, _ := grep.Numbers(s)
			f := &h.files[len(h.files)-1]
			f.around = append(f.around, contextLine{sizedLine: l, number: from})
		}
	}
	return h
}

// clip shortens the text of a match to at most so many runes around the searched word. Without a known word it keeps
// the start, or the middle if the tool has already shortened the line around its match.
func (h *hits) clip(m hitLine, runes int) hitLine {
	if m.runes <= runes {
		return m
	}
	s := strings.TrimRight(m.text, "\r\n")
	_, text := grep.CutMatch(s)
	head, text := s[:len(s)-len(text)], strings.TrimLeft(text, " \t")
	from, to := h.hitIn(text)
	short := m
	short.text = head + line.Around([]byte(text), from, to, runes-2) + "\n" // 2 for ellipses
	if short.size = sizeOf(short.text); !short.within(m.size) {
		return m
	}
	return short
}

// hitIn finds a searched word in the text of a match.
func (h *hits) hitIn(text string) (from, to int) {
	low := lowerASCII(text)
	for _, w := range h.words {
		if i := strings.Index(low, lowerASCII(w)); i >= 0 {
			return i, i + len(w)
		}
	}
	if strings.HasPrefix(text, "…") {
		middle := len(text) / 2
		for middle < len(text) && text[middle]&0xc0 == 0x80 {
			middle++
		}
		return middle, middle
	}
	return 0, 0
}

// measure sets the distance of each context line to the nearest match that is shown, in lines.
func (f *fileHits) measure(shown []hitLine) {
	for i := range f.around {
		a := &f.around[i]
		a.away = math.MaxInt
		at := sort.Search(len(shown), func(i int) bool { return shown[i].at > a.at })
		if at < len(shown) && a.number > 0 {
			a.away = max(shown[at].from-a.number, 1)
		}
		if at > 0 && a.number > 0 {
			a.away = min(a.away, max(a.number-shown[at-1].to, 1))
		}
	}
}

// maxAway is the largest distance of a context line: a search returns at most 20 lines of context.
const maxAway = 20
