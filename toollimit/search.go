package toollimit

import (
	"math"
	"slices"
	"strings"
)

// The lines of a search result: notes first, then groups of a file's name with its number of hits, each followed by
// matches ("L12 text") and lines around them ("L11- text").

// A sized is a line and what it takes.
type sized struct {
	line
	size
}

func total(ls []sized) (t size) {
	for _, l := range ls {
		t = t.plus(l.size)
	}
	return t
}

// A found is the file of a group: its head line, its matches, and the lines around them.
type found struct {
	head    sized
	matches []sized
	around  []near
}

// A near is a line around a match, and how many lines away the next match is.
type near struct {
	sized
	away int
}

// A hunt is a search result taken apart.
type hunt struct {
	text        string
	notes, foot []sized
	files       []found
	hits        int
	clipped     size // what was cut off long lines
}

// matchLine reports whether s is a match, as "L12 text", or "L12-14 text" for one of several lines; aroundLine whether it
// is a line around one, as "L11- text".
func matchLine(s string) bool {
	after := afterNumber(s)
	if strings.HasPrefix(after, "-") {
		after = strings.TrimLeft(after[1:], "0123456789")
		return len(after) > 0 && after[0] != '-' && !aroundLine(s)
	}
	return after != "" && strings.IndexByte(" \t:", after[0]) >= 0
}

func aroundLine(s string) bool {
	after := afterNumber(s)
	return strings.HasPrefix(after, "-") && (len(after) == 1 || after[1] < '0' || after[1] > '9')
}

// afterNumber returns what stands behind "L" and a number, or "?" for one that is not known; "" if s does not begin so.
func afterNumber(s string) string {
	switch {
	case len(s) < 2 || s[0] != 'L':
		return ""
	case s[1] == '?':
		return s[2:]
	case s[1] < '0' || s[1] > '9':
		return ""
	}
	return strings.TrimLeft(s[1:], "0123456789")
}

// fileLine reports whether s names a file with its hits, as "path (12 hits)".
func fileLine(s string) bool {
	s = strings.TrimRight(s, " \r\n")
	for _, end := range []string{" hits)", "(1 hit)", " matches)", "(1 match)"} {
		if strings.HasSuffix(s, end) {
			return !matchLine(s) && !aroundLine(s)
		}
	}
	return false
}

// withinMatches reports whether text has no more matches, or entries, than q allows; of a batch each part counts alone.
func withinMatches(k Kind, text string, q Quota) bool {
	if q.MaxMatches <= 0 {
		return true
	}
	if k == Batch {
		return !slices.ContainsFunc(sections(text), func(part string) bool {
			return countMatches(partKind(part), part) > q.MaxMatches
		})
	}
	return countMatches(k, text) <= q.MaxMatches
}

func countMatches(k Kind, text string) (n int) {
	switch k {
	case Search:
		for l := range strings.Lines(grouped(text)) {
			if matchLine(l) {
				n++
			}
		}
	case Listing:
		for l := range strings.Lines(text) {
			if strings.TrimSpace(l) != "" && !isNote(l) {
				n++
			}
		}
	case Text, File, Output, JSON, Diff, Receipt, Batch, Error, Binary:
	}
	return n
}

func takeApart(text string) hunt {
	h := hunt{text: text}
	for _, l := range linesOf(text) {
		s := l.of(text)
		l := sized{l, sizeOf(s)}
		switch {
		case fileLine(s):
			h.files = append(h.files, found{head: l})
		case len(h.files) == 0:
			h.notes = append(h.notes, l)
		case matchLine(s):
			f := &h.files[len(h.files)-1]
			f.matches = append(f.matches, l)
			h.hits++
		case isNote(s):
			h.foot = append(h.foot, l)
		default:
			f := &h.files[len(h.files)-1]
			f.around = append(f.around, near{sized: l})
		}
	}
	for i := range h.files {
		h.files[i].measure()
	}
	return h
}

// measure sets how far each line around is from the next match, in lines.
func (f *found) measure() {
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

// between counts the lines around that stand from one place to another, as a distance.
func between(f *found, from, to int) (n int) {
	lo, hi := 0, len(f.around)
	for lo < hi {
		if mid := (lo + hi) / 2; f.around[mid].at < from {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for ; lo < len(f.around) && f.around[lo].at < to && n < maxAway; lo++ {
		n++
	}
	return n
}

// maxAway is the farthest that a line around counts as near to its match: the 20 lines that a search may ask for.
const maxAway = 20
