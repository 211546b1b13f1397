package stats

import (
	"math"
	"slices"
)

// Quantile returns the smallest value that at least the share p of the values, from 0 to 1, does not exceed, or 0
// without values.
func Quantile(values []float64, p float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := math.Ceil(p*float64(len(sorted)) - 1e-9) // .07*100 is a bit above 7
	return sorted[max(int(rank)-1, 0)]
}
