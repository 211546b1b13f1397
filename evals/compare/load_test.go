package compare

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Damaged, foreign and empty folders get an error that says what to do.
func TestLoadRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	good := run{set: "s", hash: "1", subjects: [][2]string{{"rules", "+ -"}}}
	for name, c := range map[string]struct {
		file, text string
		want       string
	}{
		"foreign": {"run.json", "", "reading foreign: no results there; foray eval run --out DIR makes some"},
		"damaged": {"run.json", "{", "reading damaged/run.json: unexpected end"},
		"older":   {"run.json", `{"version":0}`, "older has version 0 of the format; this foray reads 1: run the tasks again"},
		"empty":   {"results.jsonl", "", "empty has no results yet: run the tasks first"},
		"unbegun": {"results.jsonl", "", "unbegun has no results yet: run the tasks first"},
		"noise":   {"results.jsonl", "{}\n[1]\n\x00\n", "noise has no results yet"},
	} {
		good.write(t, name)
		at := filepath.Join(name, c.file)
		err := os.WriteFile(at, []byte(c.text), 0o666)
		if name == "foreign" || name == "unbegun" {
			err = os.Remove(at)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Load(t.Context(), name); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := Load(t.Context(), "missing"); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("missing: %v", err)
	}
}

// Of two results of one trial, the later one counts. The rows are in the order of the tasks, not in that of their ends.
func TestLoadKeepsTheLastResult(t *testing.T) {
	t.Chdir(t.TempDir())
	good := run{set: "s", hash: "1", subjects: [][2]string{{"rules", "- -"}}}
	good.broken = `{"task":"t01","subject":"rules","trial":1,"passed":true,"answer":"long"}` + "\n"
	r, err := Load(t.Context(), good.write(t, "a"))
	if err != nil || len(r.Rows) != 2 || !r.Rows[0].Passed || r.Rows[1].Passed || r.Rows[0].Answer != "" {
		t.Errorf("%v: %+v", err, r)
	}
}

// A log of Inspect is a run like any other.
func TestLoadInspect(t *testing.T) {
	r, err := Load(t.Context(), "../inspectlog/testdata/capitals.eval")
	if err != nil || len(r.Rows) != 4 || r.Info.Tasks != 2 {
		t.Fatalf("%v: %+v", err, r)
	}
	other := *r
	report, err := Of(t.Context(), []*Results{r, &other}, nil)
	if err != nil || len(report.Subjects) != 2 || report.Subjects[1].Passed != 3 || report.Differences[0].P != 1 {
		t.Errorf("%v: %+v", err, report)
	}
}
