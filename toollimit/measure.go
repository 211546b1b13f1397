package toollimit

import (
	"math"
	"strings"
	"unicode/utf8"
)

// A size is what a text takes: thousandths of a token, and runes.
type size struct{ cost, runes int }

func sizeOf(s string) size { return size{cost(s), Runes(s)} }

// Runes counts runes, as utf8.RuneCountInString does, but ASCII eight bytes at a time.
func Runes(s string) int {
	const word, high = 8, 0x80
	n := 0
	for n+word <= len(s) && s[n]|s[n+1]|s[n+2]|s[n+3]|s[n+4]|s[n+5]|s[n+6]|s[n+7] < high {
		n += word
	}
	return n + utf8.RuneCountInString(s[n:])
}

func (a size) plus(b size) size   { return size{a.cost + b.cost, a.runes + b.runes} }
func (a size) minus(b size) size  { return size{a.cost - b.cost, a.runes - b.runes} }
func (a size) within(b size) bool { return a.cost <= b.cost && a.runes <= b.runes }
func (a size) share(pct int) size { return size{percent(a.cost, pct), percent(a.runes, pct)} }
func (a size) atMost(b size) size { return size{min(a.cost, b.cost), min(a.runes, b.runes)} }
func (a size) tokens() int        { return (a.cost + perToken - 1) / perToken }

func percent(n, pct int) int { return n/100*pct + n%100*pct/100 }

// room returns the bound of q as a size; no bound is the largest.
func (q Quota) room() size {
	r := size{math.MaxInt, math.MaxInt}
	if q.MaxTokens > 0 && q.MaxTokens < math.MaxInt/perToken {
		r.cost = q.MaxTokens * perToken
	}
	if q.MaxChars > 0 {
		r.runes = q.MaxChars
	}
	return r
}

// A line is a part of a text from at to end, its newline included.
type line struct{ at, end int }

func (l line) of(s string) string { return s[l.at:l.end] }

// linesOf returns the lines of s. Their costs add up to that of s, so what is left of a text need not be counted.
func linesOf(s string) []line {
	ls := make([]line, 0, strings.Count(s, "\n")+1)
	for at := 0; at < len(s); {
		end := len(s)
		if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		ls = append(ls, line{at, end})
		at = end
	}
	return ls
}

// take returns how many lines from the front fit into room, and what they take.
func take(s string, ls []line, room size) (n int, used size) {
	for _, l := range ls {
		z := used.plus(sizeWithin(l.of(s), room))
		if !z.within(room) {
			break
		}
		used = z
		n++
	}
	return n, used
}

// takeBack is take from the back.
func takeBack(s string, ls []line, room size) (n int, used size) {
	for i := len(ls) - 1; i >= 0; i-- {
		z := used.plus(sizeWithin(ls[i].of(s), room))
		if !z.within(room) {
			break
		}
		used = z
		n++
	}
	return n, used
}

// countedAtOnce is how much of a line is counted before it is compared with the room, in bytes.
const countedAtOnce = 8 << 10

// sizeWithin is sizeOf for a text that may be much too large: then it counts no further, but returns more than room.
func sizeWithin(s string, room size) size {
	switch {
	case len(s)/utf8.UTFMax > room.runes:
		return size{0, len(s)}
	case len(s) <= countedAtOnce:
		return sizeOf(s)
	}
	sum, at := 0, uint32(0)
	for from := 0; from < len(s); {
		for end := min(from+countedAtOnce, len(s)); from < end; from++ {
			e := steps[(at+uint32(classOf[s[from]]))%tableSize]
			at = e & 0xffff
			sum += int(e >> 16)
		}
		if sum > room.cost {
			return size{sum, 0}
		}
	}
	return size{sum, Runes(s)}
}

// lineSize is the size of s with a newline behind it.
func lineSize(s string) size {
	sum, at := 0, uint32(0)
	for i := range len(s) {
		e := steps[(at+uint32(classOf[s[i]]))%tableSize]
		sum += int(e >> 16)
		at = e & 0xffff
	}
	return size{sum + int(steps[at+newline]>>16), Runes(s) + 1}
}

// prefix returns the longest start of s within r that ends at a rune border.
func prefix(s string, r size) string {
	sum, at, runes, end := 0, uint32(0), 0, 0
	for i := range len(s) {
		if utf8.RuneStart(s[i]) {
			if runes >= r.runes {
				return s[:i]
			}
			runes++
			end = i
		}
		e := steps[(at+uint32(classOf[s[i]]))%tableSize]
		if sum += int(e >> 16); sum > r.cost {
			return s[:end]
		}
		at = e & 0xffff
	}
	return s
}

// suffix returns a long end of s within r that starts at a rune border. A text on its own may cost up to two tokens
// more than behind another, so that much is left free.
func suffix(s string, r size) string {
	if r.runes <= 0 || r.cost <= 2*perToken {
		return ""
	}
	if r.runes < len(s) {
		s = lastRunes(s, r.runes)
	}
	if most := mostBytes(r); len(s) > most {
		s = s[len(s)-most:]
		for len(s) > 0 && !utf8.RuneStart(s[0]) {
			s = s[1:]
		}
	}
	all, sum, at := cost(s), 0, uint32(0)
	if all <= r.cost {
		return s
	}
	for i := range len(s) {
		if all-sum <= r.cost-2*perToken && utf8.RuneStart(s[i]) {
			return s[i:]
		}
		e := steps[(at+uint32(classOf[s[i]]))%tableSize]
		sum += int(e >> 16)
		at = e & 0xffff
	}
	return ""
}

func lastRunes(s string, n int) string {
	i := len(s)
	for ; i > 0 && n > 0; n-- {
		_, w := utf8.DecodeLastRuneInString(s[:i])
		i -= w
	}
	return s[i:]
}

// clip shortens a line without its newline to at most n runes, the last of them "…".
func clip(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	i := 0
	for range n - 1 {
		_, w := utf8.DecodeRuneInString(s[i:])
		i += w
	}
	return s[:i] + "…"
}
