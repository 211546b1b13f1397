package localize

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/tools/locate"
)

// A Bin counts the files of one rank and one gap, and how many of them are right. The last rank stands for all from there
// on, up to calibrated.
type Bin struct {
	Rank  int `json:"rank"`
	Gap   int `json:"gap"` // bucket: see locate.GapBucket
	Files int `json:"files"`
	Right int `json:"right"`
}

// calibrated is how many files of a ranking are counted.
const calibrated = 15

// calibrate counts the files of a ranking.
func (r *Report) calibrate(in *Instance, a *Answer) {
	if r.Calibration == nil {
		for rank := range locate.CalibratedRanks {
			for gap := range locate.GapBuckets {
				r.Calibration = append(r.Calibration, Bin{Rank: rank + 1, Gap: gap})
			}
		}
	}
	for i := range a.Ranking.Files[:min(calibrated, len(a.Ranking.Files))] {
		rank := min(i, locate.CalibratedRanks-1)
		bin := &r.Calibration[rank*locate.GapBuckets+locate.GapBucket(a.Ranking.Gap(i))]
		bin.Files++
		bin.Right += count(slices.Contains(in.Files, a.Ranking.Files[i].Path))
	}
}

// calibration is the table of what was counted.
func (r *Report) calibration() evals.Table {
	t := evals.Table{
		Title:   "Calibration of locate",
		Note:    "Share of files that are right, by rank and by gap of the score: of the first to the second, of the others to the first. The last rank stands for all up to " + strconv.Itoa(calibrated) + ".",
		Columns: []string{"rank"},
	}
	for gap := range locate.GapBuckets {
		t.Columns = append(t.Columns, "gap "+strconv.Itoa(gap))
	}
	for i, bin := range r.Calibration {
		if i%locate.GapBuckets == 0 {
			t.Rows = append(t.Rows, []string{strconv.Itoa(bin.Rank)})
		}
		row := &t.Rows[len(t.Rows)-1]
		*row = append(*row, fmt.Sprintf("%.2f (%d of %d)", float64(bin.Right)/float64(max(bin.Files, 1)), bin.Right, bin.Files))
	}
	return t
}
