//go:build race

package contextwindow

// raceDetector says that the tests run with the race detector, which allocates.
const raceDetector = true
