package search

import (
	"bytes"
	"unicode/utf8"
)

// A cursor is a position of the automaton in a text, and its state there; or matched or gaveUp.
type cursor struct {
	at, end int
	state   int32
}

// open reports whether the cursor can read on.
func (c cursor) open() bool { return c.at < c.end && c.state >= 0 }

func (c cursor) upTo(end int) cursor {
	c.end = min(c.end, end)
	return c
}

// find returns the end of the first match in data, which starts a line; -1 without a match; false if it gave up.
func (a *automaton) find(data []byte) (int, bool) {
	if a == nil {
		return -1, false
	}
	half := secondHalf(data)
	start := a.state([]uint32{uint32(a.prog.Start)}, '\n')
	drops := a.drops
	x, y := a.readHalves(data, cursor{0, half, start}, cursor{half, len(data), start})
	if x = a.readOn(data, x); x.state >= 0 { // no match in the first half
		if half == len(data) || a.drops > drops { // the second half is not read, or its state is lost
			y = cursor{x.end, len(data), x.state}
		}
		if x = a.readOn(data, y); x.state >= 0 {
			x.state = a.to(x.state, a.end)
		}
	}
	if x.state == matched {
		return x.at, true
	}
	return -1, x.state != gaveUp
}

// minHalf is the least length of a half, in bytes, and how far past the middle a line may start.
const minHalf = 512

// secondHalf returns the start of a line just past the middle of data, or its end if data is short or has no such line.
// No match crosses lines, so the halves can be read in turns. This takes little longer than reading one: the processor
// fetches a transition of one half while it waits for that of the other.
func secondHalf(data []byte) int {
	if half := len(data) / 2; half >= minHalf {
		if n := bytes.IndexByte(data[half:half+minHalf], '\n'); n >= 0 {
			return half + n + 1
		}
	}
	return len(data)
}

// maxAhead bounds what is read of the second half, as a multiple of what is read of the first. A match in the first
// half wastes the work on the second, because the next search divides the rest anew. Plain bytes are read in step, but
// runes longer than a byte in runs: without a bound, a run would be read again for each match before it. A bound of 1
// would double the time of a text whose second half is such a run.
const maxAhead = 2

// readHalves reads the first half with x and the second with y, until one is at its end or a match. If the automaton
// drops its states meanwhile, x is valid and y is not.
func (a *automaton) readHalves(data []byte, x, y cursor) (cursor, cursor) {
	half, end := x.end, y.end
	for drops := a.drops; a.drops == drops && x.open() && y.open(); {
		if x, y = a.readInStep(data, x, y); !x.open() || !y.open() {
			break
		}
		if ahead := y.at - half; ahead > maxAhead*x.at { // let x catch up
			x = a.readOn(data, x.upTo(ahead))
			x.end = half
			continue
		}
		if x = a.readRunes(data, x); a.drops > drops || x.state < 0 {
			break
		}
		s := a.states[int(x.state)/a.stride]
		y = a.readRunes(data, y.upTo(half+maxAhead*x.at))
		if y.end = end; a.drops > drops {
			x.state = a.state(s.pcs, s.before)
		}
	}
	return x, y
}

// readInStep reads a byte with x and one with y in turn, until one is at its end or needs readRunes.
func (a *automaton) readInStep(data []byte, x, y cursor) (cursor, cursor) {
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

// readOn reads to the end of x or a match, or until the automaton gives up.
func (a *automaton) readOn(data []byte, x cursor) cursor {
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
			x = a.readRunes(data, x)
		}
	}
	return x
}

// readRunes reads the byte at x, whose transition may be new, and all runes longer than a byte that follow. The last
// may cross the end of x. x stops before a match, and where the automaton gives up.
func (a *automaton) readRunes(data []byte, x cursor) cursor {
	if class := a.classes[data[x.at]]; class != a.wide {
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
