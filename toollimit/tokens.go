package toollimit

import "strings"

// perToken is the number of thousandths that make one token: 20 fewer than in a thousand, so that estimates lean two
// percent high rather than low.
const perToken = 980

// A step holds the weight of a byte in its upper half and the next state, times the number of classes, in its lower.
const tableSize = 4096

var (
	classOf = classTable()
	steps   = stepTable()
)

func stepTable() (t [tableSize]uint32) {
	for s := range allStates {
		for c := range classes {
			w := uint32(weights[outside(s)][c])
			if s >= states && c == continuation {
				w = 0 // the lead byte paid for the rune
			}
			t[s*classes+c] = w<<16 | uint32(next(s, c)*classes)
		}
	}
	return t
}

// Tokens estimates the number of tokens of s. It is total, also on invalid UTF-8, and allocates nothing: 0 for "", at
// least 1 for anything else. It is the raw estimate, at the level of cl100k_base; who knows the model calibrates it.
//
// Appending never lowers it; Tokens(a+b) is at most Tokens(a)+Tokens(b)+2; and lines add up, but for rounding.
func Tokens(s string) int { return (cost(s) + perToken - 1) / perToken }

// shortText is the length up to which a text is not worth parting, in bytes.
const shortText = 128

// cost returns the estimate of s in thousandths. It is additive over lines, for after a newline the state is the first
// one: so parts of the text are walked side by side, since in each a step waits for the one before it.
func cost(s string) int {
	if len(s) <= shortText {
		return walk(s, 0)
	}
	left, right := part(s)
	a, b := part(left)
	c, d := part(right)
	return walkFour(a, b, c, d)
}

// part cuts s behind a newline near its middle; without one the second part is empty.
func part(s string) (a, b string) {
	half := len(s) / 2
	i := strings.IndexByte(s[half:], '\n')
	if i < 0 {
		return s, ""
	}
	return s[:half+i+1], s[half+i+1:]
}

// walk returns the cost of s from a state on.
func walk(s string, at uint32) int {
	sum := uint64(0)
	for i := range len(s) {
		e := steps[(at+uint32(classOf[s[i]]))%tableSize]
		at = e & 0xffff
		sum += uint64(e >> 16)
	}
	return int(sum)
}

// walkFour returns the cost of four texts together.
func walkFour(a, b, c, d string) int {
	sum := uint64(0)
	var atA, atB, atC, atD uint32
	n := min(len(a), len(b), len(c), len(d))
	for i := range n {
		eA := steps[(atA+uint32(classOf[a[i]]))%tableSize]
		eB := steps[(atB+uint32(classOf[b[i]]))%tableSize]
		eC := steps[(atC+uint32(classOf[c[i]]))%tableSize]
		eD := steps[(atD+uint32(classOf[d[i]]))%tableSize]
		atA, atB, atC, atD = eA&0xffff, eB&0xffff, eC&0xffff, eD&0xffff
		sum += uint64(eA>>16) + uint64(eB>>16) + uint64(eC>>16) + uint64(eD>>16)
	}
	return int(sum) + walk(a[n:], atA) + walk(b[n:], atB) + walk(c[n:], atC) + walk(d[n:], atD)
}
