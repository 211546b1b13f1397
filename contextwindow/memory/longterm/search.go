package longterm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// A Query is what a Memories is asked for.
type Query struct {
	User       string
	Everybody  bool // the memories of all users are looked at, not User's alone: for who looks after them, never for a run
	Text       string
	Category   Category // "": of all
	Superseded bool     // also memories that no longer hold
	// Limit is how many memories are wanted at most, 1 to 10; 0: 5.
	Limit int
	// MinSimilarity is how similar to the text they must be, up to 1; 0: 0.6; below 0: as similar as there are.
	MinSimilarity float64
	// At is when it is asked. The memories that are found count an access then; zero: they do not.
	At time.Time
}

// The limits of a Query (requirements: the tool search_memory).
const (
	defaultLimit      = 5
	maxLimit          = 10
	defaultSimilarity = .6
)

// A Match is a memory that was found, and how similar it is to what was asked, 0 to 1.
type Match struct {
	Memory
	Similarity float64
}

// Search returns the memories of a user that a text is about, best first. Similarity is
// the cosine of the embeddings or that of the words, whichever is greater; the order is by the ranks of both. An embedder
// that fails leaves the words. Of a text of more than 4,000 characters the beginning and the end are looked at. The error is
// of a query that is out of range, or the context's.
func (l *Memories) Search(ctx context.Context, q Query) ([]Match, error) {
	q.Limit = cmp.Or(q.Limit, defaultLimit)
	q.MinSimilarity = cmp.Or(q.MinSimilarity, defaultSimilarity)
	if q.Limit < 1 || q.Limit > maxLimit {
		return nil, fmt.Errorf("searching memory: limit %d is not from 1 to %d", q.Limit, maxLimit)
	}
	if !(q.MinSimilarity <= 1) {
		return nil, fmt.Errorf("searching memory: similarity %v is above 1", q.MinSimilarity)
	}
	q.Text = ends(q.Text, maxContent)
	vector := l.vector(ctx, q.Text)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("searching memory: %w", err)
	}
	l.mu.RLock()
	found := l.shelf.search(q, vector)
	l.mu.RUnlock()
	if !q.At.IsZero() && len(found) > 0 {
		l.touch(ctx, found, q.At)
	}
	return found, nil
}

// vector returns the embedding of a text; nil without an embedder, or if it fails.
func (l *Memories) vector(ctx context.Context, text string) []float32 {
	if l.embed == nil || text == "" {
		return nil
	}
	vectors, err := embedded(ctx, l.embed, text)
	if err != nil {
		l.failures.Add(1)
		return nil
	}
	return vectors[0]
}

// A candidate is an entry on the way to a match.
type candidate struct {
	number  int32
	entry   *entry
	words   float64 // how much of the question it says
	cosine  float64
	ranks   float64
	similar float64
}

// considered is how many memories are looked at closely, by each of words and vectors.
const considered = 200

// rankOffset is how much the first ranks differ, as in reciprocal rank fusion (Cormack et al., 2009).
const rankOffset = 60

func (s *shelf) search(q Query, vector []float32) []Match {
	covered := s.said.Covered(q.Text, q.At)
	candidates := s.candidates(q, covered, vector)
	for _, c := range candidates {
		if vector != nil {
			c.cosine = dot(vector, c.entry.vector)
		}
		c.similar = max(calibrate(ofQuestion, c.words), min(c.cosine, 1))
	}
	rank(candidates, func(c *candidate) float64 { return c.words })
	if vector != nil {
		rank(candidates, func(c *candidate) float64 { return c.cosine })
	}
	slices.SortStableFunc(candidates, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.ranks, a.ranks), cmp.Compare(b.entry.Importance, a.entry.Importance), cmp.Compare(a.entry.ID, b.entry.ID))
	})
	var found []Match
	for _, c := range candidates {
		if len(found) < q.Limit && c.similar >= q.MinSimilarity {
			found = append(found, Match{c.entry.Memory, c.similar})
		}
	}
	return found
}

// rank adds to the ranks of candidates those by a value; equal values have equal ranks, and a value of 0 has none.
func rank(candidates []*candidate, value func(*candidate) float64) {
	slices.SortStableFunc(candidates, func(a, b *candidate) int { return cmp.Compare(value(b), value(a)) })
	place := 0
	for i, c := range candidates {
		if i > 0 && value(c) < value(candidates[i-1]) {
			place = i
		}
		if value(c) > 0 {
			c.ranks += 1 / float64(rankOffset+place)
		}
	}
}

// candidates returns the entries that answer a query best by words, by vectors, or either.
func (s *shelf) candidates(q Query, covered []float32, vector []float32) []*candidate {
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
	} else if q.MinSimilarity < 0 && len(chosen) < q.Limit {
		chosen = append(chosen, s.any(wanted, q.Limit)...)
	}
	slices.Sort(chosen)
	chosen = slices.Compact(chosen)
	candidates := make([]*candidate, len(chosen))
	for n, i := range chosen {
		candidates[n] = &candidate{number: i, entry: s.entries[i], words: float64(covered[i])}
	}
	return candidates
}

// wanted returns what says whether a query may find an entry.
func (s *shelf) wanted(q Query) func(i int) bool {
	user, known := s.users[q.User]
	return func(i int) bool {
		f := &s.facets[i]
		return (q.Everybody || known && f.user == user) && (f.state == current || f.state == superseded && q.Superseded) &&
			(q.Category == "" || f.category == q.Category)
	}
}

// scoreSteps is how finely shares of words are told apart when the highest are chosen.
const scoreSteps = 1000

// highest returns the entries of the highest scores above 0, up to most: about as many as are wanted, and at most twice
// as many if the last of them have one score.
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

// byVector compares vectors exactly up to so many entries; of more, this many are chosen by their signs.
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

// any returns the entries of a query that asks for as similar ones as there are, the important first.
func (s *shelf) any(wanted func(int) bool, limit int) (found []int32) {
	for i := range s.entries {
		if wanted(i) {
			found = append(found, int32(i))
		}
	}
	slices.SortStableFunc(found, func(a, b int32) int { return cmp.Compare(s.entries[b].Importance, s.entries[a].Importance) })
	return found[:min(len(found), limit)]
}

// similar returns the memories of a user and category that say much the same as a content, the most similar first, with
// similarities as of two statements. Vector is the content's embedding, or nil.
func (s *shelf) similar(m Memory, vector []float32) []Match {
	q := Query{User: m.User, Category: m.Category, Limit: maxLimit}
	candidates := s.candidates(q, s.said.Covered(m.Content, m.Created), vector)
	numbers := make([]int32, len(candidates))
	for i, c := range candidates {
		numbers[i] = c.number
	}
	alike := s.said.Alike(m.Content, m.Created, numbers)
	var found []Match
	for i, c := range candidates {
		similar := calibrate(ofStatement, alike[i])
		if vector != nil && c.entry.vector != nil {
			similar = min(dot(vector, c.entry.vector), 1)
		}
		found = append(found, Match{c.entry.Memory, similar})
	}
	slices.SortStableFunc(found, func(a, b Match) int { return cmp.Compare(b.Similarity, a.Similarity) })
	return found
}

// Calibrations map what share of words agree to what an embedding model would say: 0.6 for texts about one thing, 0.85
// for two that say the same. A question agrees in fewer words with its answer than a statement with its repetition.
var (
	ofQuestion  = []point{{0, 0}, {.22, .6}, {.7, .85}, {1, 1}}
	ofStatement = []point{{0, 0}, {.33, .6}, {.72, .85}, {1, 1}}
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
