package line

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// The names are those of a stable sort of all by distance, ties and repeated names included.
func TestClosestIsASortByDistance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		b := make([]byte, r.IntN(9))
		for i := range b {
			b[i] = "abcAB_ü"[r.IntN(7)]
		}
		return string(b)
	}
	for range 500 {
		name, names, n := word(), []string{}, r.IntN(8)-1
		for range r.IntN(40) {
			names = append(names, word())
		}
		sorted := slices.SortedStableFunc(slices.Values(names), func(a, b string) int {
			return cmp.Compare(Distance(name, a), Distance(name, b))
		})
		want := sorted[:min(max(n, 0), len(sorted))]
		if got := Closest(name, names, n); !slices.Equal(got, want) {
			t.Fatalf("Closest(%q, %q, %d) = %q, want %q", name, names, n, got, want)
		}
	}
}
