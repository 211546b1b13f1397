package localize

import (
	"slices"

	"github.com/forayhq/foray/evals/internal/reliability"
	"github.com/forayhq/foray/tools/locate"
)

// leastBin is how many instances a bin of confidence has at least.
const leastBin = 15

// say adds what a method said of its first file.
func (r *Report) say(method string, in *Instance, a *Answer) {
	if a.Confidence > 0 && len(a.Files) > 0 {
		if r.said == nil {
			r.said = make(map[string][]reliability.Estimate)
		}
		r.said[method] = append(r.said[method],
			reliability.Estimate{Said: a.Confidence, Right: slices.Contains(in.Files, a.Files[0])})
	}
}

// maxCalibrated is how many files of a ranking are counted.
const maxCalibrated = 15

func (r *Report) calibrate(mode locate.Mode, in *Instance, a *Answer) {
	table := mode.Calibration()
	if r.Calibration == nil {
		for rank := range table {
			for gap := range table[rank] {
				r.Calibration = append(r.Calibration, bin{Rank: rank + 1, Gap: gap})
			}
		}
	}
	for i, f := range a.Ranking.Files[:min(maxCalibrated, len(a.Ranking.Files))] {
		rank, gap := a.Ranking.Cell(i)
		b := &r.Calibration[rank*len(table[0])+gap]
		b.Files++
		b.Right += one(slices.Contains(in.Files, f.Path))
	}
}
