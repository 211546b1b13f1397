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
	"github.com/forayhq/foray/evals/internal/policy"
	"github.com/forayhq/foray/evals/internal/recording"
	"github.com/forayhq/foray/internal/line"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestGolden(t *testing.T) {
	c, err := recording.Load(t.Context(), "testdata/hand.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Budgets: []int{20, handBudget}, Policies: []string{"drop-oldest"}, Split: all}
	// The reference of the differences, with a view that no other package decides.
	ladder := policy.Named{Name: "ladder", New: func(policy.Setting) policy.Policy { return &fixed{shows: "src/lexer_state.go"} }}
	var first string
	for _, jobs := range []int{1, 4} {
		cfg.Options = &evals.Options{Jobs: jobs}
		p, err := cfg.plan()
		if err != nil {
			t.Fatal(err)
		}
		p.policies = append(p.policies, ladder)
		r, err := p.run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		var js, md strings.Builder
		if err := line.WriteJSON(&js, r, "  "); err != nil {
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
	tuned, tested := 0, 0
	for i := range 4_000 {
		tr := &recording.Trajectory{ID: fmt.Sprintf("run-%d", i)}
		if inSplit(dev, tr) == inSplit(test, tr) || !inSplit(all, tr) {
			t.Fatalf("%s is in both parts, or in none", tr.ID)
		}
		if inSplit(test, tr) {
			tested++
		} else {
			tuned++
		}
	}
	if tested < 900 || tested > 1_100 {
		t.Errorf("%d to tune on, %d untouched", tuned, tested)
	}
	if !inSplit(test, &recording.Trajectory{ID: "hand"}) || !inSplit(dev, &recording.Trajectory{ID: "run-1"}) {
		t.Error("the split moved: figures from before it can no longer be compared")
	}
}

func TestChoose(t *testing.T) {
	every := policy.Policies()
	some, err := policy.Choose(every, []string{"ladder", "trim", "ladder"})
	if err != nil || len(some) != 2 || some[0].Name != "ladder" || some[1].Name != "trim" {
		t.Errorf("%v, %v", some, err)
	}
	if all, err := policy.Choose(every, []string{"all"}); err != nil || len(all) != len(every) || len(all) != len(Policies()) {
		t.Errorf("%d policies, %v", len(all), err)
	}
	for _, names := range [][]string{{""}, {"sead"}, {"trim", "", "pi"}} {
		if _, err := policy.Choose(every, names); err == nil {
			t.Errorf("%q is taken", names)
		}
	}
	if _, err := (Config{Counter: "chars3"}).plan(); err == nil {
		t.Error("an unknown counter is taken")
	}
}

func TestRunEndsWithContext(t *testing.T) {
	r, err := Load(t.Context(), "testdata/hand.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, r, Config{Budgets: []int{handBudget}, Policies: Policies()}); err == nil {
		t.Error("no error")
	}
	if _, err := Run(t.Context(), r, Config{}); err == nil {
		t.Error("nothing to play is no error")
	}
}
