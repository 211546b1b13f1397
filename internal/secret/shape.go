package secret

import (
	"bytes"
	"math"
	"strings"
)

// A shape counts what a value consists of.
type shape struct {
	lower, upper, digits int
	strong               int // characters that rarely occur in names and paths
	joints               int // characters that join words
	other                int
	different            int // distinct characters
	turns                int // neighbours of different classes
	entropy              float64
}

const (
	strongMarks = "!@#$%^&*+=~?"
	jointMarks  = "-_./:,"
)

// classes maps a byte to its class: 1 lower, 2 upper, 3 digit, 4 strong, 5 joint, 0 other.
var classes = func() (c [256]uint8) {
	sets := []*set{lowerSet, newSet(upperRange, ""), digits, newSet("", strongMarks), newSet("", jointMarks)}
	for i, s := range sets {
		for b := range s {
			if s[b] {
				c[b] = uint8(i + 1)
			}
		}
	}
	return c
}()

func shapeOf(value []byte) shape {
	var counts [256]uint16
	var kinds [6]int
	s := shape{}
	last := uint8(255)
	for _, c := range value {
		counts[c]++
		class := classes[c]
		kinds[class]++
		if class != last && last != 255 {
			s.turns++
		}
		last = class
	}
	for _, n := range counts {
		if n > 0 {
			s.different++
			share := float64(n) / float64(len(value))
			s.entropy -= share * math.Log2(share)
		}
	}
	s.other, s.lower, s.upper, s.digits, s.strong, s.joints = kinds[0], kinds[1], kinds[2], kinds[3], kinds[4], kinds[5]
	return s
}

// Bounds of what looks random.
const (
	leastEntropy = 3.0 // bits a character
	mostPerTurn  = 4   // characters for each change of class
	leastDense   = 20  // characters without a mark between them, whose classes need not change often
	rounding     = 1e-9
)

// random reports whether value looks generated: letters and digits that change often, and no words.
func random(value []byte) bool {
	value = bytes.TrimRight(value, "-_=.") // padding
	s := shapeOf(value)
	if s.lower+s.upper == 0 || s.other > 0 || s.digits == 0 && !s.jumbled(len(value)) {
		return false
	}
	mixed := s.turns*mostPerTurn >= len(value) || s.joints == 0 && len(value) >= leastDense
	return s.entropy >= leastEntropy-rounding && mixed && !wordy(value) && !placeholder(value)
}

// jumbled reports whether a value of n characters without a digit has letters of both cases in no order.
func (s *shape) jumbled(n int) bool {
	return s.lower > 0 && s.upper > 0 && s.joints == 0 && s.turns*5 >= n*2
}

// pairs are the neighbours of letters that are frequent in English and in names. They are two of three in words, and
// one of seven in random letters.
var pairs = func() (p [26][26]bool) {
	for _, s := range strings.Fields(`
	ab ac ad ag al am an ap ar as at be bl ca ce ch ci ck co ct de di ea ec ed ef el em en ep er es et ex fi fo ge
	ha he ic id ie ig il im in io ir is it iv ke la le li ll lo ly ma me mi mo na nc nd ne ng ni no ns nt ol om on
	op or os ot ou ow pa pe ph pl po pr ra re ri ro rs rt se sh si so ss st su ta te th ti to tr ts ty ul un ur us
	ut ve wi wo`) {
		p[s[0]-'a'][s[1]-'a'] = true
	}
	return p
}()

// leastPairs is how many neighbours of letters must be seen for a judgement.
const leastPairs = 6

// wordy reports whether value consists of words rather than of random letters.
func wordy(value []byte) bool {
	if hexDash.span(value, len(value)) == len(value) {
		return false
	}
	all, frequent := 0, 0
	for i := 1; i < len(value); i++ {
		a, b := lower(value[i-1]), lower(value[i])
		if !isLower(a) || !isLower(b) {
			continue
		}
		if all++; pairs[a-'a'][b-'a'] {
			frequent++
		}
	}
	return all >= leastPairs && frequent*20 >= all*9 && !spiked(value)
}

// spiked reports whether digits are spread among the letters of value, as they are not in words.
func spiked(value []byte) bool {
	groups, letters := 0, false // before the digits
	for i := 0; i < len(value); i++ {
		from := i
		for i < len(value) && digits[value[i]] {
			i++
		}
		letter := i < len(value) && isLower(lower(value[i]))
		if i > from && letters && letter {
			groups++
		}
		letters = letter
	}
	return groups > 2 && groups*leastSpike >= len(value)
}

// leastSpike is how many characters a group of digits must have to itself, at most, in a value that is spiked.
const leastSpike = 9

// placeholders are parts of values that stand for a credential in documentation.
var placeholders = [][]byte{
	[]byte("example"), []byte("your"), []byte("xxxx"), []byte("placeholder"), []byte("redacted"), []byte("dummy"),
	[]byte("changeme"), []byte("change-me"), []byte("change_me"), []byte("replace"), []byte("insert"), []byte("sample"),
	[]byte("fake"), []byte("..."), []byte("****"), []byte("-here"), []byte("_here"), []byte("todo"), []byte("fixme"),
	[]byte("goes-here"), []byte("not-a-real"), []byte("notreal"), []byte("do-not-use"),
}

// maxWords is how much of a value is searched for a placeholder, in bytes.
const maxWords = 256

// placeholder reports whether value stands for a credential without being one.
func placeholder(value []byte) bool {
	value = bytes.ToLower(value[:min(len(value), maxWords)])
	for _, p := range placeholders {
		if bytes.Contains(value, p) {
			return true
		}
	}
	return false
}
