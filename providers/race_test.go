//go:build race

package providers_test

// raceDetector says that the tests run with the race detector, which allocates.
const raceDetector = true
