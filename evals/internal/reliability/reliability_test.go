package reliability

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// estimates makes n of a confidence, the first of them right.
func estimates(said float64, n, right int) []Estimate {
	all := make([]Estimate, n)
	for i := range all {
		all[i] = Estimate{said, i < right}
	}
	return all
}

func join(lists ...[]Estimate) (all []Estimate) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// A bin of few estimates takes those of the next higher confidence; the last one joins the bin before it.
func TestBins(t *testing.T) {
	bins := Bins("docs", join(estimates(.9, 20, 18), estimates(.5, 4, 1), estimates(.6, 12, 7), estimates(.95, 3, 3)), 15)
	want := []Bin{{"docs", 16, .5, .6, .575, .5}, {"docs", 23, .9, .95, .907, .913}}
	if diff := cmp.Diff(want, bins); diff != "" {
		t.Error(diff)
	}
	if got := fmt.Sprint(Rows(bins)[0]); got != "[docs 0.500–0.600 16 0.575 0.500]" {
		t.Error(got)
	}
	if few := Bins("docs", estimates(.5, 4, 1), 15); len(few) != 1 || few[0].N != 4 {
		t.Errorf("few estimates: %+v", few)
	}
	if Bins("docs", nil, 15) != nil {
		t.Error("bins of nothing")
	}
}

// The error is 0 if each confidence is the share that came true; always saying the same tells nothing.
func TestOf(t *testing.T) {
	s := Of("x", join(estimates(.9, 10, 9), estimates(.2, 10, 2)))
	if s.ECE != 0 || *s.AUC != .854 || s.Values != 2 || s.Right != .55 {
		t.Errorf("%+v, auc %g", s, *s.AUC)
	}
	if s = Of("x", estimates(.8, 10, 5)); s.ECE != .3 || *s.AUC != .5 {
		t.Errorf("%+v, auc %g", s, *s.AUC)
	}
	if Of("x", nil) != nil {
		t.Error("a summary of nothing")
	}
}
