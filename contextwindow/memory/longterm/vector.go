package longterm

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
)

// An embedFunc turns texts into vectors, one each, all of one length.
type embedFunc = func(ctx context.Context, texts []string) ([][]float32, error)

// An embedder turns texts into vectors of length 1 and counts its failures.
type embedder struct {
	ask, askQuery embedFunc // nil: none
	name          string
	failures      atomic.Int64

	measuring chan struct{} // holds one item while the ground is measured
	mu        sync.Mutex    // guards what follows; never held while asking
	known     *ground       // nil: not measured yet
	rest      time.Time     // when it may be asked again after a failure
}

// A probe is a text to compare with memories: its vector, and the cosine that says nothing.
type probe struct {
	vector []float32 // nil: none
	ground float64
}

// cosine returns how much more alike a probe and a vector of length 1 are than texts about different things, from 0 to
// 1 for equal ones.
func (p probe) cosine(vector []float32) float64 {
	if p.vector == nil || vector == nil || p.ground > blind {
		return 0
	}
	return min(max((dot(p.vector, vector)-p.ground)/(1-p.ground), 0), 1)
}

// blind is the ground above which a model distinguishes nothing.
const blind = .98

// Times of an embedder. A search waits half of the time that it has, and no longer than embedWait.
const (
	embedWait   = 5 * time.Second
	embedRest   = 30 * time.Second // after a failure the words decide alone
	measureWait = 2 * time.Second  // who has less leaves measuring the ground to others
)

// surelyRead is a length of text in bytes that every model reads. A longer text may be refused by one that works.
const surelyRead = 400

// query returns the probe of a question, and statement that of a memory; without a vector if the embedder fails.
func (e *embedder) query(ctx context.Context, text string) probe {
	return e.probe(ctx, e.askQuery, text, func(g *ground) float64 { return g.query })
}

func (e *embedder) statement(ctx context.Context, text string) probe {
	return e.probe(ctx, e.ask, text, func(g *ground) float64 { return g.statement })
}

func (e *embedder) probe(ctx context.Context, ask embedFunc, text string, of func(*ground) float64) probe {
	if ask == nil || text == "" {
		return probe{}
	}
	wait := embedWait
	if end, ok := ctx.Deadline(); ok {
		wait = min(wait, time.Until(end)/2)
	}
	known, resting := e.state()
	if resting || known == nil && wait < measureWait {
		return probe{}
	}
	within, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	g, err := e.measured(within)
	var vectors [][]float32
	if err == nil {
		vectors, err = vectorsOf(within, ask, text)
	}
	if err != nil {
		if ctx.Err() == nil {
			e.failures.Add(1)
			if len(text) <= surelyRead {
				e.mu.Lock()
				e.rest = time.Now().Add(embedRest)
				e.mu.Unlock()
			}
		}
		return probe{}
	}
	return probe{vectors[0], of(g)}
}

// state returns the ground if it is measured, and whether the embedder rests.
func (e *embedder) state() (*ground, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.known, time.Now().Before(e.rest)
}

// embed sets the embedding of a memory.
func (e *embedder) embed(ctx context.Context, m *Memory) {
	m.Embedding, m.Embedder = nil, ""
	if p := e.statement(ctx, m.Content); p.vector != nil {
		m.Embedding, m.Embedder = p.vector, e.name
	}
}

// comparable returns the embedding of a memory if this embedder made it.
func (e *embedder) comparable(m Memory) []float32 {
	if e.ask == nil || m.Embedder != e.name {
		return nil
	}
	return normal(m.Embedding)
}

// vectorsOf returns the vectors of texts, or an error if the embedder returned something else.
func vectorsOf(ctx context.Context, ask embedFunc, texts ...string) ([][]float32, error) {
	vectors, err := ask(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("embedding: %w", err)
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("embedding: %d vectors for %d texts", len(vectors), len(texts))
	}
	unit := make([][]float32, len(vectors))
	for i, v := range vectors {
		if unit[i] = normal(v); unit[i] == nil {
			return nil, fmt.Errorf("embedding: vector %d has no direction", i+1)
		}
	}
	return unit, nil
}

// normal scales a vector to length 1. It returns nil for a vector that has no direction.
func normal(v []float32) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil
	}
	unit := make([]float32, len(v))
	for i, x := range v {
		unit[i] = float32(float64(x) / math.Sqrt(sum))
	}
	return unit
}

// dot returns the cosine of two vectors of length 1, and 0 for vectors of different dimensions.
func dot(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return float64(s0 + s1 + s2 + s3)
}

// sketches hold the signs of vectors, a bit for each dimension, one vector after another. Vectors with few different
// signs point the same way, so that of many vectors only those with the nearest sketches need be compared.
type sketches struct {
	dimensions int // of all; 0 without vectors
	words      int // of one
	count      int
	bits       []uint64
}

// add takes the next vector and reports whether it can be compared: it is not empty, and as long as the others.
func (s *sketches) add(v []float32) bool {
	if s.dimensions == 0 && len(v) > 0 {
		s.dimensions, s.words = len(v), (len(v)+63)/64
		s.bits = make([]uint64, s.count*s.words)
	}
	s.count++
	fits := len(v) > 0 && len(v) == s.dimensions
	if fits {
		s.bits = append(s.bits, signs(v)...)
	} else {
		s.bits = append(s.bits, make([]uint64, s.words)...)
	}
	return fits
}

// signs returns a bit for each value of a vector, set if it is above 0.
func signs(v []float32) []uint64 {
	bits := make([]uint64, (len(v)+63)/64)
	for i, x := range v {
		if x > 0 {
			bits[i/64] |= 1 << (i % 64)
		}
	}
	return bits
}

// differences returns in how many signs the i-th sketch differs from another.
func (s *sketches) differences(i int, others []uint64) (n int) {
	for k, word := range s.bits[i*s.words : (i+1)*s.words] {
		n += bits.OnesCount64(word ^ others[k])
	}
	return n
}
