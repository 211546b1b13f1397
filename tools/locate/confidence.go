package locate

import "slices"

// confidence is the measured probability that the file at a rank, from 1, is one of those that a text is about. The
// gap is the difference of scores between the first file and the second, or between this file and the first. The
// table comes from foray eval localize --split dev --calibrate.
func confidence(mode Mode, rank int, gap float64) float64 {
	if rank < 1 {
		return 0
	}
	row := calibration[min(rank, len(calibration))-1]
	shares := row.question
	if mode == Issue {
		shares = row.issue
	}
	return shares[bucket(gap)]
}

// gaps are the upper ends of the buckets of a gap, except the last.
var gaps = [...]float64{.02, .06, .12, .2}

func bucket(gap float64) int {
	for i, end := range gaps {
		if gap < end {
			return i
		}
	}
	return len(gaps)
}

// calibration holds confidences by rank. Its last row is for all later ranks. README.md says how it was made.
var calibration = [...]struct{ issue, question [gapBuckets]float64 }{
	{[gapBuckets]float64{.47, .47, .63, .88, .95}, [gapBuckets]float64{.62, .65, .71, .97, .98}},
	{[gapBuckets]float64{.24, .24, .15, .06, .02}, [gapBuckets]float64{.5, .43, .43, .28, .26}},
	{[gapBuckets]float64{.17, .17, .15, .05, .02}, [gapBuckets]float64{.17, .17, .17, .16, .16}},
	{[gapBuckets]float64{.09, .09, .09, .02, .02}, [gapBuckets]float64{.17, .17, .17, .16, .1}},
	{[gapBuckets]float64{.02, .02, .02, .02, .02}, [gapBuckets]float64{.13, .13, .13, .1, .1}},
	{[gapBuckets]float64{.02, .02, .02, .02, .01}, [gapBuckets]float64{.07, .07, .07, .03, .03}},
}

const gapBuckets = len(gaps) + 1

// Calibration is the table of confidences by rank and by bucket of the gap. The last rank covers all later ones.
func (m Mode) Calibration() [][]float64 {
	var table [][]float64
	for _, row := range calibration {
		if m == Issue {
			table = append(table, slices.Clone(row.issue[:]))
		} else {
			table = append(table, slices.Clone(row.question[:]))
		}
	}
	return table
}

// Cell returns the row and the column of the i-th file, from 0, in the [Mode.Calibration].
func (r *Ranking) Cell(i int) (rank, gap int) {
	return min(i, len(calibration)-1), bucket(r.gap(i))
}
