package stats

import "math"

const (
	exactPairs = 1_000     // that McNemar counts; chi² is as good beyond
	exactSums  = 2_000_000 // additions that an exact SignFlip may take
)

// McNemar returns the p value of McNemar's test on independent pairs: only the first subject passed in a of them,
// only the second in b. It is how likely a split at least as uneven would be if both were equally good: exact for up
// to 1,000 of these pairs, and otherwise by chi² with continuity correction.
func McNemar(a, b int) float64 {
	n := a + b
	if n == 0 {
		return 1
	}
	if n > exactPairs {
		chi := max(math.Abs(float64(a-b))-1, 0) / math.Sqrt(float64(n))
		return math.Erfc(chi / math.Sqrt2)
	}
	term, tail := math.Pow(.5, float64(n)), 0. // of the binomial distribution
	for i := range min(a, b) + 1 {
		tail += term
		term *= float64(n-i) / float64(i+1)
	}
	return min(2*tail, 1)
}

// SignFlip returns the p value of a permutation test of two subjects with several trials of each task. Each
// difference is of one task: trials that the first passed less those that the second passed. If the subjects are
// equally good, each could as well have the other sign. With one trial of each task it equals [McNemar]. It is exact
// unless that takes too many additions, and otherwise by Durkalski's chi² for clustered pairs (2003).
func SignFlip(differences []int) float64 {
	size, sum, squares := 0, 0, 0
	for _, d := range differences {
		size += max(d, -d)
		sum += d
		squares += d * d
	}
	if size == 0 {
		return 1
	}
	sum = max(sum, -sum)
	if size*len(differences) > exactSums {
		return math.Erfc(float64(sum) / math.Sqrt(float64(2*squares)))
	}
	// chances[i] is how likely the sum is i-size, after the differences so far.
	chances := make([]float64, 2*size+1)
	chances[size] = 1
	reach := 0
	for _, d := range differences {
		if d = max(d, -d); d == 0 {
			continue
		}
		next := make([]float64, len(chances))
		for i := size - reach; i <= size+reach; i++ {
			next[i-d] += chances[i] / 2
			next[i+d] += chances[i] / 2
		}
		chances, reach = next, reach+d
	}
	p := 0.
	for i := 0; i <= size-sum; i++ {
		p += chances[i]
	}
	if sum == 0 {
		return 1
	}
	return min(2*p, 1)
}

// TasksNeeded returns how many tasks show a difference of two mean scores with a power of 80 % at a level of 95 %, if
// the differences of single tasks have this variance. A variance of 0 or less counts as [usualVariance].
func TasksNeeded(difference, variance float64) int {
	if variance <= 0 {
		variance = usualVariance
	}
	z := Normal(Confidence) + Normal(.6) // 80 % on one side
	return int(math.Ceil(z * z * variance / (difference * difference)))
}

// usualVariance is the variance of differences that Miller, "Adding Error Bars to Evals" (2024), assumes for two models
// of about equal strength: 969 tasks show 3 points.
const usualVariance = 1. / 9
