package contextwindow

import (
	"cmp"
	"math"
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// Calibration of the ratio: an exponential average of actual ÷ estimate with bounded steps, over requests that are
// large enough to be informative.
const (
	calibrationRate  = .2
	calibrationStep  = .15
	calibrationFloor = .5
	calibrationCeil  = 3.
	calibrationFrom  = 2_000 // tokens
)

// The safety margin is the 95th percentile of the newest relative errors, within these bounds.
const (
	marginFloor  = .05
	marginMost   = .25
	marginErrors = 64
)

// A meter turns raw estimates of a request into the provider's tokens. The provider's last count is the truth for what
// it covered; only what came later is estimated, with the ratio.
type meter struct {
	used    int       // raw estimate of the whole request, in tokens
	fixed   int       // part of used that every request carries: prefix and prompt
	unseen  int       // part of used that the provider has not counted yet
	ratio   float64   // actual ÷ estimate of what it has not counted
	anchor  float64   // actual ÷ estimate of its last count; 0 before the first
	changed bool      // some of what it counted was removed since, so the rest may have another ratio
	counted int       // counted requests that were large enough to calibrate
	errors  []float64 // the newest
	sorted  []float64 // the same, ascending
}

// allTokens is more than any request has.
const allTokens = 1 << 30

// observe takes the provider's count of the request that the meter holds. An implausible count moves the ratio one
// step and is ignored otherwise. A request with what a service compacted teaches no ratio: the size of that is a guess,
// and another model of a chain may have read the whole.
func (m *meter) observe(o Observed, compacted bool) {
	if o.Actual <= 0 || o.Estimate <= 0 {
		return
	}
	anchor := float64(o.Actual) / float64(o.Estimate)
	if o.Estimate >= calibrationFrom && !compacted {
		m.addError(math.Abs(float64(cmp.Or(o.Predicted, m.tokens()))/float64(o.Actual) - 1))
		m.counted++
		step := calibrationRate * (anchor - m.ratio)
		m.ratio = clampRatio(m.ratio + min(max(step, -calibrationStep), calibrationStep))
	}
	if anchor == clampRatio(anchor) {
		m.anchor = anchor
		m.unseen, m.changed = 0, false
	}
}

// addError adds an error and drops the oldest of too many.
func (m *meter) addError(e float64) {
	if len(m.errors) == marginErrors {
		at, _ := slices.BinarySearch(m.sorted, m.errors[0])
		m.errors, m.sorted = m.errors[1:], slices.Delete(m.sorted, at, at+1)
	}
	at, _ := slices.BinarySearch(m.sorted, e)
	m.errors, m.sorted = append(m.errors, e), slices.Insert(m.sorted, at, e)
}

func startRatio(b Budget) float64 { return clampRatio(cmp.Or(b.Ratio, 1)) }

// clampRatio keeps a ratio within its bounds; NaN becomes 1.
func clampRatio(r float64) float64 {
	if math.IsNaN(r) {
		return 1
	}
	return min(max(r, calibrationFloor), calibrationCeil)
}

// rates returns the calibrated tokens per raw token, counted and not yet counted, and the number of raw tokens not yet
// counted. Before the first count there is one rate for all.
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

// rate is the calibrated tokens per raw token of the whole request.
func (m *meter) rate() float64 { return float64(m.tokens()) / float64(max(m.used, 1)) }

// calibrated turns raw tokens of the fixed parts into calibrated ones, rounded up.
func (m *meter) calibrated(raw int) int {
	seen, _, _ := m.rates()
	return int(math.Ceil(seen * float64(raw)))
}

// rawFor returns how many raw tokens the request may have so that it takes so many calibrated ones: the inverse of
// [meter.tokens]. What is added has the rate of uncounted tokens; what is removed is counted tokens first, then
// uncounted ones, then the fixed parts.
func (m *meter) rawFor(calibrated int) int {
	seen, unseen, n := m.rates()
	target, now := float64(calibrated), seen*float64(m.used-n)+unseen*float64(n)
	fixed := seen * float64(m.fixed)
	switch {
	case target >= now: // room to add
		return m.used + int((target-now)/unseen)
	case target >= fixed+unseen*float64(n): // removes some of what was counted
		return n + int((target-unseen*float64(n))/seen)
	case target >= fixed: // removes all of that, and some of what was not
		return m.fixed + int((target-fixed)/unseen)
	}
	return m.rawForFixed(calibrated)
}

// rawForFixed does the same for the fixed parts alone.
func (m *meter) rawForFixed(calibrated int) int {
	seen, _, _ := m.rates()
	return int(float64(calibrated) / seen)
}

// margin is the relative error that estimates have shown lately.
func (m *meter) margin() float64 {
	if len(m.errors) == 0 {
		return marginFloor
	}
	return min(max(m.sorted[len(m.sorted)*95/100], marginFloor), marginMost)
}

// uncertain is how many tokens the request may exceed its estimate by: the margin on what the provider has not
// counted, or on everything once parts of what it counted were removed.
func (m *meter) uncertain() int {
	_, unseen, n := m.rates()
	if m.anchor == 0 || m.changed {
		return int(math.Ceil(m.margin() * float64(m.tokens())))
	}
	return int(math.Ceil(m.margin() * unseen * float64(n)))
}

// scale is whole × part ÷ of, rounded.
func scale(whole, part, of int) int {
	if of == 0 {
		return 0
	}
	return int(math.Round(float64(whole) * float64(part) / float64(of)))
}

// countImages sets the size of pictures that were not counted.
func (o *Options) countImages(messages []transcript.Message) {
	if o.ImageTokens == nil {
		return
	}
	for i := range messages {
		for j := range messages[i].Images {
			im := &messages[i].Images[j]
			im.Tokens = max(o.ImageTokens(*im), 0)
		}
	}
}
