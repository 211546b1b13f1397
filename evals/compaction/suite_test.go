package compaction

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/evals/compaction/internal/policy"
	"github.com/forayhq/foray/evals/compaction/recording"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestGolden(t *testing.T) {
	c, err := recording.Load(t.Context(), "testdata/hand.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	policies, err := policy.Choose("drop-oldest")
	if err != nil {
		t.Fatal(err)
	}
	// The reference of the differences, with a view that no other package decides.
	policies = append(policies, policy.Named{Name: "ladder", New: func(policy.Setting) policy.Policy { return &fixed{shows: "src/lexer_state.go"} }})
	var first string
	for _, jobs := range []int{1, 4} {
		r, err := Run(t.Context(), c, Config{
			Budgets: []int{20, handBudget}, Policies: policies, Counter: &recording.Counters()[0], Split: All, Options: &evals.Options{Jobs: jobs},
		})
		if err != nil {
			t.Fatal(err)
		}
		var js, md strings.Builder
		if err := evals.WriteJSON(&js, r); err != nil {
			t.Fatal(err)
		}
		if err := r.WriteMarkdown(&md); err != nil {
			t.Fatal(err)
		}
		golden(t, "testdata/report.json", js.String())
		golden(t, "testdata/report.md", md.String())
		if first == "" {
			first = js.String()
		} else if first != js.String() {
			t.Error("the report depends on the number of workers")
		}
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-update rewrites it):\n%s", file, diff)
	}
}

func TestSplit(t *testing.T) {
	var dev, test int
	for i := range 4_000 {
		tr := &recording.Trajectory{ID: fmt.Sprintf("run-%d", i)}
		if Dev.has(tr) == Test.has(tr) || !All.has(tr) {
			t.Fatalf("%s is in both parts, or in none", tr.ID)
		}
		if Test.has(tr) {
			test++
		} else {
			dev++
		}
	}
	if test < 900 || test > 1_100 {
		t.Errorf("%d to tune on, %d untouched", dev, test)
	}
	if !Test.has(&recording.Trajectory{ID: "hand"}) || !Dev.has(&recording.Trajectory{ID: "run-1"}) {
		t.Error("the split moved: figures from before it can no longer be compared")
	}
}

func TestChoose(t *testing.T) {
	some, err := policy.Choose("ladder, trim ,ladder")
	if err != nil || len(some) != 2 || some[0].Name != "ladder" || some[1].Name != "trim" {
		t.Errorf("%v, %v", some, err)
	}
	if all, err := policy.Choose("all"); err != nil || len(all) != len(policy.Policies()) {
		t.Errorf("%d policies, %v", len(all), err)
	}
	for _, list := range []string{"", "sead", "trim,,pi"} {
		if _, err := policy.Choose(list); err == nil {
			t.Errorf("%q is taken", list)
		}
	}
}

func TestRunEndsWithContext(t *testing.T) {
	c, err := recording.Load(t.Context(), "testdata/hand.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, c, Config{Budgets: []int{handBudget}, Policies: policy.Policies(), Counter: &recording.Counters()[0]}); err == nil {
		t.Error("no error")
	}
	if _, err := Run(t.Context(), c, Config{Counter: &recording.Counters()[0]}); err == nil {
		t.Error("nothing to play is no error")
	}
}
