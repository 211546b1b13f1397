package search

import (
	"bytes"
	"unicode/utf8"
)

// A cursor is a place in a text up to which the automaton has read, and what it came to: a state, matched or given.
type cursor struct {
	at, end int
	state   int32
}

// open reports whether there is more to read.
func (c cursor) open() bool { return c.at < c.end && c.state >= 0 }

// upTo is c with an end no farther than end.
func (c cursor) upTo(end int) cursor {
	c.end = min(c.end, end)
	return c
}

// find returns where the first match ends in data, which begins a line; -1 when there is none. It is false when it gave
// up; a nil automaton has given up.
func (a *automaton) find(data []byte) (int, bool) {
	if a == nil {
		return -1, false
	}
	half := secondHalf(data)
	start := a.state([]uint32{uint32(a.prog.Start)}, '\n')
	drops := a.drops
	x, y := a.halves(data, cursor{0, half, start}, cursor{half, len(data), start})
	if x = a.all(data, x); x.state >= 0 {
		if half == len(data) || a.drops > drops { // nothing is known behind x, or not any more
			y = cursor{x.end, len(data), x.state}
		}
		if x = a.all(data, y); x.state >= 0 {
			x.state = a.to(x.state, a.end())
		}
	}
	if x.state == matched {
		return x.at, true
	}
	return -1, x.state != given
}

// minHalf is how long halves are at least, in bytes.
const minHalf = 512

// secondHalf is where a line begins near behind the middle of data; its end when there is none, or data is short. No match
// crosses lines, so the halves can be read side by side, which takes little more time than one of them: the processor
// waits for the transition of one while it looks for that of the other.
func secondHalf(data []byte) int {
	if half := len(data) / 2; half >= minHalf {
		if n := bytes.IndexByte(data[half:half+minHalf], '\n'); n >= 0 { // no farther: find is called for each hit
			return half + n + 1
		}
	}
	return len(data)
}

// maxLead is how many times as far as the first half the second is read, give or take a rune. A match in the first makes
// useless what was read of the second, and the next hit is looked for in other halves: without a bound, runs of runes that
// are longer than a byte are read again for each hit. With 1 a text takes up to twice the time if only its second half is
// such runs.
const maxLead = 2

// halves reads on with x and y until one is at its end or a match, or the states were dropped: then y is of no use.
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

// both reads on with x and y, byte by byte, until one is at its end or at what over is for.
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

// all reads on with x to its end, a match, or where the automaton gives up.
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

// over reads a byte, and runes that are longer than a byte up to another or the end of x; the last may go beyond it. Before
// a match, and where the automaton gives up, x stays where it is.
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
