package locate

import "slices"

type count struct {
	term term
	n    uint16
}

// A bag holds the distinct terms of a text, sorted, and the number of all terms.
type bag struct {
	counts []count
	length int
}

func newBag(terms []term) bag {
	slices.Sort(terms)
	distinct := 0 // counted first, because a tree keeps millions of counts
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

// each calls visit for every term of l that b contains, with its index and count.
func (b *bag) each(l *lookup, visit func(i int, n uint16)) {
	for _, c := range b.counts {
		if i, found := l.find(c.term); found {
			visit(i, c.n)
		}
	}
}
