//go:build !race

package transcript

// raceDetector says that the tests run with the race detector, which allocates.
const raceDetector = false
