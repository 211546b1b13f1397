package search

import (
	"bytes"
	"unicode/utf8"
)

// A cursor is how far the automaton has read in a text, and the outcome: a state, matched or gaveUp.
type cursor struct {
	at, end int
	state   int32
}

// open reports whether the cursor can read on.
func (c cursor) open() bool { return c.at < c.end && c.state >= 0 }

// upTo returns c with its end limited to end.
func (c cursor) upTo(end int) cursor {
	c.end = min(c.end, end)
	return c
}

// find returns where the first match ends in data, which starts at a line; -1 without a match. It reports false if it
// gave up, as a nil automaton does.
func (a *automaton) find(data []byte) (int, bool) {
	if a == nil {
		return -1, false
	}
	half := secondHalf(data)
	start := a.state([]uint32{uint32(a.prog.Start)}, '\n')
	drops := a.drops
	x, y := a.halves(data, cursor{0, half, start}, cursor{half, len(data), start})
	if x = a.all(data, x); x.state >= 0 {
		if half == len(data) || a.drops > drops { // nothing is known past x, or not any more
			y = cursor{x.end, len(data), x.state}
		}
		if x = a.all(data, y); x.state >= 0 {
			x.state = a.to(x.state, a.end())
		}
	}
	if x.state == matched {
		return x.at, true
	}
	return -1, x.state != gaveUp
}

// minHalf is the least length of a half, in bytes.
const minHalf = 512

// secondHalf returns where a line starts shortly past the middle of data, or its end if data is short or has no such
// line. No match crosses lines, so both halves can be read in turns. That takes little more time than one of them: the
// processor fetches a transition of one half while it waits for that of the other.
func secondHalf(data []byte) int {
	if half := len(data) / 2; half >= minHalf {
		if n := bytes.IndexByte(data[half:half+minHalf], '\n'); n >= 0 { // not farther: find runs for each hit
			return half + n + 1
		}
	}
	return len(data)
}

// maxLead is how many times as far as the first half the second may be read, give or take a rune. A match in the
// first half wastes what was read of the second, since the next search has other halves. Without a bound, runs of
// runes longer than a byte would be read again for each hit. With 1, a text whose second half is such runs takes up
// to twice the time.
const maxLead = 2

// halves advances x and y until one reaches its end or a match, or the states are dropped, which makes y useless.
func (a *automaton) halves(data []byte, x, y cursor) (cursor, cursor) {
	half, end := x.end, y.end
	for drops := a.drops; a.drops == drops && x.open() && y.open(); {
		if x, y = a.both(data, x, y); !x.open() || !y.open() {
			break
		}
		if lead := y.at - half; lead > maxLead*x.at { // x alone, until it is as far
			x = a.all(data, x.upTo(lead))
			x.end = half
			continue
		}
		if x = a.over(data, x); a.drops > drops || x.state < 0 {
			break
		}
		s := a.states[int(x.state)/a.stride()]
		y = a.over(data, y.upTo(half+maxLead*x.at))
		if y.end = end; a.drops > drops {
			x.state = a.state(s.pcs, s.before)
		}
	}
	return x, y
}

// both advances x and y byte by byte, until one reaches its end or a byte for over.
func (a *automaton) both(data []byte, x, y cursor) (cursor, cursor) {
	from := x.at
	for x.at < x.end && y.at < y.end {
		p, q := a.next[x.state+a.classes[data[x.at]]], a.next[y.state+a.classes[data[y.at]]]
		if p|q < 0 {
			break
		}
		x.state, y.state = p, q
		x.at++
		y.at++
	}
	a.read += 2 * (x.at - from)
	return x, y
}

// all advances x to its end, a match, or where the automaton gives up.
func (a *automaton) all(data []byte, x cursor) cursor {
	for x.open() {
		from := x.at
		for x.at < x.end {
			to := a.next[x.state+a.classes[data[x.at]]]
			if to < 0 {
				break
			}
			x.state = to
			x.at++
		}
		a.read += x.at - from
		if x.at < x.end {
			x = a.over(data, x)
		}
	}
	return x
}

// over reads a byte, and runes longer than a byte as long as they follow, up to the end of x; the last may cross it.
// Before a match, and where the automaton gives up, x stays in place.
func (a *automaton) over(data []byte, x cursor) cursor {
	if class := a.classes[data[x.at]]; class != a.wide() {
		if x.state = a.to(x.state, class); x.state >= 0 {
			x.at++
			a.read++
		}
	}
	for x.open() && data[x.at] >= utf8.RuneSelf {
		r, size := utf8.DecodeRune(data[x.at:])
		if x.state = a.to(x.state, a.class(r)); x.state >= 0 {
			x.at += size
			a.read += size
		}
	}
	return x
}
