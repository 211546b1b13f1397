package textsearch

import "slices"

// postings hold which documents have which terms. They have no lock.
type postings struct {
	lists   map[string][]posting
	lengths []float64 // terms of each document, single characters not counted
	total   float64   // of the lengths
}

type posting struct {
	document int32
	count    int32
}

// add takes the terms of a text as the next document.
func (p *postings) add(terms, single []string) {
	if p.lists == nil {
		p.lists = make(map[string][]posting)
	}
	document := int32(len(p.lengths))
	counts := make(map[string]int32, len(terms))
	for _, t := range slices.Concat(terms, single) {
		counts[t]++
	}
	for t, n := range counts {
		p.lists[t] = append(p.lists[t], posting{document, n})
	}
	p.lengths = append(p.lengths, float64(len(terms)))
	p.total += float64(len(terms))
}

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

// answers returns the terms in documents that answer a term, itself first, and how many documents have one, each
// counted by its share.
func (p *postings) answers(term string) (terms []answer, documents float64) {
	for _, s := range append([]answer{{term, 1}}, theLexicon().answered[term]...) {
		if n := len(p.lists[s.term]); n > 0 {
			terms = append(terms, s)
			documents += s.share * float64(n)
		}
	}
	return terms, min(documents, float64(len(p.lengths)))
}
