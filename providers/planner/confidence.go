package planner

// calibration is how often the file at a place, from the first, was right: the share of the recorded issues, or questions,
// where it was one of the files that were to be found. Places beyond the last count as it.
var calibration = map[bool][]float64{ // by whether it is an issue
	true:  {.62, .18, .09, .05, .04, .03, .02, .02, .02, .01},
	false: {.55, .30, .20, .15, .12, .10, .08, .07, .06, .05},
}

// calibrated gives each place the confidence of its file, where the tree was ranked as it was measured: by locate.
func (r *run) calibrated(places []place) {
	if len(r.e.located) == 0 {
		return
	}
	table := calibration[r.q.issue]
	rank := make(map[string]int)
	for i, p := range places {
		at, told := rank[p.Path]
		if !told {
			at = len(rank)
			rank[p.Path] = at
		}
		places[i].Confidence = table[min(at, len(table)-1)]
	}
}
