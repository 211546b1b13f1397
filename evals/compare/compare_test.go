package compare

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/evals/internal/stats"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// load writes runs to folders of these names, in a folder that the reports do not name, and loads them.
func load(t *testing.T, runs map[string]run, names ...string) (all []*Results) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, name := range names {
		runs[name].write(t, name)
		r, err := Load(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// The reports that people read. Each case is one whose decision differs.
func TestMarkdown(t *testing.T) {
	golden, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		runs     map[string]run
		subjects []string
	}{
		"chance": {runs: map[string]run{
			"a": {set: "s", hash: "1", subjects: [][2]string{{"rules", words("+", 26, "-", 14)}}},
			"b": {set: "s", hash: "1", subjects: [][2]string{{"lean", words("+", 22, "-", 4, "+", 8, "-", 6)}}, spent: 600},
		}},
		"better": {runs: map[string]run{
			"a": {set: "s", hash: "1", subjects: [][2]string{{"rules", words("+", 10, "-", 30)}, {"lean", words("+", 9, "-", 1, "+", 15, "-", 15)}}},
		}},
		"trials": {runs: map[string]run{
			"a": {set: "s", hash: "1", subjects: [][2]string{{"rules", words("+-+", 3, "---", 2, "+++", 3)}}},
			"b": {set: "s", hash: "1", subjects: [][2]string{{"rules", words("+++", 3, "+--", 2, "++-", 3)}}},
		}},
		"same": {runs: map[string]run{
			"a": {set: "s", hash: "1", subjects: [][2]string{{"rules", words("+", 12)}, {"lean", words("+", 12)}}},
		}},
		"few": {runs: map[string]run{
			"a": {set: "s", hash: "1", subjects: [][2]string{{"rules", words("-", 5)}, {"lean", words("+", 5)}}},
		}},
		"partial": {runs: map[string]run{
			"a": {set: "s", hash: "1", subjects: [][2]string{{"rules", words("+", 6, "-", 6)}}},
			"b": {set: "s", hash: "2", subjects: [][2]string{{"rules", words("+", 4, "P", 2, ".", 2, "-", 2)}},
				prompts: map[string]string{"t01": " quickly"}, broken: "{\"task\":\"t1\n"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			folders := []string{"a", "b"}[:len(c.runs)]
			r, err := Of(t.Context(), load(t, c.runs, folders...), c.subjects)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			if err := r.WriteMarkdown(&b); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(golden, name+".md")
			if *update {
				if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), b.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The least number of tasks is the first at which the exact test can reach its level.
func TestLeastTasks(t *testing.T) {
	for _, alpha := range []float64{.05, .025, .05 / 3, .03125, .01} {
		n := leastTasks(alpha)
		if stats.McNemar(n, 0) >= alpha || stats.McNemar(n-1, 0) < alpha {
			t.Errorf("for %g: %d tasks, p = %g, with one less %g", alpha, n, stats.McNemar(n, 0), stats.McNemar(n-1, 0))
		}
	}
}

func TestOfRefuses(t *testing.T) {
	all := load(t, map[string]run{
		"a": {set: "s", hash: "1", subjects: [][2]string{{"rules", "+ . +"}}},
		"b": {set: "s", hash: "1", subjects: [][2]string{{"lean", ". + ."}}},
	}, "a", "b")
	if _, err := Of(t.Context(), all[:1], nil); !errors.Is(err, ErrOne) {
		t.Errorf("of one subject: %v", err)
	}
	if _, err := Of(t.Context(), all, []string{"rule"}); err == nil || !strings.Contains(err.Error(), "there are: lean, rules") {
		t.Errorf("of an unknown subject: %v", err)
	}
	all[1].Info.Set = "u"
	if _, err := Of(t.Context(), all, nil); err == nil || !strings.Contains(err.Error(), "of different sets: s and u") {
		t.Errorf("of different sets: %v", err)
	}
	all[1].Info.Set = "s"
	if _, err := Of(t.Context(), all, nil); err == nil || !strings.Contains(err.Error(), "no trial in common") {
		t.Errorf("of different tasks: %v", err)
	}
}
