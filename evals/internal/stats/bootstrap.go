package stats

import (
	"math"
	"math/rand/v2"
)

// An Estimate is a figure with its sampling error.
type Estimate struct {
	Value    float64 `json:"value"`
	StdError float64 `json:"standard_error"`
	Low      float64 `json:"low"` // of the 95 % interval
	High     float64 `json:"high"`
}

// bootstrapSeed makes equal data give equal intervals.
const bootstrapSeed = 1

// Bootstrap estimates figures of n clusters, such as tasks, from resamples of them. figures computes the figures,
// always as many, of the n clusters whose indices draw returns for 0 to n-1. What depends on each other, such as the
// trials of a task by two subjects, belongs in one cluster. The intervals are percentiles, and equal for equal data.
func Bootstrap(n, resamples int, figures func(draw func(i int) int) []float64) []Estimate {
	r := rand.New(rand.NewPCG(bootstrapSeed, uint64(n)))
	values := figures(func(i int) int { return i })
	drawn := make([][]float64, len(values))
	for range resamples {
		for m, v := range figures(func(int) int { return r.IntN(n) }) {
			drawn[m] = append(drawn[m], v)
		}
	}
	all := make([]Estimate, len(values))
	for m, v := range values {
		all[m] = Estimate{Value: v, StdError: math.Sqrt(squares(drawn[m]) / float64(resamples)),
			Low: Quantile(drawn[m], .025), High: Quantile(drawn[m], .975)}
	}
	return all
}

// BootstrapMean estimates the mean of all values of clusters, such as the scores of the trials of each task.
func BootstrapMean(clusters [][]float64, resamples int) Estimate {
	return Bootstrap(len(clusters), resamples, func(draw func(i int) int) []float64 {
		sum, n := 0., 0
		for i := range clusters {
			c := clusters[draw(i)]
			n += len(c)
			for _, v := range c {
				sum += v
			}
		}
		return []float64{sum / float64(max(n, 1))}
	})[0]
}
