package compaction

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/internal/ostest"
)

// ownRecordings are six sessions on foray's own code: an agent with tools to search, read and edit, one with a shell
// only, one whose user pastes logs, and two explorations with parallel calls. They are frozen, so that figures compare.
const ownRecordings = "testdata/own.jsonl.gz"

// gatesFile holds the least figures of profiles by budget. With -update, gates rise to what is reached; only a person
// lowers one.
const gatesFile = "testdata/gates.json"

// slack is how far a figure may fall below what was reached, since a gate guards against more than noise.
const slack = .01

// A gate holds the least values of first sight and near range for a profile at a budget, by the names of a [policyRow].
type gate struct {
	Policy string             `json:"policy"`
	Budget int                `json:"budget"`
	Least  map[string]float64 `json:"least"`
}

var gated = map[string]func(*policyRow) float64{
	"first_sight_300":    func(x *policyRow) float64 { return x.Sight300 },
	"first_sight_1k":     func(x *policyRow) float64 { return x.Sight1k },
	"first_sight_4k":     func(x *policyRow) float64 { return x.Sight4k },
	"first_sight_larger": func(x *policyRow) float64 { return x.SightLarger },
	"near_identifiers":   func(x *policyRow) float64 { return x.NearIdentifiers },
	"near_lines":         func(x *policyRow) float64 { return x.NearLines },
}

// TestGates fails if the default profile shows less than it did, or if that or the ladder breaks a promise.
func TestGates(t *testing.T) {
	if ostest.RaceDetector {
		t.Skip("long, and the other tests have its goroutines")
	}
	c, err := Load(t.Context(), ownRecordings)
	if err != nil || len(c.collection.Trajectories) != 6 || len(c.collection.Skipped) > 0 {
		t.Fatalf("%d recordings, skipped %q, %v", len(c.collection.Trajectories), c.collection.Skipped, err)
	}
	report, err := Run(t.Context(), c, Config{
		Budgets: []int{4_000, 8_000, 16_000, 24_000}, Policies: []string{"lean", "ladder"}, Split: all,
		Options: &evals.Options{Jobs: 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range report.Rows {
		if x.OverBudget > 0 || x.Invalid > 0 || x.GoesOn > 0 || x.Pins < 1 || x.Determinism < 1 {
			t.Errorf("%s at %d on %s: over budget %v, invalid %v, goes on %d, pins %v, determinism %v; want 0, 0, 0, 1, 1",
				x.Policy, x.Budget, x.Source, x.OverBudget, x.Invalid, x.GoesOn, x.Pins, x.Determinism)
		}
	}
	for _, gate := range readGates(t, report) {
		at := slices.IndexFunc(report.Rows, func(x policyRow) bool {
			return x.Policy == gate.Policy && x.Budget == gate.Budget && x.Source == allSources
		})
		if at < 0 || len(gate.Least) != len(gated) {
			t.Fatalf("the gate %+v fits no row", gate)
		}
		for _, name := range slices.Sorted(maps.Keys(gate.Least)) {
			value, least := gated[name](&report.Rows[at]), gate.Least[name]
			if value < least {
				t.Errorf("%s at %d: %s is %.3f, want at least %.3f", gate.Policy, gate.Budget, name, value, least)
			}
			t.Logf("%s at %5d: %-18s %.3f (gate %.3f)", gate.Policy, gate.Budget, name, value, least)
		}
	}
}

// readGates returns the gates, first raised to the figures of a report if -update is set.
func readGates(t *testing.T, report *Report) []gate {
	t.Helper()
	raw, err := os.ReadFile(gatesFile)
	if err != nil {
		t.Fatal(err)
	}
	var gates []gate
	if err := json.Unmarshal(raw, &gates); err != nil {
		t.Fatal(fmt.Errorf("%s: %w", gatesFile, err))
	}
	if !*update {
		return gates
	}
	for _, g := range gates {
		for i := range report.Rows {
			x := &report.Rows[i]
			if x.Policy != g.Policy || x.Budget != g.Budget || x.Source != allSources {
				continue
			}
			for name, value := range gated {
				g.Least[name] = max(g.Least[name], math.Floor((value(x)-slack)*1_000)/1_000)
			}
		}
	}
	raw, err = json.MarshalIndent(gates, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(gatesFile, append(raw, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
	return gates
}
