//go:build !race

package providers_test

const raceDetector = false
