package servertest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
)

// trialsEnv is how many trials TestTrials runs.
const trialsEnv = "FORAY_TEMPORAL_TRIALS"

// build builds a command and returns its path.
func build(t *testing.T, dir, name, from, pkg string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if out, err := exec.Command("go", "build", "-C", from, "-o", path, pkg).CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", name, err, out)
	}
	return path
}

// taskSet writes n tasks: of five, the explorer without a model passes four, and one fails.
func taskSet(t *testing.T, dir string, n int) string {
	t.Helper()
	var lines bytes.Buffer
	for i := range n {
		task := map[string]any{
			"id":     fmt.Sprint("task-", i),
			"prompt": fmt.Sprintf("Where is limit%d defined?", i),
			"files":  map[string]string{"a.go": fmt.Sprintf("package a\n\nconst limit%d = %d\n", i, i)},
			"checks": []map[string]string{{"kind": "contains", "all": fmt.Sprint("limit", i)}},
		}
		if i%5 == 0 {
			task["checks"] = []map[string]string{{"kind": "contains", "all": "nowhere to be found"}}
		}
		must(t, json.NewEncoder(&lines).Encode(task))
	}
	path := filepath.Join(dir, "tasks.jsonl")
	must(t, os.WriteFile(path, lines.Bytes(), 0o600))
	return path
}

// totals returns what does not depend on times of a run's totals.
func totals(t *testing.T, raw []byte) string {
	t.Helper()
	var s struct {
		Trials, Total int
		Subjects      []struct {
			Subject                      string
			Trials, Passed, Steps, Calls int
			Score                        float64
			Failures, Missed             map[string]int
		}
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return fmt.Sprintf("%+v", s)
}

// Rule: trials over four workers, one killed each second, have the totals of a run on one machine. foray is interrupted
// on the way, and resumes.
func TestTrials(t *testing.T) {
	n := 100
	if m, err := strconv.Atoi(os.Getenv(trialsEnv)); err == nil {
		n = m
	}
	dir := t.TempDir()
	foray := build(t, dir, "foray", "../../..", "./cmd/foray")
	program := build(t, dir, "foray-temporal", "..", "./cmd/foray-temporal")
	set := taskSet(t, dir, n/2)
	server := start(t)
	env := append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "TEMPORAL_ADDRESS="+server.GetFrontendHostPort(),
		"TEMPORAL_NAMESPACE="+server.GetDefaultNamespace(), "FORAY_CONFIG=off", "TMPDIR="+t.TempDir())
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		cmd.Env, cmd.Dir, cmd.Stderr = env, dir, &bytes.Buffer{}
		return cmd
	}
	run := func(out string, args ...string) *exec.Cmd {
		return command(foray, append([]string{"eval", "run", set, "--trials", "2", "--format", "json", "--out", out}, args...)...)
	}
	began := time.Now()
	local := run("here")
	here, err := local.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, local.Stderr)
	}
	alone := time.Since(began)

	work := func() *exec.Cmd {
		cmd := command(program, "work", "--foray", foray)
		must(t, cmd.Start())
		return cmd
	}
	kill := func(w *exec.Cmd) {
		_ = w.Process.Kill()
		_ = w.Wait()
	}
	began = time.Now()
	first := run("there", "--on", "temporal")
	said, err := os.Create(filepath.Join(dir, "said"))
	must(t, err)
	first.Stderr = said
	must(t, first.Start())
	for text := ""; !strings.Contains(text, "no worker listens on the queue foray-trials yet"); {
		time.Sleep(100 * time.Millisecond)
		raw, err := os.ReadFile(said.Name())
		must(t, err)
		text = string(raw)
	}
	workers := []*exec.Cmd{work(), work(), work(), work()}
	time.Sleep(5 * time.Second)
	must(t, first.Process.Signal(os.Interrupt))
	_ = first.Wait() // exits with 3
	must(t, said.Close())

	ended := make(chan error, 1)
	var there bytes.Buffer
	resumed := run("there", "--on", "temporal", "--resume")
	resumed.Stdout = &there
	must(t, resumed.Start())
	go func() { ended <- resumed.Wait() }()
	kills := 0
	for i, over := 0, false; !over; i = (i + 1) % len(workers) {
		select {
		case err := <-ended:
			if over = true; err != nil {
				t.Errorf("%v\n%s", err, resumed.Stderr)
			}
		case <-time.After(time.Second):
			kill(workers[i])
			workers[i] = work()
			kills++
		}
	}
	for _, w := range workers {
		kill(w)
	}
	t.Logf("%d trials: %v here; %v over 4 workers with %d kills", n, alone, time.Since(began), kills)
	if a, b := totals(t, here), totals(t, there.Bytes()); a != b {
		t.Errorf("here:  %s\nthere: %s\n%s", a, b, resumed.Stderr)
	}
	checkLeft(t, filepath.Join(dir, "there"), n)
	list, err := server.GetDefaultClient().ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{
		Query: "ExecutionStatus = 'Running'",
	})
	must(t, err)
	if left := len(list.GetExecutions()); left > 0 {
		t.Errorf("%d workflows still run", left)
	}
}

// checkLeft looks for a trace of each trial, and for anything else that a run leaves.
func checkLeft(t *testing.T, dir string, trials int) {
	t.Helper()
	traces, err := os.ReadDir(filepath.Join(dir, "traces"))
	must(t, err)
	if len(traces) != trials {
		t.Errorf("%d traces of %d trials", len(traces), trials)
	}
	if _, err := os.Stat(filepath.Join(dir, "parts")); !os.IsNotExist(err) {
		t.Errorf("parts stay: %v", err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "results.jsonl"))
	must(t, err)
	if failed := regexp.MustCompile(`"failure":\{[^}]*\}`).Find(raw); failed != nil {
		t.Errorf("one of the failures: %s", failed)
	}
	if n := strings.Count(string(raw), "\n"); n != trials {
		t.Errorf("%d results of %d trials", n, trials)
	}
}
