package toollimit

import (
	"bytes"
	"strings"
)

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

// TokensBytes is Tokens for bytes.
func TokensBytes(b []byte) int {
	half := len(b) / 2
	i := bytes.IndexByte(b[half:], '\n')
	return (costHalves(b, half, i) + perToken - 1) / perToken
}

// shortText is the length up to which a text is not worth parting.
const shortText = 128

// cost returns the estimate of s in thousandths. It is additive over lines: after a newline the state is the first one.
func cost(s string) int {
	if len(s) <= shortText {
		return costHalves(s, 0, -1)
	}
	half := len(s) / 2
	return costHalves(s, half, strings.IndexByte(s[half:], '\n'))
}

// costHalves walks s and what stands behind its newline at half+i side by side, since each step waits for the one before
// it. A negative i means that there is no newline, so all is walked as one.
func costHalves[T string | []byte](s T, half, i int) int {
	var sum uint64
	var atA, atB uint32
	n, mid := len(s), len(s)
	if i >= 0 {
		mid = half + i + 1
	}
	both := min(mid, n-mid)
	for i := range both {
		a := steps[(atA+uint32(classOf[s[i]]))%tableSize]
		b := steps[(atB+uint32(classOf[s[mid+i]]))%tableSize]
		atA, atB = a&0xffff, b&0xffff
		sum += uint64(a>>16) + uint64(b>>16)
	}
	for i := both; i < mid; i++ {
		a := steps[(atA+uint32(classOf[s[i]]))%tableSize]
		atA = a & 0xffff
		sum += uint64(a >> 16)
	}
	for i := mid + both; i < n; i++ {
		b := steps[(atB+uint32(classOf[s[i]]))%tableSize]
		atB = b & 0xffff
		sum += uint64(b >> 16)
	}
	return int(sum)
}
