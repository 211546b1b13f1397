package answers

import (
	"compress/gzip"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/forayhq/foray/evals/internal/reliability"
	"github.com/forayhq/foray/tools/report"
)

// TestLikeTheScorer plays random answers, half right, to the questions in FORAY_DATA, and compares every figure with that
// of the scorer beside the data.
func TestLikeTheScorer(t *testing.T) {
	data := os.Getenv("FORAY_DATA")
	if data == "" {
		t.Skip("FORAY_DATA names no directory with answers.jsonl.gz and scorers/score.py")
	}
	questions, skipped, err := Load(t.Context(), filepath.Join(data, "answers.jsonl.gz"))
	if err != nil || len(skipped) > 0 {
		t.Fatal(err, skipped)
	}
	random := rand.New(rand.NewPCG(1, 2))
	results := filepath.Join(t.TempDir(), "results.gz")
	file, err := os.Create(results)
	if err != nil {
		t.Fatal(err)
	}
	zipped := gzip.NewWriter(file)
	r := &Report{}
	for _, q := range questions {
		answer := answerLike(q, random)
		r.scores = append(r.scores, scoreOf(q, answer))
		line := map[string]any{"id": q.ID, "found": answer.Found, "places": answer.Places, "summary": answer.Summary, "tests": answer.Tests}
		if err := json.NewEncoder(zipped).Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	r.finish()
	out := filepath.Join(t.TempDir(), "out.json")
	cmd := exec.Command("python3", filepath.Join(data, "scorers/score.py"), filepath.Join(data, "answers.jsonl.gz"), results, "--json", out)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	compare(t, r, out)
}

// names are the metrics as the scorer calls them.
var names = map[metric]string{
	hit1: "hit1", past1: "hit1x", hit3: "hit3", hit5: "hit5", hit10: "hit10", file5: "file5", mrr: "mrr", first: "first",
	sentence: "answer", deciding: "deciding", recall10: "recall10", precision: "prec10", section: "testsec", says: "says",
	testFirst: "top_test", saidAbsent: "ok",
}

func compare(t *testing.T, r *Report, file string) {
	t.Helper()
	var theirs struct {
		Family, Language, Style map[string]map[string]float64
		Calibration             map[string]reliability.Summary
	}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &theirs)
	}
	if err != nil {
		t.Fatal(err)
	}
	figures := 0
	for _, row := range r.Rows {
		want := theirs.Family[row.Family]
		switch {
		case row.Family == "all but absent":
			want = theirs.Family["ALL but absent"]
		case row.Language != "":
			want = theirs.Language[row.Language]
		case row.Style != "":
			want = theirs.Style[row.Style]
		}
		for _, m := range metrics {
			got, has := row.percent(m)
			if theirs, known := want[names[m]]; has != known || got != theirs {
				t.Errorf("%s%s%s: %s is %v, want %v", row.Family, row.Language, row.Style, m, got, theirs)
			}
			figures++
		}
		if row.silent() != want["none"] || float64(row.Questions) != want["n"] {
			t.Errorf("%s%s%s: %v of %d, want %v of %v", row.Family, row.Language, row.Style, row.silent(), row.Questions, want["none"], want["n"])
		}
	}
	if figures < 500 {
		t.Errorf("only %d figures were compared", figures)
	}
	for i, name := range []string{"rank1_place", "rank1_file", "all10_place", "all10_file"} {
		got, want := *r.Calibration[i], theirs.Calibration[name]
		want.Of, want.Places = got.Of, got.Places // which it calls n
		if a, b := asText(t, got), asText(t, want); a != b {
			t.Errorf("%s: %s, want %s", name, a, b)
		}
	}
}

func asText(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// answerLike makes an answer from the gold of a question and from lines near it.
func answerLike(q *Question, random *rand.Rand) *report.Report {
	a := &report.Report{Found: random.IntN(5) > 0, Summary: []report.Statement{}, Places: []report.Place{}, Tests: []report.Place{}}
	for range random.IntN(14) {
		p := report.Place{Path: "src/other.go", Start: random.IntN(40) + 1, Confidence: float64(random.IntN(5)) / 4}
		if len(q.Gold) > 0 && random.IntN(3) > 0 {
			g := q.Gold[random.IntN(len(q.Gold))]
			p.Path, p.Start = g.Path, max(g.Start+random.IntN(9)-4, 1)
		} else if n := len(q.Notes.Definitions); n > 0 && random.IntN(2) > 0 {
			d := cited(q.Notes.Definitions[random.IntN(n)])
			p.Path, p.Start = d.path, d.start
		} else if n := len(q.Notes.AnyUse); n > 0 {
			u := cited(q.Notes.AnyUse[random.IntN(n)])
			p.Path, p.Start = u.path, u.start
		}
		p.End = p.Start + random.IntN(120)
		a.Places = append(a.Places, p)
		if random.IntN(2) > 0 {
			text := []string{"It is here.", q.Notes.Value, q.Notes.Says}[random.IntN(3)]
			a.Summary = append(a.Summary, report.Statement{Text: text, Citations: []string{p.Citation().String()}})
		}
		if random.IntN(4) == 0 {
			a.Tests = append(a.Tests, p)
		}
	}
	return a
}
