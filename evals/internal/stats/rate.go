package stats

import "math"

// Confidence is the level of an interval if nobody asks for another.
const Confidence = .95

// Wilson returns Wilson's score interval of a rate of passed in n, between 0 and 1. Of none it is the whole range.
func Wilson(passed, n int, level float64) (low, high float64) {
	if n <= 0 {
		return 0, 1
	}
	p, m, z := float64(passed)/float64(n), float64(n), Normal(level)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	low, high = max(mid-half, 0), min(mid+half, 1)
	if passed <= 0 {
		low = 0 // not a rounding error above it
	}
	if passed >= n {
		high = 1
	}
	return low, high
}

// RuleOfThree returns the upper end of the 95 % interval of a rate if n trials had no case: 3 ÷ n, at most 1.
func RuleOfThree(n int) float64 {
	return min(3/float64(max(n, 1)), 1)
}

// Normal returns how many standard errors an interval of a level reaches to each side: 1.96 for .95.
func Normal(level float64) float64 { return math.Sqrt2 * math.Erfinv(level) }

// PassAt returns the unbiased estimate of pass@k from n trials of a task, some of them passed: how likely at least one
// of k trials passes. k is from 1 to n; otherwise it returns NaN.
func PassAt(n, passed, k int) float64 {
	return 1 - PassAll(n, n-passed, k)
}

// PassAll returns the unbiased estimate of pass^k from n trials of a task, some of them passed: how likely all of k
// trials pass. k is from 1 to n; otherwise it returns NaN.
func PassAll(n, passed, k int) float64 {
	if k < 1 || k > n || passed < 0 || passed > n {
		return math.NaN()
	}
	all := 1. // ways to draw k that passed ÷ ways to draw k
	for i := range k {
		all *= float64(max(passed-i, 0)) / float64(n-i)
	}
	return all
}
