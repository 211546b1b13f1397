package localize

import (
	"slices"

	"github.com/forayhq/foray/tools/locate"
)

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
