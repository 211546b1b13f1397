package identifier

import (
	"hash/maphash"
	"slices"
	"strings"
)

// maxDistinct is how many identifiers of a line are compared with each other: more than a key line has room for.
const maxDistinct = 64

// A Vocabulary numbers identifiers from 0, in the order in which it meets them. Whoever asks about the same texts again
// scans each once and then compares numbers. The zero value is empty. One goroutine may use it at a time.
type Vocabulary struct {
	names  []string
	hashes []uint32 // of the names
	slots  []int32  // 1 + the number of a name, at its hash or after it; 0: free. At most half are taken
	cover  cover    // kept for its memory
}

// Reset empties a vocabulary but keeps its memory.
func (v *Vocabulary) Reset() {
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
// the longer names. A line of up to 64 identifiers holds each once; a longer one is not a key line and may repeat some.
func (v *Vocabulary) Line(text string, names []int32) (Line, []int32) {
	if names == nil {
		names = []int32{} // a line without names is not nil: it was scanned
	}
	from := len(names)
	for name := range All(text) {
		if number := v.Number(name); len(names)-from >= maxDistinct || !slices.Contains(names[from:], number) {
			names = append(names, number)
		}
	}
	return Line{names[from:len(names):len(names)], len(strings.TrimSpace(text))}, names
}
