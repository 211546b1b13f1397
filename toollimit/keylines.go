package toollimit

import (
	"slices"
	"strings"
)

// Bounds of a key line, in bytes without surrounding white space. keyLineBase is added to the length, so that very
// short lines win no advantage.
const (
	minKeyLine  = 4
	maxKeyLine  = 160
	keyLineBase = 6
)

// maxDistinct is how many identifiers of a line are compared with each other: more than a key line has room for.
const maxDistinct = 64

// maxRefused is how many consecutive lines may fail to fit before the search stops.
const maxRefused = 64

// A Vocabulary numbers identifiers from 0, in the order in which it meets them. Whoever asks about the same texts again
// scans each once and then compares numbers. The zero value is empty. One goroutine may use it at a time.
type Vocabulary struct {
	numbers map[string]int32
	names   []string
}

// Number returns the number of an identifier, a new one for one that it has not met.
func (v *Vocabulary) Number(identifier string) int32 {
	number, known := v.numbers[identifier]
	if !known {
		if v.numbers == nil {
			v.numbers = make(map[string]int32)
		}
		number = int32(len(v.names))
		v.numbers[identifier] = number
		v.names = append(v.names, identifier)
	}
	return number
}

// Name returns the identifier with a number below [Vocabulary.Len].
func (v *Vocabulary) Name(number int32) string { return v.names[number] }

// Len returns how many identifiers have numbers.
func (v *Vocabulary) Len() int { return len(v.names) }

// A Line is what [Cover] needs of a line of text: the numbers of its identifiers, and its length in bytes without
// surrounding white space.
type Line struct {
	Names  []int32
	Length int
}

// Line appends the numbers of the identifiers of a line to names, which many lines may share, and returns the line and
// the longer names. A line of up to 64 identifiers holds each once; a longer one is no key line and may repeat some.
func (v *Vocabulary) Line(text string, names []int32) (Line, []int32) {
	if names == nil {
		names = []int32{} // a line without names is not nil: it was scanned
	}
	from := len(names)
	for name := range Identifiers(text) {
		if number := v.Number(name); len(names)-from >= maxDistinct || !slices.Contains(names[from:], number) {
			names = append(names, number)
		}
	}
	return Line{names[from:len(names):len(names)], len(strings.TrimSpace(text))}, names
}

// KeyLines is [Cover] for lines that nobody has numbered. A nil weigh gives each identifier weight 1.
func KeyLines(lines []string, weigh func(identifier string) int, fits func(line int) bool) []int {
	var v Vocabulary
	var names []int32
	numbered := make([]Line, len(lines))
	for i, l := range lines {
		if trimmed := strings.TrimSpace(l); len(trimmed) <= maxKeyLine {
			numbered[i], names = v.Line(trimmed, names)
		}
	}
	return Cover(numbered, func(number int32) int {
		if weigh == nil {
			return 1
		}
		return weigh(v.Name(number))
	}, fits)
}

// Cover chooses the lines that show the most unseen identifiers, by greedy cover. The value of a line is the sum of the
// weights of its identifiers that no chosen line shows yet, divided by its length. Lines of fewer than 4 or more than
// 160 bytes are never chosen. An identifier of weight 0 counts as seen; Cover calls weigh once for each. It calls fits
// for each line in turn to ask whether it has room, and returns the indexes of the chosen lines in ascending order.
func Cover(lines []Line, weigh func(number int32) int, fits func(line int) bool) []int {
	c := newCover(lines, weigh)
	var chosen []int
	for refused := 0; len(c.candidates) > 0 && refused < maxRefused; {
		best := c.candidates[0]
		if fresh := c.fresh(best.line); fresh > 0 && fresh < best.fresh {
			c.candidates[0].fresh = fresh
			c.down(0)
			continue
		} else if c.pop(); fresh == 0 {
			continue
		}
		if !fits(best.line) {
			refused++
			continue
		}
		refused = 0
		chosen = append(chosen, best.line)
		for _, number := range c.lines[best.line].Names {
			c.weights[number] = 0
		}
	}
	slices.Sort(chosen)
	return chosen
}

// A cover is the state of a greedy cover: a heap of candidates, best first, and the identifiers that are not shown
// yet.
type cover struct {
	candidates []candidate
	lines      []Line
	weights    []int32 // by number; 0: shown
}

type candidate struct {
	line, fresh, length int
}

func newCover(lines []Line, weigh func(int32) int) *cover {
	c := &cover{lines: lines}
	for i, l := range lines {
		if l.Length < minKeyLine || l.Length > maxKeyLine || len(l.Names) == 0 {
			continue
		}
		if most := int(slices.Max(l.Names)); most >= len(c.weights) {
			c.weights = append(c.weights, slices.Repeat([]int32{-1}, max(most+1-len(c.weights), len(c.weights)))...)
		}
		for _, number := range l.Names {
			if c.weights[number] < 0 {
				c.weights[number] = int32(max(weigh(number), 0))
			}
		}
		if fresh := c.fresh(i); fresh > 0 {
			c.candidates = append(c.candidates, candidate{i, fresh, l.Length + keyLineBase})
		}
	}
	for i := len(c.candidates)/2 - 1; i >= 0; i-- {
		c.down(i)
	}
	return c
}

// fresh sums the weights of the identifiers of a line that are not shown yet.
func (c *cover) fresh(line int) int {
	n := 0
	for _, number := range c.lines[line].Names {
		n += int(c.weights[number])
	}
	return n
}

// pop removes the best candidate.
func (c *cover) pop() {
	last := len(c.candidates) - 1
	c.candidates[0] = c.candidates[last]
	c.candidates = c.candidates[:last]
	c.down(0)
}

// down restores the heap below i. It is written out because container/heap allocates for each candidate.
func (c *cover) down(i int) {
	for {
		best := i
		for kid := 2*i + 1; kid <= 2*i+2 && kid < len(c.candidates); kid++ {
			if c.candidates[kid].before(c.candidates[best]) {
				best = kid
			}
		}
		if best == i {
			return
		}
		c.candidates[i], c.candidates[best] = c.candidates[best], c.candidates[i]
		i = best
	}
}

// before reports whether a line has a higher value than another, or the same and comes first.
func (a candidate) before(b candidate) bool {
	if left, right := a.fresh*b.length, b.fresh*a.length; left != right {
		return left > right
	}
	return a.line < b.line
}
