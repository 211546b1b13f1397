package identifier

import "slices"

// Bounds of a key line, in bytes without surrounding white space. keyLineBase is added to the length, so that very
// short lines win no advantage.
const (
	minKeyLine  = 4
	maxKeyLine  = 160
	keyLineBase = 6
)

// maxRefused is how many consecutive lines may fail to fit before the search stops.
const maxRefused = 64

// Cover chooses the lines of several texts that show the most unseen identifiers, by greedy cover. The value of a line
// is the sum of the weights of its identifiers that no chosen line shows yet, divided by its length. Lines of fewer
// than 4 or more than 160 bytes are never chosen. An identifier of weight 0 counts as seen; Cover calls weigh once for
// each. It chooses a line if fits says that it has room.
func (v *Vocabulary) Cover(texts [][]Line, weigh func(number int32) int, fits func(text, line int) bool) {
	c := &v.cover
	c.begin(texts, v.Len(), weigh)
	for refused := 0; c.next() && refused < maxRefused; {
		best := c.candidates[0]
		names := texts[best.text][best.line].Names
		if fresh := c.fresh(names); fresh > 0 && fresh < best.fresh {
			c.candidates[0].fresh = fresh
			c.down(0)
			continue
		} else if c.pop(); fresh == 0 {
			continue
		}
		if !fits(int(best.text), int(best.line)) {
			refused++
			continue
		}
		refused = 0
		for _, number := range names {
			c.weights[number].weight = 0
		}
	}
}

// A cover is the state of a greedy cover: a heap of candidates, best first, the other candidates, and the weights of
// the identifiers that are not shown yet. Most lines are worth too little to be chosen, so they stay out of the heap.
type cover struct {
	candidates []candidate
	waiting    []candidate // by band, the best first; each comes before all of the next band
	pushed     int         // of waiting: they are in the heap, or were
	unsorted   []candidate
	weights    []weight // by number
	round      int32
	weigh      func(int32) int
}

// bands is how many classes of value waiting candidates have, and bandWidth how many of them an identifier a byte has.
const (
	bands     = 128
	bandWidth = 256
)

// band is at least as high for a line of a higher value.
func (a candidate) band() int32 { return min(a.fresh*bandWidth/a.length, bands-1) }

type candidate struct {
	text, line, fresh, length int32
}

// A weight holds in the round in which it was asked for.
type weight struct{ weight, round int32 }

func (c *cover) begin(texts [][]Line, names int, weigh func(int32) int) {
	c.candidates, c.unsorted, c.pushed, c.weigh = c.candidates[:0], c.unsorted[:0], 0, weigh
	if c.round++; names > len(c.weights) {
		c.weights = append(c.weights, make([]weight, max(names, 2*len(c.weights))-len(c.weights))...)
	}
	var ends [bands]int
	for i, lines := range texts {
		for k := range lines {
			l := &lines[k]
			if l.Length < minKeyLine || l.Length > maxKeyLine || len(l.Names) == 0 {
				continue
			}
			if fresh := c.fresh(l.Names); fresh > 0 {
				a := candidate{int32(i), int32(k), fresh, int32(l.Length + keyLineBase)}
				c.unsorted = append(c.unsorted, a)
				ends[a.band()]++
			}
		}
	}
	c.waiting = append(c.waiting[:0], c.unsorted...)
	at := 0
	for band, n := range slices.Backward(ends[:]) {
		ends[band], at = at, at+n
	}
	for _, a := range c.unsorted {
		c.waiting[ends[a.band()]] = a
		ends[a.band()]++
	}
}

// next brings the best candidate to the front of the heap, and reports whether any is left.
func (c *cover) next() bool {
	for c.pushed < len(c.waiting) && (len(c.candidates) == 0 || c.candidates[0].band() <= c.waiting[c.pushed].band()) {
		c.push(c.waiting[c.pushed])
		c.pushed++
	}
	return len(c.candidates) > 0
}

func (c *cover) push(a candidate) {
	c.candidates = append(c.candidates, a)
	for i := len(c.candidates) - 1; i > 0; {
		parent := (i - 1) / 2
		if !c.candidates[i].before(c.candidates[parent]) {
			return
		}
		c.candidates[i], c.candidates[parent] = c.candidates[parent], c.candidates[i]
		i = parent
	}
}

// fresh sums the weights of identifiers that are not shown yet.
func (c *cover) fresh(names []int32) (sum int32) {
	for _, number := range names {
		w := &c.weights[number]
		if w.round != c.round {
			*w = weight{int32(max(c.weigh(number), 0)), c.round}
		}
		sum += w.weight
	}
	return sum
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
	left, right := int64(a.fresh)*int64(b.length), int64(b.fresh)*int64(a.length)
	switch {
	case left != right:
		return left > right
	case a.text != b.text:
		return a.text < b.text
	}
	return a.line < b.line
}
