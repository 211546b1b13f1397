package contextwindow

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
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
		m := meter{ratio: c.ratio}
		for range c.times {
			m.observe(Observed{Actual: c.actual, Estimate: c.estimate})
		}
		if math.Abs(m.ratio-c.want) > 1e-6 {
			t.Errorf("%s: the ratio is %.4f, want %.4f", c.name, m.ratio, c.want)
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

// TestAnchor takes the provider's count for what it saw, whatever the ratio has learnt, and estimates only what came
// since.
func TestAnchor(t *testing.T) {
	w := window(24_000, Off)
	ask(t, w, "prompt")
	mustAppend(t, w, Message{Role: Assistant, Text: words(3_000)})
	actual := w.used * 2
	w.Observe(actual)
	if got := w.Usage().Tokens; got != actual {
		t.Errorf("%d tokens right after the provider counted %d", got, actual)
	}
	before := w.used
	round(t, w, words(500))
	added := int(math.Ceil(float64(w.used-before) * w.ratio))
	if got := w.Usage().Tokens; got < actual+added-1 || got > actual+added+1 {
		t.Errorf("%d tokens, want %d counted and %d estimated at %.2f", got, actual, added, w.ratio)
	}
	reload(t, w)
}

// TestMeterInverts asks for the raw size of a request of so many calibrated tokens at any state: never more than fits, and
// at most a few tokens less.
func TestMeterInverts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ratio := rapid.Float64Range(.5, 3)
		m := meter{fixed: rapid.IntRange(0, 3_000).Draw(t, "fixed"), ratio: ratio.Draw(t, "ratio")}
		m.used = m.fixed + rapid.IntRange(0, 30_000).Draw(t, "rest")
		if rapid.Bool().Draw(t, "counted") {
			m.anchor, m.unseen = ratio.Draw(t, "anchor"), rapid.IntRange(0, m.used).Draw(t, "unseen")
		}
		target := rapid.IntRange(m.calibrated(m.fixed)+1, 100_000).Draw(t, "target")
		raw := m.raw(target)
		then := m
		if raw > m.used {
			then.grow(raw - m.used)
		} else {
			then.used = raw
		}
		if got := then.tokens(); got > target || got < target-7 {
			t.Fatalf("%d raw tokens are %d of %d calibrated, with %+v", raw, got, target, m)
		}
	})
}

// TestMargin is the 95th percentile of what estimates have been wrong by, with a floor.
func TestMargin(t *testing.T) {
	m := meter{ratio: 1, used: 10_000}
	if m.margin() != marginFloor || m.uncertain() != 500 {
		t.Errorf("margin %.2f, uncertain %d before any count", m.margin(), m.uncertain())
	}
	for i := range 100 {
		m.used, m.unseen = m.used+100, m.unseen+100
		actual := m.tokens()
		if i%10 == 0 {
			actual = actual * 100 / 88 // the estimate is a tenth too low now and then
		}
		m.observe(Observed{Actual: actual, Estimate: m.used})
	}
	if got := m.margin(); got < .08 || got > .15 {
		t.Errorf("margin %.3f after errors of 12 %%", got)
	}
	if len(m.errors) > marginErrors {
		t.Errorf("%d errors are kept", len(m.errors))
	}
}

func TestStartingRatio(t *testing.T) {
	for model, want := range map[string]float64{
		"claude-sonnet-4-5-20250929": 1.20, "anthropic/claude-sonnet-4": 1.33, "claude-opus-4-7": 1.66, "claude-opus-4-1": 1.28,
		"gpt-4.1": 1, "openai/o3-mini": 1,
	} {
		ratio, measured := StartingRatio(model)
		if ratio != want || !measured {
			t.Errorf("%s: %.2f, measured %v; want %.2f", model, ratio, measured, want)
		}
		if b := BudgetFor(model, Lean); b.Ratio != ratio {
			t.Errorf("%s: the budget starts at %.2f", model, b.Ratio)
		}
	}
	for _, model := range []string{"", "gemini-2.5-pro", "claude-3-opus", "mistral-large"} {
		if ratio, measured := StartingRatio(model); ratio != 1 || measured {
			t.Errorf("%q: %.2f, measured %v; nobody measured it", model, ratio, measured)
		}
	}
}
