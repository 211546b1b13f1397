package stats

import "slices"

// Quantile returns the value that a share p of the values, from 0 to 1, does not exceed, or 0 without values.
func Quantile(values []float64, p float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(p*float64(len(sorted))), len(sorted)-1)]
}
