package answers

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forayhq/foray/tools/gitrepo"
	"github.com/forayhq/foray/tools/report"
)

// TestHit has a case for each side of each rule.
func TestHit(t *testing.T) {
	for _, c := range []struct {
		family, sub string
		place       span
		want        bool
	}{
		{"definition", "", span{"a.go", 10, 12}, true},
		{"definition", "", span{"a.go", 11, 20}, true}, // without the line of the comment above
		{"definition", "", span{"a.go", 12, 20}, false},
		{"definition", "", span{"b.go", 10, 12}, false},
		{"definition", "", span{"a.go", 1, 82}, false}, // 61 lines longer
		{"callers", "", span{"a.go", 29, 88}, true},
		{"callers", "", span{"a.go", 30, 40}, true},
		{"callers", "", span{"a.go", 31, 40}, false},
		{"docs", "", span{"a.go", 1, 101}, true},
		{"docs", "", span{"a.go", 1, 102}, false},
		{"behaviour", "", span{"a.go", 15, 15}, true},
		{"behaviour", "", span{"a.go", 10, 14}, false},
		{"behaviour", "", span{"a.go", 1, 401}, false},
		{"open", "", span{"a.go", 30, 400}, true},
		{"open", "", span{"a.go", 30, 430}, false},
		{"overview", "", span{"a.go", 30, 9000}, true},
		{"overview", "packages", span{"a.go", 1, 1}, true},
		{"overview", "packages", span{"dir", 1, 1}, true},
		{"overview", "packages", span{"dir/x.go", 1, 1}, true},
		{"overview", "packages", span{"directory", 1, 1}, false},
	} {
		q := &Question{Family: c.family, Notes: notes{Sub: c.sub}}
		golds := []gold{{"a.go", 10, 30, 15}, {Path: "dir/"}}
		if got := q.hit(c.place, golds[0]) || q.hit(c.place, golds[1]) && c.sub != ""; got != c.want {
			t.Errorf("%s%s: %v hits: %v, want %v", c.family, c.sub, c.place, got, c.want)
		}
	}
}

// TestFailuresCount: an error is an answer that hits nothing, which the report names, and no answer to what is absent.
func TestFailuresCount(t *testing.T) {
	data := filepath.Join(t.TempDir(), "q.jsonl")
	lines := `{"id":"1","repo":"a/b","commit":"HEAD","family":"absent","question":"what is X?"}
{"id":"2","repo":"a/b","commit":"HEAD","family":"docs","question":"how do I X?","gold":[{"path":"a.md","start":1,"end":2}]}
{"id":"2","repo":"a/b","commit":"HEAD","family":"absent","question":"twice"}
{"id":"3","repo":"a/b","commit":"HEAD","family":"docs","question":"without gold"}
{"id":"4","repo":"a/b","commit":"HEAD","family":"poems","question":"which?"}
`
	if err := os.WriteFile(data, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	questions, skipped, err := Load(t.Context(), data)
	if err != nil || len(questions) != 2 || len(skipped) != 3 || !strings.Contains(skipped[2], "one of [definition") {
		t.Fatalf("%v, %d questions, skipped %q", err, len(questions), skipped)
	}
	dir := t.TempDir()
	repository(t, filepath.Join(dir, "a+b", "repo"))
	fail := errors.New("out of order")
	var answer *report.Report
	ask := func(context.Context, *Question, string, *gitrepo.Tree, *gitrepo.Repo) (*report.Report, string, error) {
		return answer, "", fail
	}
	r, err := Run(t.Context(), questions, Config{Dir: dir, Ask: ask})
	if err != nil || len(r.Failed) != 2 || !strings.Contains(r.Failed[0], "out of order") {
		t.Fatalf("%v: %+v", err, r)
	}
	for _, row := range r.Rows {
		if v, _ := row.percent(saidAbsent); v != 0 || row.silent() != 0 || row.failed != row.Questions {
			t.Errorf("failed: %+v", row)
		}
	}
	answer, fail = &report.Report{}, nil
	if r, err = Run(t.Context(), questions, Config{Dir: dir, Ask: ask, Families: []string{absent}}); err != nil || len(r.Rows) != 1 {
		t.Fatalf("%v: %+v", err, r)
	}
	if v, _ := r.Rows[0].percent(saidAbsent); v != 100 || r.Rows[0].silent() != 100 {
		t.Errorf("nothing was found: %+v", r.Rows[0])
	}
}

// repository makes a repository with one empty commit.
func repository(t *testing.T, dir string) {
	t.Helper()
	for _, args := range [][]string{
		{"init", "-q", dir}, {"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "a"},
	} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
}
