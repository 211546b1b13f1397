package providers

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/forayhq/foray/toollimit"
)

// What counts as repeating itself: at least leastCopies copies of a cycle that together have leastRepeated tokens. A
// cycle of up to 60 tokens is found within 200. Longer ones are found if their copies fit into the tail.
const (
	leastCopies   = 3
	leastRepeated = 185   // tokens
	maxTail       = 4_096 // bytes of text that are kept; if all of them repeat, their tokens do not matter
	checkInterval = 12    // tokens between two checks
	wholeInterval = 8     // checks of the last tokens between two of the whole tail
	pieceSize     = 64    // bytes of text that are counted at once

	leastLetters = 12  // in a cycle whose numbers count up: with fewer it is a list of numbers
	leastProse   = .82 // share of letters and spaces between words in it: with less it is code or a table
	longestWord  = 10  // letters for each space in it, on average: with more it is code
	codeMarks    = "{}=;|"
)

// A repetition looks for a cycle at the end of a text that arrives in pieces. It keeps the last few kilobytes and takes
// constant time for each token.
type repetition struct {
	text   []byte
	tokens []int // how many had arrived with each byte of text, that byte included
	total  int
	next   int // the total at which the text is checked again
	checks int

	plain []byte // the text from an index on, with each number as a single digit
	from  int    // that index
	ends  []int  // where each byte of plain ends in the text
	links []int  // buffer of period
}

// A cycle is the end of a text that repeats itself.
type cycle struct {
	text   string // one copy
	copies int    // bytes of all copies together
	rest   int    // bytes of the text after them
}

// tail returns how many bytes of the text only repeat what is before them: all after the first copy and the rest of its
// line, or of its word.
func (c cycle) tail() int {
	size := len(c.text)
	from := (size - c.copies%size) % size
	next := c.text[from:] + c.text[:from] // the second copy
	kept := size + max(strings.IndexByte(next, '\n'), 0)
	if kept == size {
		kept += max(strings.IndexByte(next, ' '), 0)
	}
	return max(c.copies-kept, 0) + c.rest
}

// add appends a piece of text. It returns the cycle at its end, or one without copies.
func (r *repetition) add(text string) cycle {
	for len(text) > 0 {
		piece := text[:min(len(text), pieceSize)]
		text = text[len(piece):]
		r.total += max(toollimit.Tokens(piece), 1)
		r.text = append(r.text, piece...)
		for range len(piece) {
			r.tokens = append(r.tokens, r.total)
		}
		if r.total < r.next {
			continue
		}
		r.next = r.total + checkInterval
		if size, copies := r.find(); size > 0 {
			return cycle{string(r.text[len(r.text)-size:]), copies, len(text)}
		}
		if over := len(r.text) - maxTail; over > 0 {
			r.text = append(r.text[:0], r.text[over:]...)
			r.tokens = append(r.tokens[:0], r.tokens[over:]...)
		}
	}
	return cycle{}
}

// find returns the bytes of the cycle at the end of the text and of its copies, or zeros. In a cycle, all is the same
// except for numbers that change by equal steps. Most checks look at no more of the text than short cycles need.
func (r *repetition) find() (size, copies int) {
	if r.sizeOf(len(r.text)) < leastRepeated {
		return 0, 0
	}
	from := 0
	if r.checks++; r.checks%wholeInterval != 0 {
		from, _ = slices.BinarySearch(r.tokens, r.total-3*leastRepeated) // estimates vary
	}
	if size, copies = r.period(r.text[from:], r.sizeOf); size > 0 {
		return size, copies
	}
	if !r.simplify(from) {
		return 0, 0
	}
	size, copies = r.period(r.plain, func(n int) int { return r.sizeOf(r.length(n)) })
	if size == 0 || !r.counts(size, copies) {
		return 0, 0
	}
	return r.length(size), r.length(copies)
}

// sizeOf returns how many tokens the last n bytes of the text have; those of a full tail are always enough.
func (r *repetition) sizeOf(n int) int {
	switch first := len(r.text) - n; {
	case n >= maxTail:
		return math.MaxInt
	case first > 0:
		return r.total - r.tokens[first-1]
	}
	return r.total
}

// period returns the shortest cycle at the end of text that has enough copies, and the length of all of them. It is the
// prefix function of Knuth, Morris and Pratt, over the text from its end.
func (r *repetition) period(text []byte, sizeOf func(n int) int) (size, copies int) {
	last := len(text) - 1
	links := append(r.links[:0], 0)
	for i := 1; i < len(text); i++ {
		k := links[i-1]
		for k > 0 && text[last-i] != text[last-k] {
			k = links[k-1]
		}
		if text[last-i] == text[last-k] {
			k++
		}
		links = append(links, k)
		n := i + 1
		if size > 0 && n-k != size {
			break
		}
		if p := n - k; n >= leastCopies*p && sizeOf(n) >= leastRepeated {
			size, copies = p, n
		}
	}
	r.links = links
	return size, copies
}

// simplify writes the text from an index on to plain, with each number as a single digit. It reports whether there are
// numbers.
func (r *repetition) simplify(from int) (numbers bool) {
	r.from, r.plain, r.ends = from, r.plain[:0], r.ends[:0]
	for i := from; i < len(r.text); i++ {
		b := r.text[i]
		if isDigit(b) {
			if i > from && isDigit(r.text[i-1]) {
				r.ends[len(r.ends)-1] = i + 1
				continue
			}
			b, numbers = '0', true
		}
		r.plain, r.ends = append(r.plain, b), append(r.ends, i+1)
	}
	return numbers
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// length returns how many bytes of the text the last n bytes of plain are.
func (r *repetition) length(n int) int { return len(r.text) - r.start(len(r.ends)-n) }

// start returns where a byte of plain begins in the text.
func (r *repetition) start(i int) int {
	if i > 0 {
		return r.ends[i-1]
	}
	return r.from
}

// counts reports whether a cycle of plain is prose, and whether each of its numbers changes by equal steps from copy
// to copy. The last number may still be incomplete.
func (r *repetition) counts(size, copies int) bool {
	end := len(r.plain) - 1
	var letters, spaces, all float64
	before := ' '
	text := string(r.plain[end+1-size:])
	for _, c := range text {
		all++
		switch {
		case unicode.IsLetter(c):
			letters++
		case c == ' ' && before != ' ':
			spaces++
		}
		before = c
	}
	if letters < leastLetters || letters+spaces < leastProse*all || letters > longestWord*spaces ||
		strings.ContainsAny(text, codeMarks) {
		return false
	}
	for i := end - 1; i-2*size > end-copies; i-- {
		if r.plain[i] == '0' && r.number(i)-r.number(i-size) != r.number(i-size)-r.number(i-2*size) {
			return false
		}
	}
	return true
}

// number returns the number at a byte of plain, modulo 2⁶⁴.
func (r *repetition) number(i int) (n uint64) {
	for _, b := range r.text[r.start(i):r.ends[i]] {
		n = n*10 + uint64(b-'0')
	}
	return n
}
