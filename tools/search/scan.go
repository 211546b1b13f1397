package search

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A scan finds needles in a text, from start to end. It remembers the next place of each needle, so that it reads the
// text once for each needle, however many hits it has.
type scan struct {
	data  []byte
	n     *needles
	where []sighting
}

// A sighting is the next place of a needle, and of its rarest byte in lower and upper case; len(data) if it has none.
type sighting struct{ at, lower, upper int }

func newScan(data []byte, n *needles) *scan {
	s := &scan{data: data, n: n, where: make([]sighting, len(n.list))}
	for i := range s.where {
		s.where[i] = sighting{-1, -1, -1}
	}
	return s
}

// next returns the first place at or after at where a needle starts, or -1. at must not decrease from call to call.
func (s *scan) next(at int) int {
	first := len(s.data)
	for i := range s.where {
		w := &s.where[i]
		switch want, k := s.n.list[i], s.n.rare[i]; {
		case w.at >= at:
		case s.n.fold:
			w.at = s.findFold(w, want, k, at)
		default:
			w.at = indexFrom(s.data, at, func(rest []byte) int { return index(rest, want, k) })
		}
		first = min(first, w.at)
	}
	if first == len(s.data) {
		return -1
	}
	return first
}

// index is bytes.Index, but faster in source code: it looks for the byte k of want, its rarest. Where that byte is
// frequent after all, bytes.Index takes over, which repetition does not slow down.
func index(data, want []byte, k int) int {
	first, last := want[0], want[len(want)-1]
	fails := 0
	for at := 0; at+len(want) <= len(data); {
		i := bytes.IndexByte(data[at+k:], want[k])
		if i < 0 || at+i+len(want) > len(data) {
			return -1
		}
		at += i
		if data[at] == first && data[at+len(want)-1] == last && bytes.Equal(data[at:at+len(want)], want) {
			return at
		}
		at++
		if fails++; fails > 16+at/16 {
			if i = bytes.Index(data[at:], want); i >= 0 {
				return at + i
			}
			return -1
		}
	}
	return -1
}

// findFold returns the next place of want in either case. It jumps to places of the byte k, its rarest, in lower or
// upper case, and compares there.
func (s *scan) findFold(w *sighting, want []byte, k, at int) int {
	lower, upper := want[k], byte(unicode.ToUpper(rune(want[k])))
	if want[k] >= utf8.RuneSelf {
		upper = lower
	}
	for {
		if w.lower < at+k {
			w.lower = indexFrom(s.data, at+k, func(rest []byte) int { return bytes.IndexByte(rest, lower) })
		}
		if w.upper < at+k {
			w.upper = indexFrom(s.data, at+k, func(rest []byte) int { return bytes.IndexByte(rest, upper) })
		}
		at = min(w.lower, w.upper) - k
		if at+len(want) > len(s.data) {
			return len(s.data)
		}
		if equalFold(s.data[at:at+len(want)], want) {
			return at
		}
		at++
	}
}

func indexFrom(data []byte, at int, index func([]byte) int) int {
	if at >= len(data) {
		return len(data)
	}
	if i := index(data[at:]); i >= 0 {
		return at + i
	}
	return len(data)
}

// equalFold compares bytes, and ignores the case of ASCII letters; want is in lower case.
func equalFold(got, want []byte) bool {
	for i, c := range got {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != want[i] {
			return false
		}
	}
	return true
}

// common are the bytes of source code from frequent to rare, measured over the Go standard library.
const common = " \tetnroiasc\nlpufd.m,()hgb/\"*=vy1x:0kw-_{};T2S"

func rarest(want []byte) int {
	best, score := 0, -1
	for i, c := range want {
		n := strings.IndexByte(common, c)
		if n < 0 {
			return i
		}
		if n > score {
			best, score = i, n
		}
	}
	return best
}

// ascii reports whether the needles can be folded by bytes: they have no letters beyond ASCII.
func (n *needles) ascii() bool {
	return !slices.ContainsFunc(n.list, func(b []byte) bool {
		return bytes.ContainsFunc(b, func(r rune) bool {
			return r >= utf8.RuneSelf && unicode.SimpleFold(r) != r || r == utf8.RuneError
		})
	})
}

// foreign are the letters beyond ASCII that fold to ASCII ones: the long s and the Kelvin sign.
var foreign = []struct{ letter, ascii []byte }{{[]byte("\u017f"), []byte("s")}, {[]byte("\u212a"), []byte("k")}}

// foldMisses reports whether folding by bytes could miss a match: data contains a foreign letter, and a needle its
// ASCII counterpart.
func (n *needles) foldMisses(data []byte) bool {
	for _, f := range foreign {
		has := func(b []byte) bool { return bytes.Contains(b, f.ascii) }
		if n.fold && slices.ContainsFunc(n.list, has) && bytes.Contains(data, f.letter) {
			return true
		}
	}
	return false
}
