package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forayhq/foray/evals/peers/internal/scenario"
)

func TestTable(t *testing.T) {
	first := line{setup: setups[0], cpu: []float64{.010, .020, .030}, heap: []uint64{1e6, 2e6, 3e6}, row: scenario.Row{
		Calls: 200, Answered: true, Largest: 21_545, Sent: 1_000, Shared: 915, Fresh: 1_234_567,
	}}
	dead := line{setup: setup{name: "other"}, cpu: []float64{.005}, heap: []uint64{1}, row: scenario.Row{
		Calls: 24, Error: "a|b `c`", Refused: 2,
	}}
	var b strings.Builder
	lines := []line{first, dead, {setup: setup{name: "third"}, broken: "cannot use x"}}
	if err := writeTable(&b, variants[0], lines); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| foray | all calls | 21,545 | 91.5% | 0 | 1,234,567 | 0 | 0 | 0 | 0 | 10.0 | 20.0 | 1.00 | 0 | 0.0 | 2.0 |\n",
		"| other | **died after 24 calls** |", "| 5.0 | 5.0 | — |",
		"- other: `a\\|b 'c'`\n", "- other: requests refused for their size: 2\n",
		"| third | no figures: cannot use x |",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, b.String())
		}
	}
}

// TestFolders holds the rows and the folders with programs equal.
func TestFolders(t *testing.T) {
	found, err := filepath.Glob("*/main.go")
	if err != nil {
		t.Fatal(err)
	}
	dirs := make(map[string]bool)
	for _, s := range setups {
		dirs[s.dir] = true
		if _, err := os.Stat(filepath.Join(s.dir, "main.go")); err != nil {
			t.Errorf("the row %q has no program: %v", s.name, err)
		}
	}
	if len(found) != len(dirs) {
		t.Errorf("%d folders with a program, %d in the tables", len(found), len(dirs))
	}
}
