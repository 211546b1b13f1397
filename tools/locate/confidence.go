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

// calibration is by rank; the last row is of all ranks from there on.
var calibration = [...]struct{ issue, question [GapBuckets]float64 }{
	{[GapBuckets]float64{.45, .55, .7, .85, .95}, [GapBuckets]float64{.6, .65, .8, .9, .9}},
	{[GapBuckets]float64{.4, .25, .15, .1, .05}, [GapBuckets]float64{.6, .5, .35, .25, .2}},
	{[GapBuckets]float64{.25, .2, .1, .05, .03}, [GapBuckets]float64{.4, .35, .25, .2, .1}},
	{[GapBuckets]float64{.15, .1, .08, .04, .02}, [GapBuckets]float64{.3, .25, .2, .15, .1}},
	{[GapBuckets]float64{.1, .08, .05, .03, .02}, [GapBuckets]float64{.2, .2, .15, .1, .08}},
	{[GapBuckets]float64{.05, .05, .04, .02, .01}, [GapBuckets]float64{.15, .12, .1, .08, .05}},
}

// CalibratedRanks is how many ranks the calibration tells apart.
const CalibratedRanks = len(calibration)
