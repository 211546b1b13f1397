package stats

import "math"

// A Mean is a mean with its standard error.
type Mean struct {
	Value float64
	Error float64 // NaN with fewer than two clusters
}

// Clustered returns the mean of all values and its clustered standard error. The values of one cluster, such as the
// trials of one task, may depend on each other; clusters do not. The variance is multiplied by G ÷ (G − 1) for G
// clusters, so with one value in each the error is the usual one.
func Clustered(clusters [][]float64) Mean {
	n, groups, sum := 0, 0, 0.
	for _, c := range clusters {
		if len(c) > 0 {
			groups++
		}
		n += len(c)
		for _, v := range c {
			sum += v
		}
	}
	m := Mean{Value: sum / float64(n), Error: math.NaN()}
	if groups < 2 {
		return m
	}
	squares := 0.
	for _, c := range clusters {
		residual := 0.
		for _, v := range c {
			residual += v - m.Value
		}
		squares += residual * residual
	}
	m.Error = math.Sqrt(squares*float64(groups)/float64(groups-1)) / float64(n)
	return m
}

// Variance returns the variance of a sample, or 0 of fewer than two values.
func Variance(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	return squares(values) / float64(len(values)-1)
}

// squares returns the sum of the squared distances from the mean.
func squares(values []float64) float64 {
	mean, sum := 0., 0.
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return sum
}
