//go:build race

package ostest

// RaceDetector says that the tests run with the race detector, which takes memory of its own.
const RaceDetector = true
