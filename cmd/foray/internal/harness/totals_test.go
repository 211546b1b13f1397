package harness

import (
	"testing"
	"time"

	"github.com/forayhq/foray/evals/trial"
)

// Every trial that ended is in one of the figures, and a run that is done has no time left.
func TestProgressLine(t *testing.T) {
	for want, p := range map[string]trial.Progress{
		"30 of 30 trials, 11 passed, 7 wrong, 12 failed, 15 a second": {
			Done: 30, Total: 30, Passed: 11, Failed: 12, Elapsed: 2 * time.Second},
		"10 of 30 trials, 10 passed, 5 a second, 4.0s left": {Done: 10, Total: 30, Passed: 10, Elapsed: 2 * time.Second},
		"10 of 30 trials, 10 passed":                        {Done: 10, Kept: 10, Total: 30, Passed: 10, Elapsed: time.Second},
	} {
		if got := progressLine(p); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
