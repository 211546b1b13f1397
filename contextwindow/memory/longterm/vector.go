package longterm

import (
	"context"
	"fmt"
	"math"
	"math/bits"
)

// embedded returns the vectors of texts, each of length 1, or an error if the embedder gave something else.
func embedded(ctx context.Context, embed embedder, texts ...string) ([][]float32, error) {
	vectors, err := embed(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("embedding: %w", err)
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("embedding: %d vectors of %d texts", len(vectors), len(texts))
	}
	unit := make([][]float32, len(vectors))
	for i, v := range vectors {
		if unit[i] = normal(v); unit[i] == nil {
			return nil, fmt.Errorf("embedding: vector %d has no direction", i+1)
		}
	}
	return unit, nil
}

// normal returns a vector of the same direction and length 1; nil if there is none.
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

// dot is the cosine of two vectors of length 1; 0 if they are not of one space.
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

// Sketches are the signs of vectors, a bit a dimension, one after another. Vectors whose signs differ in few places point
// the same way, so that of many only the nearest by sketch need be compared.
type sketches struct {
	dimensions int // of all; 0: there is none yet
	words      int // of one
	count      int
	bits       []uint64
}

// add takes the next vector, and reports whether it can be compared: it is there, and as long as the others.
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

// differences returns in how many signs the i-th sketch differs from others.
func (s *sketches) differences(i int, others []uint64) (n int) {
	for k, word := range s.bits[i*s.words : (i+1)*s.words] {
		n += bits.OnesCount64(word ^ others[k])
	}
	return n
}
