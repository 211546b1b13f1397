package recall

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/textsearch"
)

// A retriever is a way of finding turns. Its build indexes the turns of a conversation and returns a func that returns
// the ids of at most limit turns that answer a question, best first.
type retriever struct {
	name  string
	build func(turns []textsearch.Turn) func(question string, limit int) []string
}

// retrievers returns what is compared: BM25 on words, BM25 on stems without stop words, and textsearch.Index.
func retrievers() []retriever {
	return []retriever{
		{"bm25", func(turns []textsearch.Turn) func(string, int) []string { return newBM25(turns, plainTerms).search }},
		{"bm25-stem", func(turns []textsearch.Turn) func(string, int) []string {
			return newBM25(turns, textsearch.Terms).search
		}},
		{"foray", func(turns []textsearch.Turn) func(string, int) []string {
			var x textsearch.Index
			x.Add(turns...)
			return func(question string, limit int) []string {
				var ids []string
				for _, hit := range x.Search(question, time.Time{}, limit) {
					ids = append(ids, hit.Turn.ID)
				}
				return ids
			}
		}},
	}
}

// plainTerms are the lower-case words of a text, and its single characters where Chinese has no spaces.
func plainTerms(text string) (terms []string) {
	for _, w := range textsearch.Words(text) {
		if r, _ := utf8.DecodeRuneInString(w); textsearch.IsCJK(r) {
			terms = append(terms, strings.Split(w, "")...)
		} else {
			terms = append(terms, w)
		}
	}
	return terms
}

// textbook holds the usual parameters of BM25.
var textbook = textsearch.BM25{K1: 1.2, B: .75}

// A bm25 is the baseline: plain BM25 over turns.
type bm25 struct {
	turns   []textsearch.Turn
	terms   func(string) []string
	counts  []map[string]float64
	lengths []float64
	average float64
	having  map[string]float64
}

func newBM25(turns []textsearch.Turn, terms func(string) []string) *bm25 {
	r := &bm25{turns: turns, terms: terms, having: make(map[string]float64)}
	for _, t := range turns {
		counts := make(map[string]float64)
		said := terms(t.Text)
		for _, term := range said {
			if counts[term]++; counts[term] == 1 {
				r.having[term]++
			}
		}
		r.counts = append(r.counts, counts)
		r.lengths = append(r.lengths, float64(len(said)))
		r.average += float64(len(said)) / float64(len(turns))
	}
	return r
}

func (r *bm25) search(question string, limit int) []string {
	n := float64(len(r.turns))
	asked := slices.Compact(slices.Sorted(slices.Values(r.terms(question))))
	scores := make([]float64, len(r.turns))
	order := make([]int, len(r.turns))
	for i, counts := range r.counts {
		order[i] = i
		for _, term := range asked {
			if f := counts[term]; f > 0 {
				scores[i] += textsearch.Rarity(n, r.having[term]) * textbook.Weight(f, r.lengths[i], r.average)
			}
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(scores[j], scores[i]) })
	var ids []string
	for _, i := range order[:min(limit, len(order))] {
		if scores[i] > 0 {
			ids = append(ids, r.turns[i].ID)
		}
	}
	return ids
}
