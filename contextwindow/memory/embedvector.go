package memory

import (
	"context"
	"fmt"
	"math"
	"math/bits"
)

// embedded returns the vectors of texts, each of length 1, or an error if the embedder gave something else.
func embedded(ctx context.Context, embed Embed, texts ...string) ([][]float32, error) {
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

// A sketch is the signs of a vector, a bit each. Vectors whose sketches differ in few bits point the same way, so that
// of many only the nearest by sketch need be compared.
type sketch []uint64

func sketchOf(v []float32) sketch {
	s := make(sketch, (len(v)+63)/64)
	for i, x := range v {
		if x > 0 {
			s[i/64] |= 1 << (i % 64)
		}
	}
	return s
}

// differs returns in how many bits two sketches of one length differ.
func (s sketch) differs(t sketch) (n int) {
	for i, bits64 := range s {
		n += bits.OnesCount64(bits64 ^ t[i])
	}
	return n
}

// nearest returns which of the sketches, nil ones left out, are the about limit nearest to one: all up to the distance
// at which there are that many.
func (s sketch) nearest(all []sketch, limit int) []int32 {
	distances := make([]int32, len(all))
	counts := make([]int, 64*len(s)+1)
	for i, t := range all {
		distances[i] = -1
		if len(t) == len(s) {
			distances[i] = int32(s.differs(t))
			counts[distances[i]]++
		}
	}
	cut, found := len(counts)-1, 0
	for d, n := range counts {
		if found += n; found >= limit {
			cut = d
			break
		}
	}
	var near []int32
	for i, d := range distances {
		if d >= 0 && int(d) <= cut {
			near = append(near, int32(i))
		}
	}
	return near
}
