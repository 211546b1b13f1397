package locate

import (
	varint "encoding/binary"
	"iter"
	"slices"
)

// A bag holds the distinct terms of a text and their counts in a few bytes each, because a tree has millions: as
// varints, first the number of all terms, then for each distinct one, sorted, its difference from the one before and
// its count.
type bag string

func newBag(terms []term) bag {
	if len(terms) == 0 {
		return ""
	}
	slices.Sort(terms)
	var room [1 << 10]byte
	b := varint.AppendUvarint(room[:0], uint64(len(terms)))
	last := term(0)
	for from, to := 0, 0; from < len(terms); from = to {
		for to < len(terms) && terms[to] == terms[from] {
			to++
		}
		b = varint.AppendUvarint(b, uint64(terms[from]-last))
		b = varint.AppendUvarint(b, uint64(min(to-from, 1<<16-1)))
		last = terms[from]
	}
	return bag(b)
}

// next reads a number at the start of b. It is 0 at the end, and anything in a bag that newBag did not make.
func (b bag) next() (n uint32, rest bag) {
	for i := range len(b) {
		n |= uint32(b[i]&0x7f) << (7 * i)
		if b[i] < 0x80 {
			return n, b[i+1:]
		}
	}
	return n, ""
}

// length is the number of all terms.
func (b bag) length() int {
	n, _ := b.next()
	return int(n)
}

// all yields the distinct terms with their counts.
func (b bag) all() iter.Seq2[term, uint16] {
	return func(yield func(term, uint16) bool) {
		_, b := b.next()
		var last, more, n uint32
		for len(b) > 0 {
			more, b = b.next()
			n, b = b.next()
			last += more
			if !yield(term(last), uint16(n)) {
				return
			}
		}
	}
}

// A lookup finds the terms of a query in a bag fast: a bit set rejects most other terms.
type lookup struct {
	seen  [1 << 10]uint64 // a bit for the low bits of each term
	terms []term          // sorted
}

func newLookup(sorted []term) *lookup {
	l := &lookup{terms: sorted}
	for _, t := range sorted {
		l.seen[t>>6&(1<<10-1)] |= 1 << (t & 63)
	}
	return l
}

// find returns the position of a term in the sorted terms.
func (l *lookup) find(t term) (at int, found bool) {
	if l.seen[t>>6&(1<<10-1)]&(1<<(t&63)) == 0 {
		return 0, false
	}
	return slices.BinarySearch(l.terms, t)
}

// A hit is a term of a lookup in a bag.
type hit struct {
	at  int    // its position in the lookup
	n   uint16 // its count
	own term   // its position among the distinct terms of the bag
}

// hits returns the terms of l that b contains.
func (b bag) hits(l *lookup) (found []hit) {
	own := term(0)
	for t, n := range b.all() {
		if at, ok := l.find(t); ok {
			found = append(found, hit{at, n, own})
		}
		own++
	}
	return found
}

// A part is the bag of a part of a text. Its terms are the positions of the terms in the bag of the whole text, which
// are shorter.
type part bag

func newPart(terms, whole []term) part {
	for i, t := range terms {
		at, _ := slices.BinarySearch(whole, t)
		terms[i] = term(at)
	}
	return part(newBag(terms))
}

func (p part) length() int { return bag(p).length() }

// each calls visit for every hit of the whole text that is in the part, with its position in the lookup and its count.
func (p part) each(whole []hit, visit func(at int, n uint16)) {
	if len(whole) == 0 {
		return
	}
	for own, n := range bag(p).all() {
		for len(whole) > 0 && whole[0].own < own {
			whole = whole[1:]
		}
		switch {
		case len(whole) == 0:
			return
		case whole[0].own == own:
			visit(whole[0].at, n)
		}
	}
}
