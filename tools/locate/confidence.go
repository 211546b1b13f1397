package locate

// Confidence is the measured probability that the file at a rank, from 1, is one of those that a text is about. The gap is
// a difference of scores: for the first file to the second one, for the others to the first. The table is that of
// foray eval localize --split dev --calibrate.
func Confidence(mode Mode, rank int, gap float64) float64 {
	if rank < 1 {
		return 0
	}
	row := calibration[min(rank, len(calibration))-1]
	shares := row.question
	if mode == Issue {
		shares = row.issue
	}
	return shares[GapBucket(gap)]
}

// gaps are the upper ends of the buckets of a gap but the last.
var gaps = [...]float64{.02, .06, .12, .2}

// GapBucket is the bucket of a gap, from 0 for the smallest: the calibration has a share for each.
func GapBucket(gap float64) int {
	for i, end := range gaps {
		if gap < end {
			return i
		}
	}
	return len(gaps)
}

// GapBuckets is how many buckets there are.
const GapBuckets = len(gaps) + 1

// calibration is by rank; the last row is of all ranks from there on. README.md tells how it was made from what was
// counted.
var calibration = [...]struct{ issue, question [GapBuckets]float64 }{
	{[GapBuckets]float64{.47, .47, .63, .88, .95}, [GapBuckets]float64{.62, .65, .71, .97, .98}},
	{[GapBuckets]float64{.24, .24, .15, .06, .02}, [GapBuckets]float64{.5, .43, .43, .28, .26}},
	{[GapBuckets]float64{.17, .17, .15, .05, .02}, [GapBuckets]float64{.17, .17, .17, .16, .16}},
	{[GapBuckets]float64{.09, .09, .09, .02, .02}, [GapBuckets]float64{.17, .17, .17, .16, .1}},
	{[GapBuckets]float64{.02, .02, .02, .02, .02}, [GapBuckets]float64{.13, .13, .13, .1, .1}},
	{[GapBuckets]float64{.02, .02, .02, .02, .01}, [GapBuckets]float64{.07, .07, .07, .03, .03}},
}

// CalibratedRanks is how many ranks the calibration tells apart.
const CalibratedRanks = len(calibration)
