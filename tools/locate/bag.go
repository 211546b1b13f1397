package locate

import "slices"

// A count is how often a term stands in a text.
type count struct {
	term term
	n    uint16
}

// A bag is the terms of a text, sorted, and how many there are of them all.
type bag struct {
	counts []count
	length int
}

func newBag(terms []term) bag {
	slices.Sort(terms)
	distinct := 0
	for i, t := range terms {
		if i == 0 || terms[i-1] != t {
			distinct++
		}
	}
	b := bag{counts: make([]count, 0, distinct), length: len(terms)}
	for i, t := range terms {
		if i == 0 || terms[i-1] != t {
			b.counts = append(b.counts, count{term: t})
		}
		if c := &b.counts[len(b.counts)-1]; c.n < 1<<16-1 {
			c.n++
		}
	}
	return b
}

// A lookup is the terms of a query, so that those a bag shares with it are found fast: of the many terms of a tree all but
// a few fall through the first look.
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

// find returns where a term is in the sorted terms.
func (l *lookup) find(t term) (at int, found bool) {
	if l.seen[t>>6&(1<<10-1)]&(1<<(t&63)) == 0 {
		return 0, false
	}
	return slices.BinarySearch(l.terms, t)
}

// each calls visit for every term that b has of those looked up, with its index among them and its count.
func (b *bag) each(l *lookup, visit func(i int, n uint16)) {
	for _, c := range b.counts {
		if i, found := l.find(c.term); found {
			visit(i, c.n)
		}
	}
}
