package contextwindow

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/forayhq/foray/contextwindow/transcript"
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
			m.observe(Observed{Actual: c.actual, Estimate: c.estimate}, false)
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
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(2_500)})
		for range 40 {
			w.Observe(w.meter.used * 3 / 2)
		}
		if math.Abs(w.meter.ratio-1.5) > .01 {
			t.Fatalf("%s: the ratio is %.3f, want 1.5", p, w.meter.ratio)
		}
		if got, want := w.Usage().Tokens, int(math.Ceil(float64(w.meter.used)*w.meter.ratio)); got != want {
			t.Errorf("%s: usage %d, want %d", p, got, want)
		}
		round(t, w, words(2_000), words(2_000), words(2_000))
		c := mustFit(t, w)
		if float64(w.meter.used)*1.49 > 8_000 {
			t.Errorf("%s: %d tokens by the provider's count in a budget of 8,000", p, w.meter.used*3/2)
		}
		if slices.Contains(c.Steps, "overflow 6") || w.View()[len(w.View())-1].Role != transcript.Tool {
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
			mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(150)})
		}
		if counted {
			w.Observe(w.meter.used)
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
	mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(3_000)})
	actual := w.meter.used * 2
	w.Observe(actual)
	if got := w.Usage().Tokens; got != actual {
		t.Errorf("%d tokens right after the provider counted %d", got, actual)
	}
	before := w.meter.used
	round(t, w, words(500))
	added := int(math.Ceil(float64(w.meter.used-before) * w.meter.ratio))
	if got := w.Usage().Tokens; got < actual+added-1 || got > actual+added+1 {
		t.Errorf("%d tokens, want %d counted and %d estimated at %.2f", got, actual, added, w.meter.ratio)
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
		raw := m.rawFor(target)
		then := m
		if raw > m.used {
			then.used, then.unseen = raw, m.unseen+raw-m.used
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
		m.observe(Observed{Actual: actual, Estimate: m.used}, false)
	}
	if got := m.margin(); got < .08 || got > .15 {
		t.Errorf("margin %.3f after errors of 12 %%", got)
	}
	if len(m.errors) > marginErrors {
		t.Errorf("%d errors are kept", len(m.errors))
	}
}

// TestMeterBounds holds the margin, the starting ratio and the anchor to their bounds, and every branch of raw to its promise.
func TestMeterBounds(t *testing.T) {
	m := meter{ratio: 1, used: 10_000}
	feed := func(n int, wrong float64) {
		for range n {
			m.anchor, m.ratio, m.unseen = 1, 1, 0
			m.observe(Observed{Actual: int(10_000 / (1 + wrong)), Estimate: 10_000}, false)
		}
	}
	feed(64, .20)
	feed(64, 0)
	if m.margin() != marginFloor {
		t.Errorf("old errors count: %.2f", m.margin())
	}
	feed(3, .20) // 3 of 64 are less than a twentieth
	if m.margin() != marginFloor {
		t.Errorf("the largest error is the margin: %.2f", m.margin())
	}
	feed(64, 3)
	if m.margin() != marginMost {
		t.Errorf("margin %.2f", m.margin())
	}
	w := New(Budget{Limit: 24_000, Ratio: 10}, nil)
	ask(t, w, "prompt")
	if got := w.Usage().Tokens; got != 3*w.meter.used {
		t.Errorf("starts at %d for %d", got, w.meter.used)
	}
	w.Observe(1e9)
	if got := w.Usage().Tokens; got != 3*w.meter.used {
		t.Errorf("an absurd count makes %d of %d", got, w.meter.used)
	}
	// every branch of raw, by construction
	for _, seen := range []float64{.5, 1, 2} {
		for _, unseen := range []float64{.5, 1, 2} {
			m := meter{used: 10_000, fixed: 1_000, unseen: 3_000, anchor: seen, ratio: unseen}
			for target := m.calibrated(m.fixed) + 1; target < 25_000; target += 97 {
				then, raw := m, m.rawFor(target)
				if raw > m.used {
					then.used, then.unseen = raw, m.unseen+raw-m.used
				} else {
					then.used = raw
				}
				if got := then.tokens(); got > target || got < target-7 {
					t.Fatalf("seen %v unseen %v: %d raw are %d of %d", seen, unseen, raw, got, target)
				}
			}
		}
	}
}

// TestUncertainUntilCounted takes a request for certain only as the provider counted it.
func TestUncertainUntilCounted(t *testing.T) {
	w := readings(t, Lean, 6)
	w.Observe(w.Usage().Tokens)
	if w.meter.uncertain() != 0 {
		t.Error("a counted request is uncertain")
	}
	if _, err := w.Compact(""); err != nil {
		t.Fatal(err)
	}
	if got, want := w.meter.uncertain(), int(math.Ceil(w.meter.margin()*float64(w.meter.tokens()))); got != want {
		t.Errorf("uncertain by %d after a compaction, want %d", got, want)
	}
	w.Observe(w.Usage().Tokens)
	if w.meter.uncertain() != 0 {
		t.Error("uncertain although it was counted again")
	}
	readFile(t, w, 99)
	if w.meter.uncertain() == 0 {
		t.Error("what came since is certain")
	}
}

// TestOverflowKeepsTheMargin compacts a request that may be a fifth larger than it looks.
func TestOverflowKeepsTheMargin(t *testing.T) {
	w := window(10_000, Off)
	ask(t, w, "prompt")
	for range 64 {
		w.meter.addError(.2)
	}
	for w.Usage().Tokens < 9_000 {
		round(t, w, words(300))
	}
	if c := mustFit(t, w); c.Level == 0 {
		t.Error("a request that may be a fifth larger than it looks is taken to fit")
	}
}

// TestAbsurdCounts moves the ratio a step at most, whatever a provider counts or a budget says.
func TestAbsurdCounts(t *testing.T) {
	for _, ratio := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1} {
		w := New(Budget{Limit: 4_000, Ratio: ratio}, nil)
		ask(t, w, "prompt")
		if got := w.Usage().Tokens; got < w.meter.used/2 || got > 3*w.meter.used {
			t.Errorf("ratio %v: %d tokens for %d", ratio, got, w.meter.used)
		}
	}
	for _, count := range []int{1, 1e9, math.MaxInt} {
		w := window(24_000, Lean)
		ask(t, w, words(3_000))
		before := w.Usage().Tokens
		w.Observe(count)
		if got := w.Usage().Tokens; got < before*8/10 || got > before*12/10 {
			t.Errorf("a count of %d makes %d tokens of %d", count, got, before)
		}
	}
}

// TestUndoKeepsTheMeter takes a compaction back without making the counts of before look wrong.
func TestUndoKeepsTheMeter(t *testing.T) {
	w := window(24_000, Lean)
	ask(t, w, "prompt")
	for n := 0; len(w.Compactions()) == 0; n++ {
		round(t, w, words(400))
		mustFit(t, w)
		w.Observe(w.Usage().Tokens)
	}
	for range 3 {
		round(t, w, words(50))
		w.Observe(w.Usage().Tokens)
	}
	if _, ok := w.Undo(1); !ok {
		t.Fatal("nothing to undo")
	}
	if w.meter.margin() != marginFloor || w.meter.uncertain() == 0 {
		t.Errorf("margin %.2f, uncertain %d", w.meter.margin(), w.meter.uncertain())
	}
	reload(t, w)
}
