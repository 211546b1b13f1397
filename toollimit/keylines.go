package toollimit

import (
	"container/heap"
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

// maxRefused is how many consecutive lines may fail to fit before the search stops.
const maxRefused = 64

// KeyLines chooses the lines that show the most unseen identifiers, by greedy cover. The value of a line is the sum
// of the weights of its identifiers that no chosen line shows yet, divided by its length. An identifier of weight 0
// counts as seen; a nil weigh gives each weight 1. KeyLines calls fits for each line in turn to ask whether it has
// room. It returns the indexes of the chosen lines in ascending order.
func KeyLines(lines []string, weigh func(identifier string) int, fits func(line int) bool) []int {
	c := newCover(lines, weigh)
	heap.Init(c)
	var chosen []int
	for refused := 0; c.Len() > 0 && refused < maxRefused; {
		best := c.candidates[0]
		if fresh := c.fresh(best.line); fresh < best.fresh {
			if fresh == 0 {
				heap.Pop(c)
				continue
			}
			c.candidates[0].fresh = fresh
			heap.Fix(c, 0)
			continue
		}
		heap.Pop(c)
		if !fits(best.line) {
			refused++
			continue
		}
		refused = 0
		chosen = append(chosen, best.line)
		c.take(best.line)
	}
	slices.Sort(chosen)
	return chosen
}

// A cover is the state of a greedy cover: a heap of candidates, best first, and the identifiers that are not shown
// yet.
type cover struct {
	candidates []candidate
	names      []int32 // the identifiers of all lines, numbered, line by line
	ends       []int32 // where the names of each line end
	weights    []int   // by number; 0: shown
}

type candidate struct {
	line, fresh, length int
}

func newCover(lines []string, weigh func(string) int) *cover {
	c := &cover{ends: make([]int32, len(lines))}
	numbers := make(map[string]int32)
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		if len(trimmed) >= minKeyLine && len(trimmed) <= maxKeyLine {
			from := len(c.names)
			for name := range Identifiers(trimmed) {
				number, known := numbers[name]
				if !known {
					number = int32(len(c.weights))
					numbers[name] = number
					weight := 1
					if weigh != nil {
						weight = weigh(name)
					}
					c.weights = append(c.weights, weight)
				}
				if c.weights[number] > 0 && !slices.Contains(c.names[from:], number) {
					c.names = append(c.names, number)
				}
			}
			c.ends[i] = int32(len(c.names))
			if len(c.names) > from {
				c.candidates = append(c.candidates, candidate{i, c.fresh(i), len(trimmed) + keyLineBase})
			}
		}
		c.ends[i] = int32(len(c.names))
	}
	return c
}

func (c *cover) of(line int) []int32 {
	from := int32(0)
	if line > 0 {
		from = c.ends[line-1]
	}
	return c.names[from:c.ends[line]]
}

// fresh sums the weights of the identifiers of a line that are not shown yet.
func (c *cover) fresh(line int) int {
	n := 0
	for _, number := range c.of(line) {
		n += c.weights[number]
	}
	return n
}

func (c *cover) take(line int) {
	for _, number := range c.of(line) {
		c.weights[number] = 0
	}
}

// Len, Less, Swap, Push and Pop implement heap.Interface: the line of the highest value first, the earlier of two
// equals.
func (c *cover) Len() int { return len(c.candidates) }

func (c *cover) Less(i, j int) bool {
	a, b := c.candidates[i], c.candidates[j]
	if left, right := a.fresh*b.length, b.fresh*a.length; left != right {
		return left > right
	}
	return a.line < b.line
}

func (c *cover) Swap(i, j int) { c.candidates[i], c.candidates[j] = c.candidates[j], c.candidates[i] }

func (c *cover) Push(x any) { c.candidates = append(c.candidates, x.(candidate)) }

func (c *cover) Pop() any {
	last := c.candidates[len(c.candidates)-1]
	c.candidates = c.candidates[:len(c.candidates)-1]
	return last
}
