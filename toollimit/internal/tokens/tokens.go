package tokens

import (
	"math"
	"strings"
	"unicode/utf8"
)

// PerToken is how many units of cost make one token: 980 instead of 1000, so that estimates lean two percent high.
const PerToken = 980

// A step holds the weight of a byte in its upper half, and in its lower half the next state times the number of
// classes.
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
				w = 0 // the lead byte pays for the rune
			}
			t[s*classes+c] = w<<16 | uint32(next(s, c)*classes)
		}
	}
	return t
}

// shortText is the length in bytes up to which splitting a text does not pay.
const shortText = 128

// Cost returns the estimate of s in units of 1/[PerToken]. It adds up over lines, because a newline returns to the
// first state. So four parts of a long text are walked side by side, which hides the wait of each step for the one
// before it.
func Cost(s string) int {
	if len(s) <= shortText {
		sum, _ := walk(s, 0)
		return sum
	}
	left, right := split(s)
	a, b := split(left)
	c, d := split(right)
	return walkFour(a, b, c, d)
}

// split divides s after a newline near its middle. Without one the second part is empty.
func split(s string) (a, b string) {
	half := len(s) / 2
	i := strings.IndexByte(s[half:], '\n')
	if i < 0 {
		return s, ""
	}
	return s[:half+i+1], s[half+i+1:]
}

// walk returns the cost of s from a state, and the state after it.
func walk(s string, at uint32) (int, uint32) {
	sum := uint64(0)
	for i := range len(s) {
		e := steps[(at+uint32(classOf[s[i]]))%tableSize]
		at = e & 0xffff
		sum += uint64(e >> 16)
	}
	return int(sum), at
}

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
	restA, _ := walk(a[n:], atA)
	restB, _ := walk(b[n:], atB)
	restC, _ := walk(c[n:], atC)
	restD, _ := walk(d[n:], atD)
	return int(sum) + restA + restB + restC + restD
}

// chunk is how many bytes CostUpTo counts between two comparisons with the limit.
const chunk = 8 << 10

// CostUpTo is [Cost], but stops soon after the limit; all reports whether it counted everything. It always counts the
// whole of a text of up to 8 KB.
func CostUpTo(s string, limit int) (sum int, all bool) {
	if len(s) <= chunk {
		return Cost(s), true
	}
	at := uint32(0)
	for s != "" {
		n := min(chunk, len(s))
		cost, next := walk(s[:n], at)
		if sum += cost; sum > limit {
			return sum, false
		}
		s, at = s[n:], next
	}
	return sum, true
}

// LineCost is the cost of s and a newline.
func LineCost(s string) int {
	sum, at := walk(s, 0)
	return sum + int(steps[at+newline]>>16)
}

// Prefix returns the longest start of s within the given cost and runes. It ends at a rune boundary.
func Prefix(s string, cost, runes int) string {
	sum, at, n, end := 0, uint32(0), 0, 0
	for i := range len(s) {
		if utf8.RuneStart(s[i]) {
			if n >= runes {
				return s[:i]
			}
			n++
			end = i
		}
		e := steps[(at+uint32(classOf[s[i]]))%tableSize]
		if sum += int(e >> 16); sum > cost {
			return s[:end]
		}
		at = e & 0xffff
	}
	return s
}

// Suffix returns a long end of s within the given cost and runes. It starts at a rune boundary. A text on its own may
// cost up to two tokens more than after another text, so Suffix leaves that much free.
func Suffix(s string, cost, runes int) string {
	if runes <= 0 || cost <= 2*PerToken {
		return ""
	}
	if runes < len(s) {
		s = lastRunes(s, runes)
	}
	if most := MaxBytes(cost, runes); len(s) > most {
		s = s[len(s)-most:]
		for len(s) > 0 && !utf8.RuneStart(s[0]) {
			s = s[1:]
		}
	}
	all, sum, at := Cost(s), 0, uint32(0)
	if all <= cost {
		return s
	}
	for i := range len(s) {
		if all-sum <= cost-2*PerToken && utf8.RuneStart(s[i]) {
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

// MaxBytes is a length that no text of the given cost and runes reaches in practice: four bytes per rune, eight per
// token.
func MaxBytes(cost, runes int) int {
	n := math.MaxInt
	if runes < n/4 {
		n = 4 * runes
	}
	return min(n, cost/PerToken*8+64)
}
