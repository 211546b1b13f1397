package trial_test

import (
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/trial"
)

const (
	killEnv  = "FORAY_KILL"      // how often TestKilled kills
	childEnv = "FORAY_TRIAL_DIR" // where a child of the test runs
)

// killedPlan is a run whose outcomes depend on the trial alone.
func killedPlan(dir string) trial.Plan {
	set := setOf(40)
	for i := range set.Tasks {
		set.Tasks[i].Files = map[string]string{"a.txt": "a", "b/c.txt": "c"}
	}
	steady := func(_ context.Context, in trial.Input) (*check.Outcome, error) {
		n := len(in.Task.ID) + in.Trial
		if _, err := io.WriteString(in.Trace, in.Task.Prompt); err != nil {
			return nil, err
		}
		o := &check.Outcome{Steps: n, Cost: float64(n) / 8, Calls: []check.Call{{Name: "read", Args: json.RawMessage(`{}`)}}}
		switch n % 4 {
		case 0:
			return o, &trial.Failure{Class: trial.Provider, Text: "down"}
		case 1:
			return o, nil
		}
		o.Answer = in.Task.Prompt
		return o, nil
	}
	return trial.Plan{Set: set, Subjects: []trial.Subject{subject("x", steady), subject("y", steady)}, Trials: 5, Jobs: 3,
		Dir: dir, Resume: true}
}

// A run may be killed at any moment: resumed until it ends, it has the totals of a run that nobody killed.
func TestKilled(t *testing.T) {
	if dir := os.Getenv(childEnv); dir != "" {
		if _, err := trial.Run(context.Background(), killedPlan(dir)); err != nil {
			t.Fatal(err)
		}
		return
	}
	kills := 5
	if n, err := strconv.Atoi(os.Getenv(killEnv)); err == nil {
		kills = n
	}
	want, err := trial.Run(t.Context(), killedPlan(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(5, 6))
	temporary := t.TempDir()
	killed, between := 0, 0
	for killed < kills {
		dir := filepath.Join(t.TempDir(), "run")
		for ended := false; !ended; {
			cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
			cmd.Env = append(os.Environ(), childEnv+"="+dir, "TMPDIR="+temporary)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			timer := time.AfterFunc(time.Duration(random.IntN(int(150*time.Millisecond))), func() { _ = cmd.Process.Kill() })
			ended = cmd.Wait() == nil
			if timer.Stop(); ended {
				break
			}
			killed++
			if s, err := trial.Summarize(dir); err == nil && s.Trials < want.Trials {
				between++
			}
			if killed >= kills {
				break
			}
		}
		got, err := trial.Run(t.Context(), killedPlan(dir))
		if err != nil || !same(got, want) {
			t.Fatalf("after %d kills: %v, %+v", killed, err, got)
		}
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 1 {
		t.Errorf("working copies are left behind: %v, %v", left, err)
	}
	t.Logf("%d kills, %d of them between the first and the last trial", killed, between)
}
