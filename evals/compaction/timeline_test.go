package compaction

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/evals/compaction/internal/plot"
	"github.com/forayhq/foray/evals/internal/policy"
	"github.com/forayhq/foray/evals/internal/recording"
)

// TestFollow holds timelines against what the suite measures on the same trajectory.
func TestFollow(t *testing.T) {
	c, err := recording.Load(t.Context(), "testdata/hand.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	c.Trajectories = append(c.Trajectories, lengthy(t))
	for _, id := range []string{"", "own/lengthy"} {
		cfg := planned(t, Config{Budgets: []int{100_000, 1_000, 500, 50_000}})
		line, err := cfg.follow(t.Context(), c, id)
		if err != nil {
			t.Fatal(err)
		}
		if line.Run != "own/lengthy" || line.Budget != 1_000 || len(line.Tracks) != 2 {
			t.Fatalf("%q: %s at %d, %d tracks", id, line.Run, line.Budget, len(line.Tracks))
		}
		for _, track := range line.Tracks {
			policies, err := policy.Choose(policy.Policies(), []string{track.Policy})
			if err != nil {
				t.Fatal(err)
			}
			y, err := play(t.Context(), prepare(c.Find(line.Run), cfg.counter), policies[0], line.Budget, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(track.Requests) != y.Requests || track.Compactions() != y.Compactions {
				t.Errorf("%s, %s: %d requests, %d compactions; the suite has %d and %d", line.Run, track.Policy,
					len(track.Requests), track.Compactions(), y.Requests, y.Compactions)
			}
			sent, recorded := 0, false
			for _, r := range track.Requests {
				sent += r.Fixed + r.Digest + r.Turns
				recorded = recorded || r.Digest > 0
			}
			if off := sent - recording.Tokens(y.Quarters); off < 0 || off > 3*y.Requests {
				t.Errorf("%s, %s: %d tokens sent, the suite has %d", line.Run, track.Policy, sent, recording.Tokens(y.Quarters))
			}
			if !recorded || y.Compactions == 0 {
				t.Errorf("%s never summarises %s", track.Policy, line.Run)
			}
		}
	}
}

func planned(t *testing.T, cfg Config) *plan {
	t.Helper()
	p, err := cfg.plan()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestChart holds which rows of a report are drawn: those of the totals at one budget, relative to the ladder.
func TestChart(t *testing.T) {
	r := &Report{}
	for _, x := range []policyRow{
		{Policy: "ladder", Budget: 8_000, Source: "all", Cost: 1_000, LongRangeBare: .5, LongRangeLines: .4, Requests: 1_200, Trajectories: 7},
		{Policy: "codex", Budget: 8_000, Source: "all", Cost: 2_500, LongRangeBare: .5, Invalid: .01},
		{Policy: "none", Budget: 8_000, Source: "all", Cost: 500, LongRangeBare: 1, LongRangeLines: 1, OverBudget: .5},
		{Policy: "elsewhere", Budget: 8_000, Source: "one", Cost: 6_000},
		{Policy: "irreducible", Budget: 8_000, Source: "all"},
		{Policy: "lean", Budget: 24_000, Source: "all", Cost: 10},
	} {
		r.Rows = append(r.Rows, x)
		r.Details = append(r.Details, rowDetail{LongRange: 80, LongLines: 2_000})
	}
	want := &plot.Chart{Budget: 8_000, Requests: 1_200, Runs: 7, Identifiers: 80, Lines: 2_000, Points: []plot.Point{
		{Policy: "ladder", Cost: 1, Identifiers: .5, Lines: .4, Ours: true},
		{Policy: "codex", Cost: 2.5, Identifiers: .5, Flawed: true},
		{Policy: "none", Cost: .5, Identifiers: 1, Lines: 1, Flawed: true},
	}}
	if diff := cmp.Diff(want, r.chart(8_000)); diff != "" {
		t.Error(diff)
	}
	if c := r.chart(24_000); c != nil {
		t.Errorf("drawn without the ladder: %v", c)
	}
	if pictures := r.Plot(); len(pictures) != 1 || pictures["recall-8000.svg"] == nil {
		t.Errorf("%d pictures", len(pictures))
	}
}

// lengthy is a run of turns that do not fit a window of 1,000 tokens.
func lengthy(t *testing.T) *recording.Trajectory {
	messages := []map[string]any{{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Find the reader."}}
	for i := range 30 {
		id := fmt.Sprint("c", i)
		args := map[string]any{"pattern": fmt.Sprintf("read_part_%d", i)}
		text := strings.Repeat(fmt.Sprintf("src/part_%d.go: func read_part_%d()\n", i, i), 12)
		messages = append(messages,
			map[string]any{"role": "assistant", "tool_calls": []map[string]any{{"id": id, "name": "grep", "args": args}}},
			map[string]any{"role": "tool", "tool_call_id": id, "content": text})
	}
	run, err := json.Marshal(map[string]any{"id": "lengthy", "source": "own", "messages": messages})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "lengthy.jsonl")
	if err := os.WriteFile(path, run, 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := recording.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return c.Trajectories[0]
}

func TestFollowNothing(t *testing.T) {
	c, err := recording.Load(t.Context(), "testdata/hand.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	cfg := planned(t, Config{Budgets: []int{50_000}})
	r := &Recordings{c}
	for _, id := range []string{"", "hand"} {
		if name, svg, err := r.Plot(t.Context(), cfg.Config, id); name != "" || svg != nil || err != nil {
			t.Errorf("%q: %s, %s, %v where nothing counts", id, name, svg, err)
		}
	}
	if _, _, err := r.Plot(t.Context(), cfg.Config, "missing"); err == nil || r.Has("missing") {
		t.Error("a run that is not there is drawn")
	}
	if !r.Has("hand") {
		t.Error("a run that is there cannot be named")
	}
}
