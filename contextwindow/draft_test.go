package contextwindow

import (
	"errors"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// drafted is a window that is full enough for a draft.
func drafted(t *testing.T) (*Window, Draft) {
	t.Helper()
	w := readings(t, Lean, 3)
	for n := 10; ; n++ {
		if d, ok := w.Draft(); ok {
			return w, d
		}
		if w.Usage().Share() > .85 {
			t.Fatal("there is no draft")
		}
		readFile(t, w, n)
	}
}

// TestDraftExtendsTheRequest asks with what the provider has seen already, so that its cache holds it.
func TestDraftExtendsTheRequest(t *testing.T) {
	w, d := drafted(t)
	view := w.View()
	if len(d.Messages) != len(view)+1 || d.Messages[len(view)].Role != transcript.User || &d.Messages[0] == &view[0] {
		t.Fatalf("%d messages behind %d", len(d.Messages)-len(view), len(view))
	}
	if share := w.Usage().Share(); share < draftMark {
		t.Errorf("drafted at %.2f", share)
	}
	if !strings.Contains(d.Messages[len(view)].Text, "## Next step") || !strings.Contains(d.Messages[len(view)].Text, "file2") || len(d.Names) == 0 {
		t.Errorf("the instruction:\n%s", d.Messages[len(view)].Text)
	}
	for _, p := range []Profile{Ladder, Off} {
		other := readings(t, p, 40)
		if _, ok := other.Draft(); ok {
			t.Errorf("%s drafts", p)
		}
	}
}

// TestAdoptedSummaryStands shows a summary in the record from the compaction on that folds its units, and not before.
func TestAdoptedSummaryStands(t *testing.T) {
	w, d := drafted(t)
	before := len(w.View())
	if err := w.Adopt(d, summaryOf(d)); err != nil {
		t.Fatal(err)
	}
	if len(w.View()) != before || strings.Contains(shown(w), "as was said") {
		t.Fatal("a summary changed the view before a compaction")
	}
	if _, again := w.Draft(); again {
		t.Error("the same units are drafted again")
	}
	n := 30
	for w.view.find(d.Steps[0]) >= 0 {
		readFile(t, w, n)
		n++
		mustFit(t, w)
	}
	if !strings.Contains(shown(w), "A model's summary, up to step") || !strings.Contains(shown(w), "as was said") {
		t.Errorf("no summary in\n%s", shown(w))
	}
	for range 30 {
		readFile(t, w, n)
		n++
		mustFit(t, w)
	}
	if !strings.Contains(shown(w), "as was said") {
		t.Errorf("the summary went with a later compaction:\n%s", shown(w))
	}
	reload(t, w)
	if c, ok := w.Undo(100); ok {
		t.Errorf("undo of more than there is: %v", c)
	}
}

// TestAdoptRefuses holds summaries to their rules; the window stays as it was.
func TestAdoptRefuses(t *testing.T) {
	w, d := drafted(t)
	good := summaryOf(d)
	entries := len(w.entries)
	for want, text := range map[string]string{
		`heading "Goal"`:            "",
		`heading "Done"`:            strings.Replace(good, "## Done", "## Dun", 1),
		`heading "Constraints"`:     strings.Replace(strings.Replace(good, "## Goal", "## X", 1), "## Constraints", "## Goal", 1),
		`nothing under "Next step"`: good[:strings.Index(good, "## Next step")+len("## Next step")] + "\n \n",
		"names are missing":         good[:strings.LastIndex(good, "said")+4],
		"tokens, at most":           good + strings.Repeat(" and so on", d.Tokens),
	} {
		if err := w.Adopt(d, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := w.Adopt(Draft{}, good); err == nil {
		t.Error("a summary of nothing was adopted")
	}
	if _, err := w.Compact(""); err != nil {
		t.Fatal(err)
	}
	if err := w.Adopt(d, good); !errors.Is(err, errStale) {
		t.Errorf("a summary of what has left: %v", err)
	}
	if len(w.entries) != entries+1 {
		t.Errorf("%d entries were written", len(w.entries)-entries)
	}
}

// TestStageEndsTheSummary shows no summary of a stage in the next.
func TestStageEndsTheSummary(t *testing.T) {
	w, d := drafted(t)
	if err := w.Adopt(d, summaryOf(d)); err != nil {
		t.Fatal(err)
	}
	if err := w.ResetStage(); err != nil {
		t.Fatal(err)
	}
	ask(t, w, "next")
	for n := range 40 {
		readFile(t, w, 100+n)
		mustFit(t, w)
	}
	if strings.Contains(shown(w), "A model's summary") {
		t.Error("the summary of a stage stands in the next")
	}
}

// TestAdoptHoldsTheDraft refuses steps that no draft could name, so that the log stays one that loads.
func TestAdoptHoldsTheDraft(t *testing.T) {
	w, d := drafted(t)
	for _, steps := range [][]int{append([]int{1}, d.Steps...), {d.Steps[1], d.Steps[0]}, {999}} {
		bad := d
		bad.Steps = steps
		if err := w.Adopt(bad, summaryOf(d)); !errors.Is(err, errStale) {
			t.Errorf("steps %v: %v", steps, err)
		}
	}
	reload(t, w)
}

// TestPinnedUnitEndsNoSummary shows a summary though one of its units stays, and drafts again.
func TestPinnedUnitEndsNoSummary(t *testing.T) {
	w, d := drafted(t)
	if err := w.Adopt(d, summaryOf(d)); err != nil {
		t.Fatal(err)
	}
	if err := w.Pin(d.Steps[0]); err != nil {
		t.Fatal(err)
	}
	seen, drafts := false, 0
	for n := range 60 {
		readFile(t, w, 100+n)
		mustFit(t, w)
		seen = seen || strings.Contains(shown(w), "A model's summary")
		if _, ok := w.Draft(); ok {
			drafts++
		}
	}
	if !seen || drafts == 0 {
		t.Errorf("the summary was seen %v, %d drafts", seen, drafts)
	}
}
