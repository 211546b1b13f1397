package answers

import (
	"math"
	"slices"
)

// A calibration compares confidence with what came true.
type calibration struct {
	Of     string   `json:"of"`     // what the confidence is compared with
	Places int      `json:"places"` // with a confidence
	Right  float64  `json:"right"`  // share of them
	Said   float64  `json:"said"`   // mean confidence
	Brier  float64  `json:"brier"`  // mean of (confidence − truth)²
	Skill  *float64 `json:"skill"`  // 1 − Brier ÷ that of always saying Right; nil if all are right, or none
	ECE    float64  `json:"ece"`    // expected calibration error in ten bins
	AUC    *float64 `json:"auc"`    // how often a right place has more confidence than a wrong one; .5 is chance
	Values int      `json:"values"` // of confidence that differ
}

// bins is how many bins the expected calibration error has.
const bins = 10

// calibrationOf returns nil without estimates.
func calibrationOf(of string, estimates []estimate, truth func(estimate) bool) *calibration {
	if len(estimates) == 0 {
		return nil
	}
	n := float64(len(estimates))
	c := &calibration{Of: of, Places: len(estimates)}
	var said, came [bins]float64
	values := make(map[float64]bool)
	var right, wrong []float64
	for _, e := range estimates {
		y := 0.0
		if truth(e) {
			y = 1
			right = append(right, e.confidence)
		} else {
			wrong = append(wrong, e.confidence)
		}
		bin := min(int(e.confidence*bins), bins-1)
		said[bin] += e.confidence
		came[bin] += y
		c.Right += y / n
		c.Said += e.confidence / n
		c.Brier += (e.confidence - y) * (e.confidence - y) / n
		values[e.confidence] = true
	}
	for i := range said {
		c.ECE += math.Abs(said[i]-came[i]) / n
	}
	if base := c.Right * (1 - c.Right); len(right) > 0 && len(wrong) > 0 {
		c.Skill = thousandth(1 - c.Brier/base)
		c.AUC = thousandth(auc(right, wrong))
	}
	c.Values = len(values)
	for _, v := range []*float64{&c.Right, &c.Said, &c.Brier, &c.ECE} {
		*v = *thousandth(*v)
	}
	return c
}

// auc returns the share of pairs in which the right one has the higher value; equal ones count half.
func auc(right, wrong []float64) float64 {
	slices.Sort(wrong)
	sum := 0.0
	for _, v := range right {
		below, _ := slices.BinarySearch(wrong, v)
		notAbove, _ := slices.BinarySearch(wrong, math.Nextafter(v, 2))
		sum += float64(below) + float64(notAbove-below)/2
	}
	return sum / float64(len(right)*len(wrong))
}

func thousandth(v float64) *float64 {
	v = rounded(v, 3)
	return &v
}
