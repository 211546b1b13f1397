package contextwindow

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/toollimit"
)

// read appends a call that reads a file, with its result.
func read(t *testing.T, w *Window, path, text string, failed bool) {
	t.Helper()
	id := fmt.Sprintf("r%d", len(w.units.list))
	args, err := json.Marshal(map[string]string{"path": path})
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: id, Name: "read", Args: args}}},
		transcript.Message{Role: transcript.Tool, CallID: id, Kind: toollimit.File, Text: text, Failed: failed})
}

// numbered is a text of so many lines, each with the name.
func numbered(name string, lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "%s_%d := compute(%d)\n", name, i, i)
	}
	return b.String()
}

// TestOneCopyStays reads files twice, the second time as a reference to the first: a compaction must not take the first
// away for the second's sake.
func TestOneCopyStays(t *testing.T) {
	w := window(24_000, Lean)
	ask(t, w, "prompt")
	files := 0
	for ; w.Usage().Share() < .45; files++ {
		read(t, w, fmt.Sprintf("f%d.go", files), numbered(fmt.Sprint("needle", files), 60), false)
	}
	for i := range files {
		read(t, w, fmt.Sprintf("f%d.go", i), numbered(fmt.Sprint("needle", i), 60), false)
	}
	if e := lossless(w.state); e != nil {
		t.Errorf("%d first copies were given up for references to them", len(e.Truncations))
	}
	if !strings.Contains(shown(w), " repeat lines 1-") {
		t.Error("no repeated reading was shown as a reference")
	}
}

func TestLosslessKeepsWhatDiffers(t *testing.T) {
	run := func(t *testing.T, first, second string, failed bool) int {
		w := window(24_000, Ladder) // shows repeats whole
		ask(t, w, "prompt")
		call := func(text string, failed bool) {
			id := fmt.Sprintf("c%d", len(w.units.list))
			mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: id, Name: "bash", Args: json.RawMessage(`{"command":"make test"}`)}}},
				transcript.Message{Role: transcript.Tool, CallID: id, Text: text, Failed: failed})
		}
		call(first, false)
		call(second, failed)
		if e := lossless(w.state); e != nil {
			return len(e.Truncations)
		}
		return 0
	}
	same := numbered("line", 60)
	if n := run(t, same, same, false); n != 1 {
		t.Errorf("%d cuts for the same result twice", n)
	}
	if n := run(t, same, numbered("other", 60), false); n != 0 {
		t.Errorf("%d cuts though the results differ", n)
	}
	if n := run(t, same, same, true); n != 0 {
		t.Errorf("%d cuts in favour of a call that failed", n)
	}
}

func TestSecondRequestGetsTheText(t *testing.T) {
	w := window(24_000, Lean)
	ask(t, w, "prompt")
	text := numbered("name", 60)
	read(t, w, "a.go", text, false)
	read(t, w, "a.go", text, false)
	if last := w.View()[4].Text; last != text {
		t.Errorf("who asks twice gets %.80q", last)
	}
}

func TestShrinkAfterAReset(t *testing.T) {
	w := window(24_000, Off)
	ask(t, w, words(1_000))
	for range 5 {
		round(t, w, words(1_000))
	}
	if err := w.ResetToPrompt(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Shrink(0); err != nil {
		t.Errorf("the prompt alone is not tried: %v", err)
	}
}

func TestNoteBeforeEverything(t *testing.T) {
	w := window(1_000, Ladder)
	w.Note("status", "early")
	ask(t, w, "first")
	mustAppend(t, w, transcript.Message{Role: transcript.User, Text: "second", Origin: transcript.Prompt})
	for range 5 {
		round(t, w, words(300))
	}
	mustFit(t, w)
}

// TestLongHistory folds a history of thousands of turns: the record is built a few times, not once a turn.
func TestLongHistory(t *testing.T) {
	if ostest.RaceDetector {
		t.Skip("long, and one goroutine plays it")
	}
	w := window(24_000, Ladder)
	for i := range 4_000 {
		mustAppend(t, w, transcript.Message{Role: transcript.User, Text: fmt.Sprint("question ", i), Origin: transcript.History})
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(30), Origin: transcript.History})
	}
	ask(t, w, "prompt")
	if n := testing.AllocsPerRun(1, func() { evictHistory(w.state, 12_000) }); n > 200_000 {
		t.Errorf("planning allocates %.0f times", n)
	}
	if c := mustFit(t, w); c.Level != 2 {
		t.Errorf("%v", c)
	}
}

// filling is a store that is full after so many texts.
type filling struct {
	*mapStore
	left int
}

func (f *filling) Put(id, body string) error {
	if f.left--; f.left < 0 {
		return errFull
	}
	return f.mapStore.Put(id, body)
}

func TestFullStoreInTheMiddle(t *testing.T) {
	store := &filling{newMapStore(), 12}
	w := New(Budget{Limit: 8_000, Profile: Ladder}, &Options{Store: store})
	ask(t, w, "prompt")
	for range 6 {
		round(t, w, words(900))
	}
	for range 7 {
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(900)})
	}
	store.left = 8 // enough for L1, not for L2
	c, err := w.Fit()
	if !errors.Is(err, errFull) || c.Level != 1 || c.After != w.Usage().Tokens || len(w.Compactions()) != 1 {
		t.Errorf("%v %v, usage %d, %d in the log", c, err, w.Usage().Tokens, len(w.Compactions()))
	}
}
