package trust

import (
	"testing"

	"github.com/forayhq/foray/tools/report"
)

func places(score float64, n int) []report.Place {
	all := make([]report.Place, n)
	for i := range all {
		all[i].Confidence = score
	}
	return all
}

// The rate depends on the evidence (one place or several) and on the intent, not on the confidence that the search gave.
func TestRate(t *testing.T) {
	for _, tt := range []struct {
		intent string
		score  float64
		n      int
		want   string
	}{
		{"definition", .95, 1, "strong"}, {"definition", .7, 2, "likely"}, {"callers", .85, 12, "strong"},
		{"tests", .85, 12, "likely"}, {"tests", .2, 1, "one of these"}, {"unknown", .9, 3, "one of these"},
	} {
		all := places(tt.score, tt.n)
		Rate(tt.intent, all)
		if got := (&report.Report{Places: all}).Trust(); got != tt.want {
			t.Errorf("%s, %g, %d places: %s, want %s", tt.intent, tt.score, tt.n, got, tt.want)
		}
	}
	Rate("definition", nil)
}

// Every cell can be reached, has shares, and says nothing of places that its answers do not have.
func TestCells(t *testing.T) {
	for i, c := range cells {
		if got := cellOf(c.intent, c.alone, c.score); got != c {
			t.Errorf("row %d is hidden by %+v", i, got)
		}
		for _, share := range []float64{c.first, c.second, c.third, c.later} {
			if share < 0 || share >= 1 {
				t.Errorf("row %d: share %g", i, share)
			}
		}
		if c.first == 0 || c.alone != (c.second+c.third+c.later == 0) {
			t.Errorf("row %d: %+v", i, c)
		}
	}
}
