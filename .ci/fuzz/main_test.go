package main

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestTurns takes every turn: each target is fuzzed in exactly one of them, and all of them are found in the module.
func TestTurns(t *testing.T) {
	t.Chdir("../..")
	each := 2 * time.Second
	seen := map[string]int{}
	for turn := range rotation(each) {
		all, err := packages()
		if err != nil {
			t.Fatal(err)
		}
		chosen, said, err := choose(all, options{each: each, turn: turn, match: regexp.MustCompile("")})
		if err != nil || !strings.Contains(said, "a week") {
			t.Fatal(said, err)
		}
		for _, p := range chosen {
			for _, name := range p.targets {
				seen[p.name()+"."+name]++
			}
		}
	}
	for name, n := range seen {
		if n != 1 {
			t.Errorf("%s is fuzzed in %d turns", name, n)
		}
	}
	if len(seen) < 40 || seen["tools/report.FuzzParseCitation"] == 0 || seen["providers/openai.FuzzStream"] == 0 {
		t.Errorf("found %d targets: %v", len(seen), seen)
	}
	if a := time.Duration(runsAWeek/rotation(each)) * each; a < perWeek {
		t.Errorf("each target is fuzzed %v a week", a)
	}
}

// TestTurnsAreDrawn draws at the same commit on two days, and on the same day twice.
func TestTurnsAreDrawn(t *testing.T) {
	day := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	one, why, err := drawTurn(day)
	next, _, nextErr := drawTurn(day.AddDate(0, 0, 1))
	same, _, sameErr := drawTurn(day.Add(time.Hour))
	if err := errors.Join(err, nextErr, sameErr); err != nil {
		t.Skip(err) // no repository
	}
	if one < 0 || next != one+1 || same != one || !strings.Contains(why, "commit") {
		t.Errorf("turns %d, %d the next day, %d an hour later, %s", one, next, same, why)
	}
}

func TestCounts(t *testing.T) {
	const out = `fuzz: elapsed: 0s, gathering baseline coverage: 23/23 completed, now fuzzing with 2 workers
fuzz: elapsed: 3s, execs: 81034 (27007/sec), new interesting: 20 (total: 43)
fuzz: elapsed: 6s, execs: 231392 (50120/sec), new interesting: 25 (total: 48)
PASS
`
	if runs, inputs := counts(out); runs != 231392 || inputs != 25 {
		t.Errorf("%d runs, %d inputs", runs, inputs)
	}
	if runs, inputs := counts("PASS\n"); runs != 0 || inputs != 0 {
		t.Errorf("%d runs, %d inputs of nothing", runs, inputs)
	}
}

func TestTimeWasOver(t *testing.T) {
	for out, want := range map[string]bool{
		"--- FAIL: FuzzX (2.01s)\n    context deadline exceeded\nFAIL\n":                                        true,
		"--- FAIL: FuzzX (2.01s)\n    context deadline exceeded\n    Failing input written to testdata\nFAIL\n": false,
		"panic: x\n    context deadline exceeded\n":                                                             false,
		"--- FAIL: FuzzX\n    x_test.go:1: wrong\n":                                                             false,
	} {
		if got := timeWasOver(out); got != want {
			t.Errorf("%q: %v", out, got)
		}
	}
}

func TestTable(t *testing.T) {
	results := []result{
		{target: "a.FuzzA", seconds: 2, cpu: 4, runs: 4000, inputs: 3},
		{target: "b.FuzzB", seconds: 2, cpu: 1, runs: 40},
		{target: "c.FuzzC", seconds: 1, err: errors.New("x")},
	}
	got := table(results)
	for _, want := range []string{"2.0  4.0  4000          1000           3        ok  a.FuzzA\n", "ok, slow  b.FuzzB\n", "failed  c.FuzzC\n",
		"5.0  5.0  4040           808           3    failed  3 targets\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if failures(results) != 1 {
		t.Errorf("%d failures", failures(results))
	}
}
