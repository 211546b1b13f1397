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
	{[GapBuckets]float64{.5, .51, .56, .86, .95}, [GapBuckets]float64{.48, .64, .82, .93, .97}},
	{[GapBuckets]float64{.27, .18, .15, .08, .02}, [GapBuckets]float64{.47, .47, .31, .31, .21}},
	{[GapBuckets]float64{.17, .17, .12, .04, .02}, [GapBuckets]float64{.17, .17, .16, .16, .16}},
	{[GapBuckets]float64{.1, .1, .1, .03, .02}, [GapBuckets]float64{.16, .16, .16, .16, .09}},
	{[GapBuckets]float64{.08, .08, .03, .02, .02}, [GapBuckets]float64{.1, .1, .1, .1, .09}},
	{[GapBuckets]float64{.03, .03, .03, .02, .01}, [GapBuckets]float64{.08, .08, .07, .03, .03}},
}

// CalibratedRanks is how many ranks the calibration tells apart.
const CalibratedRanks = len(calibration)
