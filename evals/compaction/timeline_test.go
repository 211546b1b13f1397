package compaction

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forayhq/foray/evals/compaction/internal/policy"
	"github.com/forayhq/foray/evals/compaction/recording"
)

// TestFollow holds timelines against what the suite measures on the same trajectory.
func TestFollow(t *testing.T) {
	c, err := recording.Load(t.Context(), "testdata/hand.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	c.Trajectories = append(c.Trajectories, lengthy(t))
	for _, id := range []string{"", "own/lengthy"} {
		cfg := Config{Budgets: []int{100_000, 1_000, 500, 50_000}, Counter: &recording.Counters()[0], Split: All}
		line, err := Follow(t.Context(), c, cfg, id)
		if err != nil {
			t.Fatal(err)
		}
		if line.Trajectory != "own/lengthy" || line.Budget != 1_000 || len(line.Tracks) != 2 {
			t.Fatalf("%q: %s at %d, %d tracks", id, line.Trajectory, line.Budget, len(line.Tracks))
		}
		for _, track := range line.Tracks {
			policies, err := policy.Choose(track.Policy)
			if err != nil {
				t.Fatal(err)
			}
			y, err := play(t.Context(), prepare(c.Find(line.Trajectory), cfg.Counter), policies[0], line.Budget, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(track.Requests) != y.Requests || track.Compactions() != y.Compactions {
				t.Errorf("%s, %s: %d requests, %d compactions; the suite has %d and %d", line.Trajectory, track.Policy,
					len(track.Requests), track.Compactions(), y.Requests, y.Compactions)
			}
			sent, recorded := 0, false
			for _, r := range track.Requests {
				sent += r.Fixed + r.Digest + r.Turns
				recorded = recorded || r.Digest > 0
			}
			if off := sent - recording.Tokens(y.Quarters); off < 0 || off > 3*y.Requests {
				t.Errorf("%s, %s: %d tokens sent, the suite has %d", line.Trajectory, track.Policy, sent, recording.Tokens(y.Quarters))
			}
			if !recorded || y.Compactions == 0 {
				t.Errorf("%s never summarises %s", track.Policy, line.Trajectory)
			}
		}
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
	cfg := Config{Budgets: []int{50_000}, Counter: &recording.Counters()[0], Split: All}
	for _, id := range []string{"", "hand"} {
		if line, err := Follow(t.Context(), c, cfg, id); line != nil || err != nil {
			t.Errorf("%q: %v, %v where nothing counts", id, line, err)
		}
	}
	if _, err := Follow(t.Context(), c, cfg, "missing"); err == nil || c.Find("missing") != nil {
		t.Error("a run that is not there is drawn")
	}
	if c.Find("hand") == nil {
		t.Error("a run that is there cannot be named")
	}
}
