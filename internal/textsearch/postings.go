package textsearch

import "slices"

// postings hold which documents have which terms. They have no lock.
type postings struct {
	numbers map[string]int32 // of terms
	lists   []list           // by the number of the term
	lengths []float32        // terms of each document, single characters not counted
	total   float64          // of the lengths
}

// A list holds the documents that have a term, in order.
type list struct {
	postings []posting
	groups   int32 // how many groups of documents have it
	last     int32 // the last of them, plus 1
}

// A posting packs a document, up to 16.7 million, and how often it has the term, up to 255.
type posting uint32

func (p posting) document() int32 { return int32(p >> 8) }

func (p posting) count() float32 { return float32(p & 0xff) }

// number returns the number of a term, a new one if it has none.
func (p *postings) number(term string) int32 {
	n, ok := p.numbers[term]
	if !ok {
		if p.numbers == nil {
			p.numbers = make(map[string]int32)
		}
		n = int32(len(p.lists))
		p.numbers[term] = n
		p.lists = append(p.lists, list{})
	}
	return n
}

// appendNumbers appends the numbers of terms.
func (p *postings) appendNumbers(numbers []int32, terms []string) []int32 {
	for _, t := range terms {
		numbers = append(numbers, p.number(t))
	}
	return numbers
}

// add adds a document with these terms; the last of them, single in number, are single characters. The numbers of
// groups never decrease; the documents of a group are parts of one text.
func (p *postings) add(group int32, terms []int32, single int) {
	document := uint32(len(p.lengths))
	p.lengths = append(p.lengths, float32(len(terms)-single))
	p.total += float64(len(terms) - single)
	slices.Sort(terms)
	for i := 0; i < len(terms); {
		n := i + 1
		for n < len(terms) && terms[n] == terms[i] {
			n++
		}
		l := &p.lists[terms[i]]
		l.postings = append(l.postings, posting(document<<8|uint32(min(n-i, 0xff))))
		if l.last != group+1 {
			l.last = group + 1
			l.groups++
		}
		i = n
	}
}

// list returns the documents that have a term.
func (p *postings) list(term string) *list {
	if n, ok := p.numbers[term]; ok {
		return &p.lists[n]
	}
	return &list{}
}

// average returns the mean length of a document, at least 1.
func (p *postings) average() float64 { return max(p.total/max(float64(len(p.lengths)), 1), 1) }

// A weighted is a term of a question.
type weighted struct {
	term   string
	weight float64
}

// characterWeight is the weight of a single character in a question; other terms have 1.
const characterWeight = .3

// query returns the terms of a question, each once.
func query(terms, single []string) []weighted {
	var asked []weighted
	seen := make(map[string]bool)
	for i, t := range slices.Concat(terms, single) {
		if seen[t] {
			continue
		}
		seen[t] = true
		weight := 1.0
		if i >= len(terms) {
			weight = characterWeight
		}
		asked = append(asked, weighted{t, weight})
	}
	return asked
}

// A matching is the documents with a term that answers one of a question, and the share of an occurrence that counts.
type matching struct {
	*list
	term  int32
	share float32
}

// answers returns the terms in documents that answer a term, itself first, and how many groups of documents have one,
// each counted by its share.
func (p *postings) answers(term string) (found []matching, groups float64) {
	for _, a := range append([]answer{{term, 1}}, theLexicon().answered[term]...) {
		if n, ok := p.numbers[a.term]; ok {
			l := &p.lists[n]
			found = append(found, matching{l, n, float32(a.share)})
			groups += a.share * float64(l.groups)
		}
	}
	return found, groups
}
