// Package scenariotest checks the program of a library.
//
// Start with [Short].
package scenariotest

import (
	"testing"

	"github.com/forayhq/foray/evals/peers/internal/scenario"
)

const calls = 20 // few enough for the budget, so that also a library without compaction ends

// Short has a library play 20 calls in each mode, twice. Each play must make all calls with one request for each and
// one for the answer, every request valid and with the prompt, and the second must equal the first.
func Short(t *testing.T, play scenario.Play, modes ...string) {
	for _, mode := range append(modes, "") {
		t.Run("mode="+mode, func(t *testing.T) {
			o := scenario.Options{Calls: calls, Audit: true, Mode: mode}
			first := measure(o, play)
			if !first.Survived(calls) || first.Requests != calls+1 || first.Invalid > 0 || first.NoGoal+first.NoRule > 0 {
				t.Errorf("first play: %+v", first)
			}
			if second := measure(o, play); second != first {
				t.Errorf("second play differs:\n%+v\n%+v", second, first)
			}
		})
	}
}

// measure returns what is the same in every play. Requests for a summary are left out: a library that summarises in the
// background may end before the last.
func measure(o scenario.Options, play scenario.Play) scenario.Row {
	row := scenario.Measure(scenario.NewRun(o), play)
	row.CPU, row.Allocs, row.Bytes, row.PeakHeap = 0, 0, 0, 0
	row.Summaries, row.LargestSummary, row.Fresh = 0, 0, 0
	return row
}
