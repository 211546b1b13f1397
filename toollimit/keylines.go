package toollimit

import (
	"container/heap"
	"slices"
	"strings"
)

// The bounds of a key line, in bytes without the blanks around it, and what is added to its length so that very short
// lines are not preferred for their shortness alone (compaction: key lines).
const (
	minKeyLine  = 4
	maxKeyLine  = 160
	keyLineBase = 6
)

// keyLineMark is what it costs to mark a line and the gap before it, in tokens.
const keyLineMark = 3

// KeyLines chooses, in at most room tokens, the lines that show the most identifiers which are not seen yet, by greedy
// cover: the value of a line is the number of its identifiers that neither seen reports nor a line chosen before shows,
// divided by its length. It returns their indexes, ascending. Nil seen means that nothing is.
func KeyLines(lines []string, room int, seen func(identifier string) bool) []int {
	c := newCover(lines, seen)
	heap.Init(c)
	var chosen []int
	for c.Len() > 0 && room > 0 {
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
		if tokens := keyLineMark + Tokens(lines[best.line]); tokens <= room {
			room -= tokens
			chosen = append(chosen, best.line)
			c.take(best.line)
		}
	}
	slices.Sort(chosen)
	return chosen
}

// A cover is the state of a greedy cover: the candidates as a heap, the best first, and which identifiers are shown.
type cover struct {
	candidates []candidate
	names      []int32 // identifiers of all lines, as numbers, line after line
	ends       []int32 // where those of a line end
	shown      []bool  // by number
}

type candidate struct {
	line, fresh, length int
}

func newCover(lines []string, seen func(string) bool) *cover {
	c := &cover{ends: make([]int32, len(lines))}
	numbers := make(map[string]int32)
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		if len(trimmed) >= minKeyLine && len(trimmed) <= maxKeyLine {
			from := len(c.names)
			for name := range Identifiers(trimmed) {
				number, known := numbers[name]
				if !known {
					number = int32(len(c.shown))
					numbers[name] = number
					c.shown = append(c.shown, seen != nil && seen(name))
				}
				if !c.shown[number] && !slices.Contains(c.names[from:], number) {
					c.names = append(c.names, number)
				}
			}
			if n := len(c.names) - from; n > 0 {
				c.candidates = append(c.candidates, candidate{i, n, len(trimmed) + keyLineBase})
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

// fresh counts the identifiers of a line that are not shown yet.
func (c *cover) fresh(line int) int {
	n := 0
	for _, number := range c.of(line) {
		if !c.shown[number] {
			n++
		}
	}
	return n
}

func (c *cover) take(line int) {
	for _, number := range c.of(line) {
		c.shown[number] = true
	}
}

// Len, Less, Swap, Push and Pop are container/heap's: the line of the highest value first, of two the earlier.
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
