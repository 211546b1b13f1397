package textsearch

import "math"

// BM25 holds the parameters of the ranking function BM25. The usual values are 1.2 and 0.75.
type BM25 struct {
	K1 float64 // how much further occurrences of a term count; near 0: only the first counts
	B  float64 // how much a term counts less in a long text, from 0 to 1
}

// Weight returns what a term that occurs count times adds to the score of a text, to be multiplied by the term's
// [Rarity]. The length of the text and the average length are in any one unit.
func (m BM25) Weight(count, length, average float64) float64 {
	return count * (m.K1 + 1) / (count + m.K1*(1-m.B+m.B*length/average))
}

// Rarity returns the inverse document frequency of a term, given the number of all texts and of those that have it.
// It is above 0 for every term.
func Rarity(all, having float64) float64 { return math.Log(1 + (all-having+.5)/(having+.5)) }
