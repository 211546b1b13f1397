package textsearch

// postings hold which documents say which terms. They have no lock: their owner orders adding and reading.
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
	for _, t := range terms {
		counts[t]++
	}
	for _, t := range single {
		counts[t]++
	}
	for t, n := range counts {
		p.lists[t] = append(p.lists[t], posting{document, n})
	}
	p.lengths = append(p.lengths, float64(len(terms)))
	p.total += float64(len(terms))
}

// A weighted term is one that is asked for.
type weighted struct {
	term   string
	weight float64
}

// characterWeight is what a single character weighs in a question, beside pairs.
const characterWeight = .3

// query returns the different terms of a question.
func query(terms, single []string) []weighted {
	var asked []weighted
	seen := make(map[string]bool)
	for _, t := range terms {
		if !seen[t] {
			seen[t] = true
			asked = append(asked, weighted{t, 1})
		}
	}
	for _, t := range single {
		if !seen[t] {
			seen[t] = true
			asked = append(asked, weighted{t, characterWeight})
		}
	}
	return asked
}

// answers returns the terms that answer one, itself first, as far as a document says them, and how many documents do,
// each counted by its share.
func (p *postings) answers(term string) (terms []said, documents float64) {
	for _, s := range append([]said{{term, 1}}, words().answered[term]...) {
		if n := len(p.lists[s.term]); n > 0 {
			terms = append(terms, s)
			documents += s.share * float64(n)
		}
	}
	return terms, min(documents, float64(len(p.lengths)))
}
