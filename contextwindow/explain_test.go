package contextwindow

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
)

// TestExplainAddsUp holds the sections of a report to the usage, at any state of a window.
func TestExplainAddsUp(t *testing.T) {
	ostest.SkipRaced(t)
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		c := newChecker(t, Budget{Limit: []int{2_000, 9_000}[seed%2], Profile: Profiles()[seed%5]})
		c.w.Open(Prefix{System: "You explore code.", Tools: []transcript.ToolSchema{{Name: "tool", Schema: json.RawMessage(`{}`)}}})
		c.open(r)
		for range 40 {
			c.operate(r)
			c.request()
			explained(t, c.w)
		}
	}
}

func explained(t *testing.T, w *Window) {
	t.Helper()
	r := w.Explain()
	total, calls := 0, 0
	for _, s := range r.Sections {
		if total += s.Tokens; s.Tokens < 0 || s.Parts <= 0 {
			t.Fatalf("section %+v", s)
		}
	}
	for _, u := range r.Tools {
		if calls += u.Calls; u.Shown > u.Received+u.Calls || u.Truncated+u.Evicted > u.Calls {
			t.Fatalf("tool %+v", u)
		}
	}
	want := 0
	for _, u := range w.units.list {
		want += len(u.Messages) - 1
	}
	if total != r.Tokens || r.Tokens != w.Usage().Tokens || calls != want {
		t.Fatalf("sections of %d tokens, request of %d, usage of %d; %d calls of %d", total, r.Tokens, w.Usage().Tokens, calls, want)
	}
}

func TestExplainReads(t *testing.T) {
	w := window(2_000, Lean)
	w.Open(Prefix{System: "You explore code."})
	mustAppend(t, w, transcript.Message{Role: transcript.User, Text: words(20), Origin: transcript.History})
	ask(t, w, "prompt")
	for range 14 {
		round(t, w, words(250), words(10))
		mustFit(t, w)
	}
	w.Note("status", "half way")
	golden(t, "testdata/explain.txt", w.Explain().String())
}

// golden compares a text with a file, which -update rewrites.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs; run with -update and read the difference:\n%s", file, diff)
	}
}

// TestFirstSight holds the report to what the first request after each result showed, also after the log was loaded.
func TestFirstSight(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 7))
		w := window([]int{2_000, 6_000}[seed%2], Lean)
		ask(t, w, "prompt")
		first, whole := 0, 0
		for range 30 {
			text := words(10 + r.IntN(700))
			round(t, w, text, words(5))
			mustFit(t, w)
			results := w.View()
			for _, m := range results[len(results)-2:] {
				if m.Role != transcript.Tool {
					t.Fatalf("the newest results left the request")
				}
				if first += m.Tokens(); m.Text == text || m.Text == words(5) {
					whole++
				}
			}
		}
		got := w.Explain()
		u := got.Tools[0]
		if u.First != first || u.Whole != whole || u.Whole+u.Repeats+u.Shortened+u.Unseen != u.Calls {
			t.Errorf("seed %d: %+v, want %d tokens and %d whole results at first sight", seed, u, first, whole)
		}
		loaded, err := Load(w.Entries(0), w.Budget(), &w.options)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, loaded.Explain()); diff != "" {
			t.Errorf("seed %d: the loaded window reports otherwise:\n%s", seed, diff)
		}
	}
}

// TestPreviewTellsTheCost holds a preview to the compaction that follows.
func TestPreviewTellsTheCost(t *testing.T) {
	w := window(4_000, Lean)
	ask(t, w, "prompt")
	for range 40 {
		round(t, w, words(400), words(10))
		planned, err := w.Preview()
		if err != nil {
			t.Fatal(err)
		}
		steps := len(w.evicted.steps)
		done := mustFit(t, w)
		if diff := cmp.Diff(planned, done); diff != "" {
			t.Fatal(diff)
		}
		if got := len(w.evicted.steps) - steps; got != done.Evicted || (got > 0) != (done.Removed > 0 && done.Reread > 0) {
			t.Fatalf("%d steps evicted, reported as %+v", got, done)
		}
	}
	if len(w.Compactions()) == 0 {
		t.Fatal("nothing was compacted")
	}
}
