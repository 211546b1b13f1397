package contextwindow

import (
	"math"
	"slices"
	"testing"
)

// TestCalibration pins how far one count of the provider moves the ratio.
func TestCalibration(t *testing.T) {
	for _, c := range []struct {
		name             string
		ratio            float64
		actual, estimate int
		times            int
		want             float64
	}{
		{"a fifth of the way", 1, 3_000, 2_000, 1, 1.1},
		{"a fifth of the way down", 1, 1_500, 2_000, 1, .95},
		{"at most .15", 1, 20_000, 2_000, 1, 1.15},
		{"at most .15 down", 1, 100, 2_000, 1, .85},
		{"not above 3", 1, 20_000, 2_000, 100, 3},
		{"not below .5", 1, 100, 2_000, 100, .5},
		{"comes to rest", 1, 3_000, 2_000, 100, 1.5},
		{"small requests tell nothing", 1, 3_000, 1_999, 100, 1},
		{"no count", 1.2, 0, 2_000, 1, 1.2},
	} {
		s := state{ratio: c.ratio}
		for range c.times {
			s.calibrate(Observed{Actual: c.actual, Estimate: c.estimate})
		}
		if math.Abs(s.ratio-c.want) > 1e-6 {
			t.Errorf("%s: the ratio is %.4f, want %.4f", c.name, s.ratio, c.want)
		}
	}
}

// TestFitAfterCalibration has a provider that counts half as much again as the estimate: requests fit by its count, and
// no rung is taken that is not needed.
func TestFitAfterCalibration(t *testing.T) {
	for _, p := range Profiles() {
		w := window(8_000, p)
		ask(t, w, "prompt")
		mustAppend(t, w, Message{Role: Assistant, Text: words(2_500)})
		for range 40 {
			w.Observe(w.used * 3 / 2)
		}
		if math.Abs(w.ratio-1.5) > .01 {
			t.Fatalf("%s: the ratio is %.3f, want 1.5", p, w.ratio)
		}
		if got, want := w.Usage().Tokens, int(math.Ceil(float64(w.used)*w.ratio)); got != want {
			t.Errorf("%s: usage %d, want %d", p, got, want)
		}
		round(t, w, words(2_000), words(2_000), words(2_000))
		c := mustFit(t, w)
		if float64(w.used)*1.49 > 8_000 {
			t.Errorf("%s: %d tokens by the provider's count in a budget of 8,000", p, w.used*3/2)
		}
		if slices.Contains(c.Steps, "overflow 6") || w.View()[len(w.View())-1].Role != Tool {
			t.Errorf("%s: %v though the newest round can be cut to fit", p, c)
		}
	}
}

// TestMarkRisesWithTheFirstCount stays below the high mark of a window that the provider has counted, and above the one
// that holds until then.
func TestMarkRisesWithTheFirstCount(t *testing.T) {
	for _, counted := range []bool{false, true} {
		w := window(8_000, Lean)
		ask(t, w, "prompt")
		for w.Usage().Share() < .86 {
			mustAppend(t, w, Message{Role: Assistant, Text: words(150)})
		}
		if counted {
			w.Observe(w.used)
		}
		if c := mustFit(t, w); c.Level > 0 == counted {
			t.Errorf("counted %v: %v at %.2f", counted, c, float64(c.Before)/8_000)
		}
	}
}
