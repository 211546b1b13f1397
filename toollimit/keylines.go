package toollimit

import (
	"hash/maphash"
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
	names  []string
	hashes []uint32 // of the names
	slots  []int32  // 1 + the number of a name, at its hash or after it; 0: free. At most half are taken
	cover  cover    // kept for its memory
}

// reset empties a vocabulary but keeps its memory.
func (v *Vocabulary) reset() {
	clear(v.slots)
	clear(v.names)
	v.names, v.hashes = v.names[:0], v.hashes[:0]
	v.cover.weigh = nil // it holds the text
}

// Number returns the number of an identifier, a new one for one that it has not met.
func (v *Vocabulary) Number(identifier string) int32 {
	hash := hashOf(identifier)
	number, met := v.find(identifier, hash)
	if met {
		return number
	}
	if len(v.names)*2 >= len(v.slots) {
		v.grow()
	}
	v.names, v.hashes = append(v.names, identifier), append(v.hashes, hash)
	v.place(int32(len(v.names)))
	return int32(len(v.names) - 1)
}

// Find returns the number of an identifier that it has met.
func (v *Vocabulary) Find(identifier string) (number int32, met bool) {
	return v.find(identifier, hashOf(identifier))
}

var hashSeed = maphash.MakeSeed() // the hashes never leave the process, and numbers do not depend on them

func hashOf(identifier string) uint32 { return uint32(maphash.String(hashSeed, identifier)) }

func (v *Vocabulary) find(identifier string, hash uint32) (number int32, met bool) {
	if len(v.slots) == 0 {
		return 0, false
	}
	for at := hash; ; at++ {
		number = v.slots[at&uint32(len(v.slots)-1)] - 1
		if number < 0 || v.hashes[number] == hash && v.names[number] == identifier {
			return number, number >= 0
		}
	}
}

// place puts the n-th name into a free slot.
func (v *Vocabulary) place(n int32) {
	at := v.hashes[n-1]
	for v.slots[at&uint32(len(v.slots)-1)] > 0 {
		at++
	}
	v.slots[at&uint32(len(v.slots)-1)] = n
}

// grow doubles the slots, and the room for names with them.
func (v *Vocabulary) grow() {
	n := max(2*len(v.slots), leastSlots)
	v.slots = make([]int32, n)
	v.names, v.hashes = slices.Grow(v.names, n/2-len(v.names)), slices.Grow(v.hashes, n/2-len(v.hashes))
	for number := range v.names {
		v.place(int32(number + 1))
	}
}

const leastSlots = 64 // of a vocabulary: a power of two

// Name returns the identifier with a number below [Vocabulary.Len].
func (v *Vocabulary) Name(number int32) string { return v.names[number] }

// Len returns how many identifiers have numbers.
func (v *Vocabulary) Len() int { return len(v.names) }

// A Line is what [Vocabulary.Cover] needs of a line of text: the numbers of its identifiers, and its length in bytes
// without surrounding white space.
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
	most := 0
	for _, lines := range texts {
		most += len(lines)
	}
	if most > cap(c.unsorted) {
		c.unsorted, c.waiting = make([]candidate, 0, 2*most), make([]candidate, 0, 2*most)
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
