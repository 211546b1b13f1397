package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
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

// TestWeek fuzzes for a thousand weeks of 60 runs, some of new commits and some, at night, of the last one: each target
// gets about a minute a week, and seldom less than two thirds of it.
func TestWeek(t *testing.T) {
	const weeks, each = 1000, 2 * time.Second
	r, parts := rand.New(rand.NewPCG(1, 2)), rotation(2*time.Second)
	total, few := make([]time.Duration, parts), make([]int, parts)
	head := ""
	for week := range weeks {
		got := make([]time.Duration, parts)
		for run := range runsAWeek {
			if head == "" || run%9 > 0 { // every ninth is a nightly run of the same commit, on the next day
				head = fmt.Sprintf("%08x%032x", r.Uint32(), run)
			}
			turn, err := turnOf(head, 20_000+7*week+(run+8)/9)
			if err != nil {
				t.Fatal(err)
			}
			got[turn%parts] += each
		}
		for part, d := range got {
			if total[part] += d; d < perWeek*2/3 {
				few[part]++
			}
		}
	}
	for part := range parts {
		if mean := total[part] / weeks; mean < perWeek-3*time.Second || mean > perWeek+3*time.Second || few[part] > weeks/100 {
			t.Errorf("turn %d: %v a week, %d of %d weeks with less than %v", part+1, mean, few[part], weeks, perWeek*2/3)
		}
		t.Logf("turn %d: %v a week, %d of %d weeks with less than %v", part+1, total[part]/weeks, few[part], weeks, perWeek*2/3)
	}
}

// TestSameCommit runs nothing but nightly builds of one commit: the turns take turns.
func TestSameCommit(t *testing.T) {
	seen := map[int]int{}
	for day := range 60 {
		turn, err := turnOf("fbc499ee0123", 20_000+day)
		if err != nil {
			t.Fatal(err)
		}
		seen[turn%rotation(2*time.Second)]++
	}
	if parts := rotation(2 * time.Second); len(seen) != parts || seen[0] != 60/parts {
		t.Errorf("%v", seen)
	}
	if turn, err := turnOf("not a hash", 1); err == nil {
		t.Errorf("turn %d of no commit", turn)
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
