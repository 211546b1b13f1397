// Package reliability compares confidence with what came true: over all estimates, and in bins.
//
// Start with [Of] and [Bins].
package reliability

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// An Estimate is a confidence from 0 to 1, and whether what it was about came true.
type Estimate struct {
	Said  float64
	Right bool
}

// A Summary compares estimates with what came true.
type Summary struct {
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

// tenths is how many bins the expected calibration error has.
const tenths = 10

// Of returns nil without estimates.
func Of(of string, estimates []Estimate) *Summary {
	if len(estimates) == 0 {
		return nil
	}
	n := float64(len(estimates))
	c := &Summary{Of: of, Places: len(estimates)}
	var said, came [tenths]float64
	values := make(map[float64]bool)
	var right, wrong []float64
	for _, e := range estimates {
		y := 0.0
		if e.Right {
			y = 1
			right = append(right, e.Said)
		} else {
			wrong = append(wrong, e.Said)
		}
		bin := min(int(e.Said*tenths), tenths-1)
		said[bin] += e.Said
		came[bin] += y
		c.Right += y / n
		c.Said += e.Said / n
		c.Brier += (e.Said - y) * (e.Said - y) / n
		values[e.Said] = true
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

// A Bin is the estimates of about the same confidence.
type Bin struct {
	Group string  `json:"group"`
	N     int     `json:"n"`
	Low   float64 `json:"low"`   // the least confidence
	High  float64 `json:"high"`  // the most
	Said  float64 `json:"said"`  // mean confidence
	Right float64 `json:"right"` // share that came true
}

// Bins sorts estimates into one bin per confidence. A bin of fewer estimates than least takes those of the next higher
// confidence too; the last bin joins the one before it.
func Bins(group string, estimates []Estimate, least int) []Bin {
	estimates = slices.Clone(estimates)
	slices.SortStableFunc(estimates, func(a, b Estimate) int { return cmp.Compare(a.Said, b.Said) })
	var ends []int // of the bins
	for i := range estimates {
		from := 0
		if len(ends) > 0 {
			from = ends[len(ends)-1]
		}
		if last := i == len(estimates)-1; last || estimates[i+1].Said != estimates[i].Said && i+1-from >= least {
			ends = append(ends, i+1)
			if n := len(ends); last && i+1-from < least && n > 1 {
				ends = append(ends[:n-2], i+1)
			}
		}
	}
	var bins []Bin
	from := 0
	for _, end := range ends {
		b := Bin{Group: group, N: end - from, Low: estimates[from].Said, High: estimates[end-1].Said}
		for _, e := range estimates[from:end] {
			b.Said += e.Said / float64(b.N)
			if e.Right {
				b.Right += 1 / float64(b.N)
			}
		}
		b.Said, b.Right = *thousandth(b.Said), *thousandth(b.Right)
		bins, from = append(bins, b), end
	}
	return bins
}

// Rows are the cells of a table of bins, under the columns [Columns].
func Rows(bins []Bin) (rows [][]string) {
	decimals := func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }
	for _, b := range bins {
		values := decimals(b.Low)
		if b.High > b.Low {
			values += "–" + decimals(b.High)
		}
		rows = append(rows, []string{b.Group, values, strconv.Itoa(b.N), decimals(b.Said), decimals(b.Right)})
	}
	return rows
}

// Columns are the titles of [Rows].
func Columns(group string) []string { return []string{group, "values", "n", "said", "right"} }

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
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'f', 3, 64), 64) // not by multiplying, which moves ties
	return &v
}
