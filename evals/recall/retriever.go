package recall

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/internal/textsearch"
	"github.com/forayhq/foray/toollimit"
)

// A retriever is a way of finding turns. Its build indexes the turns of a conversation.
type retriever struct {
	name  string
	build func(ctx context.Context, c *conversation) (searcher, error)
}

// A searcher returns at most limit places that answer a question, best first.
type searcher func(question string, limit int) ([]place, error)

// A place is what is shown together: a turn, or an exchange of two.
type place struct {
	ids    []string
	tokens int // shown
}

// The retrievers. Retrieved is what people and models get: exchanges.
const (
	retrieved = "foray"
	inTurns   = "foray, turns alone"
	memories  = "foray, turns as memories"
	embedded  = "foray, memories with --embed"
	renamed   = "foray, speakers renamed"
	plain     = "bm25"
	stemmed   = "bm25-stem"
)

// retrievers returns what is compared: textsearch.Index, memories, and BM25 on words and on stems without stop words.
// With an embedder, memories are searched with and without it.
func retrievers(embedder *longterm.Options) []retriever {
	all := []retriever{
		{retrieved, words(exchanges)},
		{renamed, words(func(c *conversation) func(string, int) []place {
			other := newNames(c)
			search := exchanges(other.conversation(c))
			return func(question string, limit int) []place { return search(other.text(question), limit) }
		})},
		{inTurns, words(turnsAlone)},
		{memories, func(ctx context.Context, c *conversation) (searcher, error) { return asMemories(ctx, c, nil) }},
		{stemmed, words(func(c *conversation) func(string, int) []place {
			return newBM25(c.turns, textsearch.Terms).search
		})},
		{plain, words(func(c *conversation) func(string, int) []place { return newBM25(c.turns, plainTerms).search })},
	}
	if embedder != nil {
		all = slices.Insert(all, 4, retriever{embedded, func(ctx context.Context, c *conversation) (searcher, error) {
			return asMemories(ctx, c, embedder)
		}})
	}
	return all
}

// words makes a build of one that neither takes time nor fails.
func words(build func(*conversation) func(string, int) []place) func(context.Context, *conversation) (searcher, error) {
	return func(_ context.Context, c *conversation) (searcher, error) {
		search := build(c)
		return func(question string, limit int) ([]place, error) { return search(question, limit), nil }, nil
	}
}

// turnsAlone searches without the counterparts of the turns.
func turnsAlone(c *conversation) func(string, int) []place {
	x := index(c)
	return func(question string, limit int) (places []place) {
		for _, hit := range x.Search(question, time.Time{}, limit) {
			places = append(places, place{[]string{hit.Turn.ID}, toollimit.Tokens(hit.Passage)})
		}
		return places
	}
}

func index(c *conversation) *textsearch.Index {
	x := new(textsearch.Index)
	x.Add(c.turns...)
	return x
}

// exchanges searches as people and models do.
func exchanges(c *conversation) func(string, int) []place {
	x := index(c)
	return func(question string, limit int) (places []place) {
		for _, e := range x.Exchanges(question, time.Time{}, limit) {
			var p place
			for _, hit := range e.Hits {
				p.ids = append(p.ids, hit.Turn.ID)
				p.tokens += toollimit.Tokens(hit.Passage)
			}
			places = append(places, p)
		}
		return places
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

func (r *bm25) search(question string, limit int) (places []place) {
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
	for _, i := range order[:min(limit, len(order))] {
		if scores[i] > 0 {
			places = append(places, place{[]string{r.turns[i].ID}, toollimit.Tokens(r.turns[i].Text)})
		}
	}
	return places
}
