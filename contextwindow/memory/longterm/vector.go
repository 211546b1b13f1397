package longterm

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"sync/atomic"
)

// An embedder turns texts into vectors of length 1 and counts its failures.
type embedder struct {
	ask      func(ctx context.Context, texts []string) ([][]float32, error) // nil: none
	name     string
	failures atomic.Int64
}

// vector returns the vector of a text; nil without an embedder, or if it fails.
func (e *embedder) vector(ctx context.Context, text string) []float32 {
	if e.ask == nil || text == "" {
		return nil
	}
	vectors, err := e.vectors(ctx, text)
	if err != nil {
		e.failures.Add(1)
		return nil
	}
	return vectors[0]
}

// embed sets the embedding of a memory.
func (e *embedder) embed(ctx context.Context, m *Memory) {
	m.Embedding, m.Embedder = nil, ""
	if v := e.vector(ctx, m.Content); v != nil {
		m.Embedding, m.Embedder = v, e.name
	}
}

// comparable returns the embedding of a memory if this embedder made it.
func (e *embedder) comparable(m Memory) []float32 {
	if e.ask == nil || m.Embedder != e.name {
		return nil
	}
	return normal(m.Embedding)
}

// vectors returns the vectors of texts, or an error if the embedder returned something else.
func (e *embedder) vectors(ctx context.Context, texts ...string) ([][]float32, error) {
	vectors, err := e.ask(ctx, texts)
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
