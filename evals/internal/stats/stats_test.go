package stats

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The wanted values are of other programs: statsmodels 0.15.0, scipy 1.17.1 and numpy 2.4.6, by the calls in comments.

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("%s is %.12g, want %.12g", what, got, want)
	}
}

// statsmodels.stats.proportion.proportion_confint(p, n, alpha=1-level, method="wilson"). The second to fifth are in
// Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, to four digits.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		passed, n        int
		level, low, high float64
	}{
		{0, 0, .95, 0, 1},
		{81, 263, .95, 0.2552885198782742, 0.36620957698280004},
		{15, 148, .95, 0.06238639953073628, 0.16048724172330803},
		{0, 20, .95, 0, 0.1611251580528194},
		{1, 29, .95, 0.006113214292762667, 0.17175521879320294},
		{29, 29, .95, 0.8830302015002592, 1},
		{3, 4, .9, 0.35616800859850634, 0.9420926788001414},
		{640, 1000, .99, 0.6000970382806441, 0.678057435546402},
	} {
		low, high := Wilson(c.passed, c.n, c.level)
		near(t, "low", low, c.low)
		near(t, "high", high, c.high)
	}
}

func TestRuleOfThree(t *testing.T) {
	for n, want := range map[int]float64{0: 1, 1: 1, 3: 1, 30: .1, 1000: .003} {
		near(t, "rule of three", RuleOfThree(n), want)
	}
}

// 1 - np.prod(1 - k / np.arange(n - c + 1, n + 1)), as in Chen et al., "Evaluating Large Language Models Trained on Code"
// (2021), figure 3; and math.comb(c, k) / math.comb(n, k), as in Yao et al., "τ-bench" (2024).
func TestPass(t *testing.T) {
	for _, c := range []struct {
		n, passed, k int
		at, all      float64
	}{
		{1, 0, 1, 0, 0}, {1, 1, 1, 1, 1}, {5, 2, 1, .4, .4}, {5, 2, 3, .9, 0},
		{10, 3, 5, 0.9166666666666666, 0},
		{200, 13, 10, 0.4975511147306061, 1.2738851058221087e-14},
		{200, 13, 100, 0.9999194971988055, 0},
		{100, 1, 99, .99, 0},
		{200, 180, 20, 1, 0.10854203729331653},
	} {
		near(t, "pass@k", PassAt(c.n, c.passed, c.k), c.at)
		near(t, "pass^k", PassAll(c.n, c.passed, c.k), c.all)
	}
	if !math.IsNaN(PassAt(3, 1, 4)) || !math.IsNaN(PassAll(3, 1, 0)) {
		t.Error("of more trials than ran, or of none")
	}
}

// statsmodels.stats.contingency_tables.mcnemar([[0, a], [b, 0]], exact=a+b<=1000, correction=True). 59 and 6, and 86 and
// 150, are the off-diagonals of examples in Agresti, "Categorical Data Analysis".
func TestMcNemar(t *testing.T) {
	for _, c := range []struct {
		a, b int
		p    float64
	}{
		{0, 0, 1}, {1, 0, 1}, {0, 5, 0.0625}, {4, 9, 0.266845703125}, {5, 15, 0.04138946533203125}, {12, 12, 1},
		{59, 6, 4.964650327128616e-12}, {86, 150, 3.7159361395713866e-05}, {400, 460, 0.04416954819458914},
		{600, 700, 0.006036981097798615}, {2000, 1800, 0.0012456911072356363},
	} {
		near(t, "p", McNemar(c.a, c.b), c.p)
	}
}

// scipy.stats.permutation_test((d,), np.sum, permutation_type="samples", n_resamples=np.inf), all sign flips counted.
func TestSignFlip(t *testing.T) {
	for _, c := range []struct {
		differences []int
		p           float64
	}{
		{nil, 1}, {[]int{0, 0}, 1}, {[]int{1, -1}, 1},
		{[]int{1, 1, 1, 1, -1}, .375}, {[]int{2, -1, 3, 0, 1}, .375}, {[]int{3, 3, -1, 2, -2, 1, 0, 5}, .1875},
		{[]int{2, 2, -3, 1, 1, -1, 4, -2, 3, 1, 2, -1, 1}, 0.238525390625},
	} {
		near(t, "p", SignFlip(c.differences), c.p)
	}
}

// With one trial of each task, the two tests are the same.
func TestSignFlipOfSingleTrialsIsMcNemar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.IntRange(0, 60).Draw(t, "a"), rapid.IntRange(0, 60).Draw(t, "b")
		differences := slices.Concat(slices.Repeat([]int{1}, a), slices.Repeat([]int{-1}, b), make([]int, 7))
		if got, want := SignFlip(differences), McNemar(a, b); math.Abs(got-want) > 1e-9 {
			t.Errorf("%d and %d: %g, want %g", a, b, got, want)
		}
	})
}

// What is too large to count exactly gets about the same p value from chi².
func TestSignFlipOfMany(t *testing.T) {
	small := slices.Concat(slices.Repeat([]int{2}, 260), slices.Repeat([]int{-2}, 220))
	large := slices.Concat(slices.Repeat([]int{2}, 2600), slices.Repeat([]int{-2}, 2500))
	if got, want := SignFlip(small), McNemar(260, 220); math.Abs(got-want) > 1e-9 {
		t.Errorf("exact: %g, want %g", got, want)
	}
	if got, want := SignFlip(large), McNemar(2600, 2500); math.Abs(got-want) > 5e-3 {
		t.Errorf("by chi²: %g, want about %g", got, want)
	}
}

// (norm.ppf(.975) + norm.ppf(.8))**2 * variance / difference**2, of scipy.stats. The first is the example of Miller (2024).
func TestTasksNeeded(t *testing.T) {
	for _, c := range []struct {
		difference, variance float64
		n                    int
	}{{.03, 1. / 9, 969}, {.03, 0, 969}, {.05, .25, 785}, {.01, .1, 7849}} {
		if got := TasksNeeded(c.difference, c.variance); got != c.n {
			t.Errorf("%g with a variance of %g: %d, want %d", c.difference, c.variance, got, c.n)
		}
	}
}

// statsmodels: OLS(y, ones).fit(cov_type="cluster", cov_kwds={"groups": g}), bse; the third scipy.stats.sem.
func TestClustered(t *testing.T) {
	for _, c := range []struct {
		clusters    [][]float64
		mean, error float64
	}{
		{[][]float64{{1, 1, 0}, {0, 0, 0, 0}, {1}, {1, 1}, {0, 1, 0}}, 0.4615384615384618, 0.19956712371645052},
		{[][]float64{{.2, .4}, {.9, .8}, {.1, .3}, {1, 1}}, 0.5874999999999999, 0.19830006723817983},
		{[][]float64{{0}, {1}, {1}, {0}, {1}, {1}, {1}}, 5. / 7, 0.18442777839082938},
	} {
		m := Clustered(c.clusters)
		near(t, "mean", m.Value, c.mean)
		near(t, "error", m.Error, c.error)
	}
	if m := Clustered([][]float64{{1, 0, 1}, nil}); !math.IsNaN(m.Error) {
		t.Errorf("one cluster has an error of %g", m.Error)
	}
}

func TestVariance(t *testing.T) {
	near(t, "variance", Variance([]float64{2, 4, 4, 4, 5, 5, 7, 9}), 32./7)
	near(t, "variance of one", Variance([]float64{3}), 0)
}

// The bootstrap of a mean has the standard error of the mean, as the population has it, and its interval is as wide.
func TestBootstrapMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 1), 30, 60).Draw(t, "values")
		clusters := make([][]float64, len(values))
		for i, v := range values {
			clusters[i] = []float64{v, v, v} // trials that agree say no more than one
		}
		e, n := BootstrapMean(clusters, 2_000), float64(len(values))
		want := math.Sqrt(squares(values)) / n
		if math.Abs(e.StdError-want) > .1*want+1e-12 || e.Low > e.Value+1e-12 || e.High < e.Value-1e-12 {
			t.Errorf("%+v, want a standard error of %g", e, want)
		}
		if again := BootstrapMean(clusters, 2_000); again != e {
			t.Errorf("the same data gave %+v and %+v", e, again)
		}
	})
}

func TestQuantile(t *testing.T) {
	values := []float64{5, 1, 4, 2, 3}
	for p, want := range map[float64]float64{0: 1, .2: 1, .21: 2, .5: 3, .8: 4, .81: 5, 1: 5} {
		if got := Quantile(values, p); got != want {
			t.Errorf("quantile %v is %v, want %v", p, got, want)
		}
	}
	var hundred []float64
	for n := range 100 {
		hundred = append(hundred, float64(n+1))
	}
	for n := 1.; n <= 100; n++ {
		if got := Quantile(hundred, n/100); got != n {
			t.Errorf("quantile %v of 1 to 100 is %v", n/100, got)
		}
	}
	if Quantile(nil, .5) != 0 || values[0] != 5 {
		t.Error("of none, or the values were sorted in place")
	}
}
