package toollimit

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
func TokensBytes(b []byte) int { return (cost(b) + perToken - 1) / perToken }

// cost returns the estimate of s in thousandths. It is additive over lines: after a newline the state is the first one.
func cost[T string | []byte](s T) int {
	var sum uint64
	var at uint32
	for i := range len(s) {
		e := steps[(at+uint32(classOf[s[i]]))%tableSize]
		sum += uint64(e >> 16)
		at = e & 0xffff
	}
	return int(sum)
}
