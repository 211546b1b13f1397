package contextwindow

import (
	"errors"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// TestPace tells three compactions in six rounds from others.
func TestPace(t *testing.T) {
	for _, c := range []struct {
		name     string
		at       []int
		halved   bool
		thrashed int
	}{
		{"three in six", []int{1, 3, 6}, true, 0},
		{"six rounds apart", []int{1, 3, 7}, false, 0},
		{"slides", []int{1, 5, 9, 10}, true, 0},
		{"a pause ends it", []int{1, 2, 3, 9}, false, 0},
		{"spread after halving", []int{1, 2, 3, 5, 7, 9}, true, 0},
		{"one in each", []int{1, 2, 3, 4, 5, 6}, true, 1},
		{"too many in each", []int{1, 2, 3, 3, 4, 4, 5}, true, 1},
		{"not in a row", []int{1, 2, 3, 5, 6, 8, 9}, true, 0},
		{"all of a round are one", []int{1, 1, 1, 1}, false, 0},
	} {
		var p pace
		for _, round := range c.at {
			p.turns = round
			p.count(100, true, true)
		}
		if p.halved != c.halved || p.thrashed != c.thrashed {
			t.Errorf("%s: halved %v, thrashed %d", c.name, p.halved, p.thrashed)
		}
	}
}

// TestRungsCountAsCompactions counts what the overflow ladder does, and guards only ladders with two marks.
func TestRungsCountAsCompactions(t *testing.T) {
	w := window(2_000, Off)
	ask(t, w, "prompt")
	for n := range 3 {
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(1_900)})
		c := mustFit(t, w)
		if c.Level != overflowLevel {
			t.Fatal(n, c)
		}
	}
	if !w.pace.halved {
		t.Error("three compactions of the overflow ladder in three rounds do not count")
	}
	c := Compaction{}
	for range 6 { // off and seed have no guard
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(1_900)})
		var err error
		if c, err = w.Fit(); errors.Is(err, ErrThrash) || c.Thrash {
			t.Errorf("%v %v", c, err)
		}
	}
}

// TestNoThrashWithoutMarks compacts under ladder as often as it is asked to.
func TestNoThrashWithoutMarks(t *testing.T) {
	w := window(2_000, Ladder)
	ask(t, w, "prompt")
	for range 8 {
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(1_500)})
		if c, err := w.Fit(); err != nil || c.Thrash {
			t.Errorf("%+v %v", c, err)
		}
	}
}

// TestTooSoon wants a tenth of the budget between two compactions.
func TestTooSoon(t *testing.T) {
	w := readings(t, Lean, 30)
	mustFit(t, w)
	for _, c := range []struct {
		share float64
		want  bool
	}{{.09, true}, {.11, false}} {
		w.pace.written = w.notes.written - int(c.share*float64(w.meter.rawFor(w.limit)))
		if got := w.tooSoon(); got != c.want {
			t.Errorf("%v of the budget came in: too soon %v", c.share, got)
		}
	}
}

// TestMarginOfTheWindow compacts before the high mark what could be larger than the window of the model.
func TestMarginOfTheWindow(t *testing.T) {
	w := New(Budget{Limit: 10_000, Window: 11_500}, nil)
	ask(t, w, "prompt")
	w.meter.counted = 1
	w.meter.addError(.25)
	for w.meter.tokens() < 8_400 {
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(100)})
	}
	if !leanMarks.reached(w.state) || w.meter.tokens() >= 9_000 {
		t.Errorf("%d tokens, uncertain by %d, in a window of %d: not reached", w.meter.tokens(), w.meter.uncertain(), 11_500)
	}
}
