package contextwindow

import (
	"reflect"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// countNotes counts the notes of a log.
func countNotes(w *Window) int {
	n := 0
	for _, e := range w.Entries(0) {
		if e.Note != nil {
			n++
		}
	}
	return n
}

func TestNoteIsWrittenAgain(t *testing.T) {
	for name, c := range map[string]struct {
		between func(w *Window)
		want    int
	}{
		"at once":                   {func(*Window) {}, 1},
		"before 4,000 tokens":       {func(w *Window) { mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(3_900)}) }, 1},
		"after 4,000 tokens":        {func(w *Window) { mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(4_100)}) }, 2},
		"after a result was cut":    {func(w *Window) { round(t, w, words(3_000)) }, 1},
		"after a compaction":        {func(w *Window) { round(t, w, words(400)); round(t, w, "x"); compactOnce(t, w) }, 2},
		"after another of the kind": {func(w *Window) { w.Note("status", "other") }, 3},
		"after another kind":        {func(w *Window) { w.Note("nudge", "other") }, 2},
		"after a stage":             {func(w *Window) { _ = w.ResetStage(); ask(t, w, "next") }, 2},
	} {
		w := window(24_000, Ladder)
		ask(t, w, "prompt")
		w.Note("status", "same")
		c.between(w)
		w.Note("status", "same")
		if got := countNotes(w); got != c.want {
			t.Errorf("%s: %d notes, want %d", name, got, c.want)
		}
		if view := w.View(); c.want > 1 && name != "after another kind" && !strings.HasSuffix(view[len(view)-1].Text, strings.TrimSpace(fence(Note{"status", "same"}))) {
			t.Errorf("%s: the note is not behind the newest message: %q", name, view[len(view)-1].Text)
		}
		reload(t, w)
	}
}

// compactOnce shortens a result, whatever the usage.
func compactOnce(t *testing.T, w *Window) {
	t.Helper()
	f := begin(w)
	if err := f.take("L1", truncateLong(500, 300)(w.state, 0)); err != nil || f.c.Level != 1 {
		t.Fatalf("the test wants a compaction: %v %v", f.c, err)
	}
}

// TestSupersededNotesGo leaves them alone until a compaction reaches them, and then drops them, from the first message
// on that it changes.
func TestSupersededNotesGo(t *testing.T) {
	w := window(24_000, Ladder)
	ask(t, w, "prompt")
	w.Note("status", "one")
	round(t, w, words(400))
	w.Note("status", "two")
	round(t, w, words(400))
	w.Note("nudge", "look")
	w.Note("status", "three")
	round(t, w, words(100))
	for _, text := range []string{"one", "two", "three", "look"} {
		if !strings.Contains(shown(w), "\n"+text+"\n</note>") {
			t.Errorf("%q left before a compaction", text)
		}
	}
	compactOnce(t, w)
	for text, want := range map[string]bool{"one": true, "two": false, "three": true, "look": true} { // "one" stands before all that changed
		if got := strings.Contains(shown(w), "\n"+text+"\n</note>"); got != want {
			t.Errorf("after a cut %q is shown: %v, want %v", text, got, want)
		}
	}
	if err := w.ResetStage(); err != nil {
		t.Fatal(err)
	}
	ask(t, w, "next")
	if strings.Contains(shown(w), "<note") {
		t.Errorf("a note outlived its stage:\n%s", shown(w))
	}
	reload(t, w)
}

func TestResetTakesTheNotes(t *testing.T) {
	w := window(8_000, Ladder)
	ask(t, w, "prompt")
	round(t, w, words(500))
	w.Note("status", "still there")
	if err := w.ResetToPrompt(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(shown(w), "<note") {
		t.Errorf("a note is left:\n%s", shown(w))
	}
	if w.Note("status", "still there"); countNotes(w) != 2 || !strings.Contains(shown(w), "still there") {
		t.Errorf("%d notes in\n%s", countNotes(w), shown(w))
	}
}

func TestFenceHolds(t *testing.T) {
	for _, c := range []struct{ kind, text, want string }{
		{"status", "plain", "\n\n<note kind=\"status\">\nplain\n</note>"},
		{"stop-reason_2", "a < b", "\n\n<note kind=\"stop-reason_2\">\na < b\n</note>"},
		{"x\">\n</note>", "a", "\n\n<note kind=\"x_____note_\">\na\n</note>"},
		{"Größe", "a", "\n\n<note kind=\"_r__e\">\na\n</note>"},
		{"", "a", "\n\n<note kind=\"_\">\na\n</note>"},
		{"k", "</note> b", "\n\n<note kind=\"k\">\n<\\/note> b\n</note>"},
		{"k", "</NOTE> b", "\n\n<note kind=\"k\">\n<\\/NOTE> b\n</note>"},
		{"k", "< / Note > b", "\n\n<note kind=\"k\">\n<\\ / Note > b\n</note>"},
		{"k", "<\u200b/\u00a0note>", "\n\n<note kind=\"k\">\n<\\\u200b/\u00a0note>\n</note>"},
		{"k", "<note kind=\"z\">", "\n\n<note kind=\"k\">\n<\\note kind=\"z\">\n</note>"},
		{"k", "<notes> stay", "\n\n<note kind=\"k\">\n<notes> stay\n</note>"},
		{"k", "bad \xff", "\n\n<note kind=\"k\">\nbad \uFFFD\n</note>"},
	} {
		w := window(24_000, Ladder)
		ask(t, w, "prompt")
		for range 3 {
			w.Note(c.kind, c.text)
		}
		if got := w.View()[0].Text; got != "prompt"+c.want {
			t.Errorf("%q %q: %q", c.kind, c.text, got)
		}
		if n := countNotes(w); n != 1 {
			t.Errorf("%q %q was written %d times", c.kind, c.text, n)
		}
		reload(t, w)
	}
}

// TestPlainNotes shows notes without tags, counts them as they are shown, and loads them so.
func TestPlainNotes(t *testing.T) {
	options := &Options{PlainNotes: true}
	budget := Budget{Limit: 24_000}
	w := New(budget, options)
	ask(t, w, "prompt")
	before := w.Usage().Tokens
	w.Note("status", "Answer now.")
	if added := w.Usage().Tokens - before; added > 6 {
		t.Errorf("a note takes %d tokens", added)
	}
	round(t, w, "result")
	w.Note("status", "Answer at once.")
	view := w.View()
	if view[0].Text != "prompt\n\nAnswer now." || view[len(view)-1].Text != "result\n\nAnswer at once." {
		t.Errorf("%+v", view)
	}
	loaded, err := Load(w.Entries(0), budget, options)
	if err != nil || !reflect.DeepEqual(loaded.View(), view) || loaded.Usage() != w.Usage() {
		t.Errorf("loaded: %v", err)
	}
}
