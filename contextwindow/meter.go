package contextwindow

import (
	"cmp"
	"math"
	"slices"
)

// The calibration of a ratio: an exponential average of actual ÷ estimate with bounded steps, over requests that are
// large enough to tell (compaction: budget and meter).
const (
	calibrationRate  = .2
	calibrationStep  = .15
	calibrationFloor = .5
	calibrationCeil  = 3.
	calibrationFrom  = 2_000 // tokens
)

// The safety margin is the 95th percentile of the newest relative errors, and never less than the floor.
const (
	marginFloor  = .05
	marginMost   = .25
	marginErrors = 64
)

// A meter turns raw estimates of a request into the provider's tokens. What the provider counted last is the truth for
// what it saw; only what came since is estimated, with the ratio.
type meter struct {
	used    int     // raw estimate of the whole request, in tokens
	fixed   int     // of these: what every request carries, frame and prompt
	unseen  int     // of these: what came since the provider counted
	ratio   float64 // actual ÷ estimate of what it has not counted
	anchor  float64 // actual ÷ estimate of what it counted last; 0: it has counted nothing
	changed bool    // some of what it counted has gone since, and the rest need not have the same ratio
	counted int     // requests that it counted and that were large enough to tell
	errors  []float64
}

// observe takes the provider's count of the request that the meter holds. One that is out of all proportion moves the
// ratio a step and is not believed otherwise.
func (m *meter) observe(o Observed) {
	if o.Actual <= 0 || o.Estimate <= 0 {
		return
	}
	if o.Estimate >= calibrationFrom {
		m.errors = append(m.errors, math.Abs(float64(cmp.Or(o.Predicted, m.tokens()))/float64(o.Actual)-1))
		m.errors = m.errors[max(0, len(m.errors)-marginErrors):]
		m.counted++
		step := calibrationRate * (float64(o.Actual)/float64(o.Estimate) - m.ratio)
		step = min(max(step, -calibrationStep), calibrationStep)
		m.ratio = clampRatio(m.ratio + step)
	}
	anchor := float64(o.Actual) / float64(o.Estimate)
	if anchor != clampRatio(anchor) {
		return
	}
	m.anchor = anchor
	m.unseen, m.changed = 0, false
}

// startRatio is the ratio of a window that has seen no count.
func startRatio(b Budget) float64 { return clampRatio(cmp.Or(b.Ratio, 1)) }

// clampRatio keeps a ratio within its bounds; what is no number is 1.
func clampRatio(r float64) float64 {
	if math.IsNaN(r) {
		return 1
	}
	return min(max(r, calibrationFloor), calibrationCeil)
}

// grow adds raw tokens that the provider has not seen.
func (m *meter) grow(tokens int) {
	m.used += tokens
	m.unseen += tokens
}

// rates returns the calibrated tokens of a raw one that the provider has counted, and of one that it has not, and how
// many it has not. Without a count there is one rate for all.
func (m *meter) rates() (seen, unseen float64, n int) {
	if m.anchor == 0 {
		return m.ratio, m.ratio, 0
	}
	return m.anchor, m.ratio, max(0, min(m.unseen, m.used-m.fixed))
}

// tokens is the calibrated estimate of the whole request, rounded up.
func (m *meter) tokens() int {
	seen, unseen, n := m.rates()
	return int(math.Ceil(seen*float64(m.used-n) + unseen*float64(n)))
}

// calibrated turns raw tokens that every request carries into calibrated ones, rounded up.
func (m *meter) calibrated(raw int) int {
	seen, _, _ := m.rates()
	return int(math.Ceil(seen * float64(raw)))
}

// raw returns how many raw tokens the whole request may have so that it takes at most so many calibrated ones: what
// is added has the rate of what is not counted yet, and of what goes the counted goes first.
func (m *meter) raw(calibrated int) int {
	seen, unseen, n := m.rates()
	target, now := float64(calibrated), seen*float64(m.used-n)+unseen*float64(n)
	least := seen * float64(m.fixed)
	switch {
	case target >= now:
		return m.used + int((target-now)/unseen)
	case target >= least+unseen*float64(n):
		return n + int((target-unseen*float64(n))/seen)
	case target >= least:
		return m.fixed + int((target-least)/unseen)
	}
	return m.part(calibrated)
}

// part returns how many raw tokens of what every request carries are so many calibrated ones.
func (m *meter) part(calibrated int) int {
	seen, _, _ := m.rates()
	return int(float64(calibrated) / seen)
}

// margin is by which share estimates have been wrong of late.
func (m *meter) margin() float64 {
	if len(m.errors) == 0 {
		return marginFloor
	}
	sorted := slices.Sorted(slices.Values(m.errors))
	return min(max(sorted[len(sorted)*95/100], marginFloor), marginMost)
}

// uncertain is how many tokens the request may take more than its estimate says: the margin of what the provider has
// not counted, or of everything, if what it counted is there in parts.
func (m *meter) uncertain() int {
	_, unseen, n := m.rates()
	if m.anchor == 0 || m.changed {
		return int(math.Ceil(m.margin() * float64(m.tokens())))
	}
	return int(math.Ceil(m.margin() * unseen * float64(n)))
}
