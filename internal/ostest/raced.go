package ostest

import "testing"

// SkipRaced skips a long test if the race detector runs, which finds nothing in it: shorter tests have its goroutines.
func SkipRaced(t testing.TB) {
	t.Helper()
	if RaceDetector {
		t.Skip("long, and shorter tests have its goroutines")
	}
}
