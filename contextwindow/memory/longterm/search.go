package longterm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// A Query says what [Memories.Search] looks for.
type Query struct {
	User       string
	Everybody  bool // search the memories of all users: for administration, never for a run
	Text       string
	Category   Category // empty: all
	Superseded bool     // also memories that no longer hold
	Limit      int      // how many memories at most, 1 to 10; 0: 5
	// MinSimilarity is how similar to the text a memory must be, up to 1. 0 means 0.6; below 0, the most similar memories
	// are returned even if they have little in common with it.
	MinSimilarity float64
	// At is when the query is made. Unless it is zero, an access of each memory found is counted.
	At time.Time
}

// The defaults and limits of a [Query].
const (
	defaultLimit      = 5
	maxLimit          = 10
	defaultSimilarity = .6
)

// A Match is a memory that was found, with its similarity to the query from 0 to 1.
type Match struct {
	Memory
	Similarity float64
}

// Search returns the memories of a user that a text is about, best first. The similarity of a match is that of its
// words or that of its embedding, whichever is greater. The order follows the words, with a small weight for the
// embeddings. If the embedder fails, the words alone decide. Of a text of more than 4,000 characters only the beginning
// and the end count. The error is that of an invalid query or of the context.
func (l *Memories) Search(ctx context.Context, q Query) ([]Match, error) {
	q.Limit = cmp.Or(q.Limit, defaultLimit)
	q.MinSimilarity = cmp.Or(q.MinSimilarity, defaultSimilarity)
	if q.Limit < 1 || q.Limit > maxLimit {
		return nil, fmt.Errorf("searching memories: limit %d is not from 1 to %d", q.Limit, maxLimit)
	}
	if !(q.MinSimilarity <= 1) {
		return nil, fmt.Errorf("searching memories: similarity %v is above 1", q.MinSimilarity)
	}
	q.Text = ends(q.Text, maxContent)
	asked := l.embedder.query(ctx, q.Text)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("searching memories: %w", err)
	}
	l.mu.RLock()
	found := l.shelf.search(q, asked)
	l.mu.RUnlock()
	if !q.At.IsZero() && len(found) > 0 {
		l.touch(ctx, found, q.At)
	}
	return found, nil
}

// A candidate is an entry on the way to a match.
type candidate struct {
	entry   *entry
	words   float64 // how much of the question it says
	rank    float64
	similar float64
}

// considered is how many memories are ranked, by words and by vectors each.
const considered = 200

// vectorWeight is the weight of the embeddings in the order, against 1 for the words. A small model finds what shares
// no word with the question, and knows less than the words about the rest: on LoCoMo, multilingual-e5-small adds .1 at
// 10 and .6 at 25 with the weight .2, and takes 6 at 10 with the weight 1.
const vectorWeight = .2

func (s *shelf) search(q Query, asked probe) []Match {
	covered := s.said.Covered(q.Text, q.At)
	candidates, numbers := s.candidates(q, covered, asked.vector)
	for i, score := range s.said.Scores(q.Text, q.At, numbers) {
		c := candidates[i]
		cosine := asked.cosine(c.entry.vector)
		c.rank = score + vectorWeight*cosine
		c.similar = max(calibrate(ofQuestion, c.words), calibrate(ofQuestionVector, cosine))
	}
	slices.SortStableFunc(candidates, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(b.entry.Importance, a.entry.Importance),
			cmp.Compare(a.entry.ID, b.entry.ID))
	})
	var found []Match
	for _, c := range candidates {
		if len(found) < q.Limit && c.similar >= q.MinSimilarity {
			found = append(found, Match{c.entry.Memory, c.similar})
		}
	}
	return found
}

// candidates returns the entries that answer a query best by words or by vectors, and their numbers.
func (s *shelf) candidates(q Query, covered []float32, vector []float32) (candidates []*candidate, numbers []int32) {
	wanted := s.wanted(q)
	scores := make([]int32, len(covered))
	for i, c := range covered {
		if c > 0 && wanted(i) {
			scores[i] = 1 + int32(c*scoreSteps)
		}
	}
	chosen := highest(scores, scoreSteps+1, considered)
	if vector != nil {
		chosen = append(chosen, s.byVector(wanted, vector)...)
	}
	if q.MinSimilarity < 0 && len(chosen) < q.Limit {
		chosen = append(chosen, s.any(wanted, q.Limit)...)
	}
	slices.Sort(chosen)
	chosen = slices.Compact(chosen)
	for _, i := range chosen {
		candidates = append(candidates, &candidate{entry: s.entries[i], words: float64(covered[i])})
	}
	return candidates, chosen
}

// wanted returns a func that reports whether a query may find an entry.
func (s *shelf) wanted(q Query) func(i int) bool {
	user, known := s.users[q.User]
	return func(i int) bool {
		f := &s.facets[i]
		return (q.Everybody || known && f.user == user) && (f.state == current || f.state == superseded && q.Superseded) &&
			(q.Category == "" || f.category == q.Category)
	}
}

// scoreSteps is how many different shares of words count when the highest are chosen.
const scoreSteps = 1000

// highest returns about as many entries as wanted, with the highest scores from 1 to most. If many share the lowest of
// these scores it returns up to twice as many.
func highest(scores []int32, most int32, want int) (chosen []int32) {
	counts := make([]int, most+1)
	for _, score := range scores {
		counts[score]++
	}
	cut, found := most, 0
	for cut > 1 {
		if found += counts[cut]; found >= want {
			break
		}
		cut--
	}
	for i, score := range scores {
		if score >= max(cut, 1) && len(chosen) < 2*want {
			chosen = append(chosen, int32(i))
		}
	}
	return chosen
}

// Up to comparedUpTo vectors are compared exactly. Of more, comparedOf are chosen by their signs.
const (
	comparedUpTo = 4000
	comparedOf   = 1000
)

// byVector returns the entries whose vectors are to be compared.
func (s *shelf) byVector(wanted func(int) bool, vector []float32) []int32 {
	if len(vector) != s.sketches.dimensions {
		return nil
	}
	own := signs(vector)
	scores := make([]int32, len(s.entries))
	for i := range scores {
		if s.facets[i].sketched && wanted(i) {
			scores[i] = int32(1 + len(vector) - s.sketches.differences(i, own))
		}
	}
	if len(scores) <= comparedUpTo {
		return highest(scores, int32(len(vector)+1), comparedUpTo)
	}
	return highest(scores, int32(len(vector)+1), comparedOf)
}

// any returns entries that a query may find, the most important first, for a query without a least similarity.
func (s *shelf) any(wanted func(int) bool, limit int) (found []int32) {
	for i := range s.entries {
		if wanted(i) {
			found = append(found, int32(i))
		}
	}
	slices.SortStableFunc(found, func(a, b int32) int {
		return cmp.Compare(s.entries[b].Importance, s.entries[a].Importance)
	})
	return found[:min(len(found), limit)]
}

// similar returns the memories of the same user that resemble a memory, most similar first, with the
// similarity of statements.
func (s *shelf) similar(m Memory, said probe) []Match {
	q := Query{User: m.User, Limit: maxLimit}
	candidates, numbers := s.candidates(q, s.said.Covered(m.Content, m.Created), said.vector)
	alike := s.said.Alike(m.Content, m.Created, numbers)
	var found []Match
	for i, c := range candidates {
		similar := max(calibrate(ofStatement, alike[i]), calibrate(ofStatementVector, said.cosine(c.entry.vector)))
		found = append(found, Match{c.entry.Memory, similar})
	}
	slices.SortStableFunc(found, func(a, b Match) int { return cmp.Compare(b.Similarity, a.Similarity) })
	return found
}

// Calibrations map the share of words that agree, and a cosine above the ground, to one scale: 0.6 for texts about one
// thing, 0.85 for texts that say the same. A question shares less with its answer than a statement with its repetition.
var (
	ofQuestion        = []point{{0, 0}, {.22, .6}, {.7, .85}, {1, 1}}
	ofStatement       = []point{{0, 0}, {.33, .6}, {.72, .85}, {1, 1}}
	ofQuestionVector  = []point{{0, 0}, {.3, .6}, {.7, .85}, {1, 1}}
	ofStatementVector = []point{{0, 0}, {.5, .6}, {.85, .85}, {1, 1}}
)

type point struct{ from, to float64 }

func calibrate(points []point, x float64) float64 {
	for i := 1; i < len(points); i++ {
		if a, b := points[i-1], points[i]; x <= b.from {
			return a.to + (x-a.from)*(b.to-a.to)/(b.from-a.from)
		}
	}
	return 1
}
