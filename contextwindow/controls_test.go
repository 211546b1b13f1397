package contextwindow

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// readings is a window that has read n files, numbered from 1 in steps from 2.
func readings(t *testing.T, p Profile, n int) *Window {
	t.Helper()
	w := window(8_000, p)
	ask(t, w, "prompt")
	for i := range n {
		readFile(t, w, i+1)
	}
	return w
}

func readFile(t *testing.T, w *Window, n int) {
	t.Helper()
	id := fmt.Sprintf("c%d", n)
	var b strings.Builder
	for line := range 60 {
		fmt.Fprintf(&b, "func fileNumber%d_line%d() { return someThing%d }\n", n, line, line*n)
	}
	mustAppend(t, w, Message{Role: Assistant, Calls: []ToolCall{{ID: id, Name: "read_file", Args: json.RawMessage(fmt.Sprintf(`{"path":"dir/file%d.go"}`, n))}}},
		Message{Role: Tool, CallID: id, Kind: "file", Text: b.String()})
}

// TestPinStays holds a pinned unit in every view, byte for byte, through compactions of each profile, until it is unpinned.
func TestPinStays(t *testing.T) {
	for _, p := range Profiles() {
		w := readings(t, p, 3)
		whole := w.slots[w.slotOf(3)].messages[1].Text
		if err := w.Pin(3); err != nil {
			t.Fatal(err)
		}
		shows := func() bool { return strings.Contains(shown(w), whole) }
		for n := range 40 {
			readFile(t, w, 10+n)
			if mustFit(t, w); !shows() {
				t.Fatalf("%s: the pinned unit is gone after %d more:\n%s", p, n, w.Explain())
			}
		}
		if len(w.Compactions()) == 0 {
			t.Errorf("%s: there was no compaction", p)
		}
		reload(t, w)
		w.Unpin()
		for n := range 40 {
			readFile(t, w, 60+n)
			mustFit(t, w)
		}
		if shows() || len(w.pins()) > 0 {
			t.Errorf("%s: what was unpinned never left", p)
		}
		reload(t, w)
	}
}

// TestPinBringsBack shows a unit again that was folded, and refuses what would leave too little room.
func TestPinBringsBack(t *testing.T) {
	w := readings(t, Lean, 30)
	mustFit(t, w)
	if w.slotOf(4) >= 0 {
		t.Fatal("the test wants step 4 folded")
	}
	folded := len(w.folded)
	if err := w.Pin(4); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(shown(w), "fileNumber3_line0") || len(w.folded) != folded-1 || w.ledger.rounds != len(w.folded) {
		t.Errorf("step 4 is not back: %d folded, %d before, %d in the ledger", len(w.folded), folded, w.ledger.rounds)
	}
	reload(t, w)
	before := w.View()
	all := make([]int, 29)
	for i := range all {
		all[i] = 2 + i
	}
	for name, err := range map[string]error{
		"too much":         w.Pin(all...),
		"no such step":     w.Pin(99),
		"step 0":           w.Pin(0),
		"one of two is no": w.Pin(5, -1),
	} {
		if err == nil {
			t.Errorf("%s was pinned", name)
		}
	}
	if diff := cmp.Diff(before, w.View()); diff != "" || !slices.Equal(w.pins(), []int{4}) {
		t.Errorf("a refused pin changed the window: %v %s", w.pins(), diff)
	}
}

// TestUndoRestores gives the view from before a compaction again, and with what came since.
func TestUndoRestores(t *testing.T) {
	w := readings(t, Lean, 4)
	for n := 10; ; n++ {
		before := slices.Clone(w.View())
		if c := mustFit(t, w); c.Level > 0 {
			readFile(t, w, 99)
			c, err := w.Undo(1)
			if err != nil || c.After != w.Usage().Tokens {
				t.Fatal(c, err)
			}
			if diff := cmp.Diff(before, w.View()[:len(before)]); diff != "" || len(w.View()) != len(before)+2 {
				t.Errorf("the view is another:\n%s", diff)
			}
			break
		}
		readFile(t, w, n)
	}
	reload(t, w)
	entries := len(w.entries)
	if _, err := w.Undo(1); !errors.Is(err, ErrNothing) || len(w.entries) != entries {
		t.Errorf("a second undo: %v", err)
	}
	if err := w.ResetStage(); err != nil {
		t.Fatal(err)
	}
	ask(t, w, "next")
	if _, err := w.Undo(1); !errors.Is(err, ErrNothing) {
		t.Errorf("an undo went back before its stage: %v", err)
	}
}

// TestRewindIsAPrefix gives the view and the log of any earlier step again, and goes on from there.
func TestRewindIsAPrefix(t *testing.T) {
	w := window(8_000, Lean)
	ask(t, w, "prompt")
	views := map[int][]Message{1: slices.Clone(w.View())}
	logs := map[int][]Entry{}
	for n := range 30 {
		readFile(t, w, n+1)
		step := len(w.units)
		views[step], logs[step] = slices.Clone(w.View()), w.Entries(0)
		mustFit(t, w)
	}
	if err := w.Rewind(99); err == nil {
		t.Error("rewound to a step that there is not")
	}
	for _, step := range []int{25, 12, 3, 1} {
		held := slices.Clone(logs[step])
		if err := w.Rewind(step); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(views[step], w.View()); diff != "" {
			t.Errorf("step %d: the view differs:\n%s", step, diff)
		}
		reload(t, w)
		readFile(t, w, 70+step)
		if diff := cmp.Diff(held, logs[step]); diff != "" {
			t.Errorf("step %d: the caller's entries changed", step)
		}
	}
	if err := w.Rewind(0); err != nil || len(w.View()) != 0 || w.prompt != 0 {
		t.Errorf("rewound to the start: %v, %d messages", err, len(w.View()))
	}
}

// TestCompactLooksAtTheFocus folds far below the marks, and keeps lines with words of the focus that no other record has.
func TestCompactLooksAtTheFocus(t *testing.T) {
	texts := map[string]string{}
	for _, focus := range []string{"", "the telemetry of boilers"} {
		w := window(8_000, Lean)
		ask(t, w, "prompt")
		for n := range 7 {
			round(t, w, words(120)+"\nplain words on boilers and nothing else\n"+words(120))
			_ = n
		}
		c, err := w.Compact(focus)
		if err != nil || c.Level == 0 || c.After >= c.Before || !slices.Equal(c.Steps, []string{"compact"}) {
			t.Fatalf("%+v %v", c, err)
		}
		texts[focus] = w.slots[1].messages[0].Text
		if again, err := w.Compact(focus); err != nil || again.Level > 0 {
			t.Errorf("compacted again: %+v %v", again, err)
		}
		reload(t, w)
	}
	if strings.Contains(texts[""], "  plain words on boilers") || !strings.Contains(texts["the telemetry of boilers"], "  plain words on boilers") {
		t.Errorf("without a focus:\n%s\nwith one:\n%s", texts[""], texts["the telemetry of boilers"])
	}
}

// TestRereadStays keeps a result that was asked for again beside what the marks keep anyway.
func TestRereadStays(t *testing.T) {
	w := readings(t, Lean, 12)
	if _, err := w.Compact(""); err != nil {
		t.Fatal(err)
	}
	readFile(t, w, 1)
	step := len(w.units)
	for n := range rereadHold - 1 {
		mustAppend(t, w, Message{Role: Assistant, Text: fmt.Sprint("thinking ", n)})
	}
	if _, err := w.Compact(""); err != nil || w.slotOf(step) < 0 {
		t.Errorf("the result was folded %d rounds after it was asked for again: %v", rereadHold-1, err)
	}
	mustAppend(t, w, Message{Role: Assistant, Text: "done with it"})
	if _, err := w.Compact(""); err != nil || w.slotOf(step) >= 0 {
		t.Errorf("the result never left: %v", err)
	}
}

// TestThrash halves the quotas after three compactions within six rounds, says so, and gives up after three more in as
// many rounds, with the request fitting all the while.
func TestThrash(t *testing.T) {
	w := window(2_000, Lean)
	ask(t, w, "prompt")
	halved, thrashed := 0, 0
	for range 40 {
		mustAppend(t, w, Message{Role: Assistant, Text: words(900)})
		c, err := w.Fit()
		if c.Thrash {
			halved++
		}
		if errors.Is(err, ErrThrash) {
			thrashed++
		} else if err != nil {
			t.Fatal(err)
		}
		if u := w.Usage(); u.Tokens > u.Limit {
			t.Fatalf("%d tokens in %d", u.Tokens, u.Limit)
		}
	}
	if halved != 1 || thrashed < 3 {
		t.Errorf("%d times halved, %d times given up", halved, thrashed)
	}
	small := w.quota(ToolCall{}, Message{}, 0).MaxTokens
	for range 3 * paceRounds {
		mustAppend(t, w, Message{Role: Assistant, Text: "a short one"})
		mustFit(t, w)
	}
	mustAppend(t, w, Message{Role: Assistant, Text: words(1_800)})
	mustFit(t, w)
	if w.halved {
		t.Errorf("quotas of %d are halved for good", small)
	}
	reload(t, w)
}
