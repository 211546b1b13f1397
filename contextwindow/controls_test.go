package contextwindow

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
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
	mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: id, Name: "read_file", Args: json.RawMessage(fmt.Sprintf(`{"path":"dir/file%d.go"}`, n))}}},
		transcript.Message{Role: transcript.Tool, CallID: id, Kind: "file", Text: b.String()})
}

// TestPinStays holds a pinned unit in every view, byte for byte, through compactions of each profile, until it is unpinned.
func TestPinStays(t *testing.T) {
	for _, p := range Profiles() {
		w := readings(t, p, 3)
		whole := w.view.slots[w.view.find(3)].messages[1].Text
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
	if w.view.find(4) >= 0 {
		t.Fatal("the test wants step 4 folded")
	}
	folded := len(w.evicted.steps)
	if err := w.Pin(4); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(shown(w), "fileNumber3_line0") || len(w.evicted.steps) != folded-1 || w.evicted.ledger.turns != len(w.evicted.steps) {
		t.Errorf("step 4 is not back: %d folded, %d before, %d in the ledger", len(w.evicted.steps), folded, w.evicted.ledger.turns)
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
			c, ok := w.Undo(1)
			if !ok || c.After != w.Usage().Tokens {
				t.Fatal(c, ok)
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
	if c, ok := w.Undo(1); ok || len(w.entries) != entries {
		t.Errorf("a second undo: %v", c)
	}
	if err := w.ResetStage(); err != nil {
		t.Fatal(err)
	}
	ask(t, w, "next")
	if c, ok := w.Undo(1); ok {
		t.Errorf("an undo went back before its stage: %v", c)
	}
}

// TestRewindIsAPrefix gives the view and the log of any earlier step again, and goes on from there.
func TestRewindIsAPrefix(t *testing.T) {
	w := window(8_000, Lean)
	ask(t, w, "prompt")
	views := map[int][]transcript.Message{1: slices.Clone(w.View())}
	logs := map[int][]Entry{}
	for n := range 30 {
		readFile(t, w, n+1)
		step := len(w.units.list)
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
			own := fmt.Sprintf("%d ", n) + words(120) // else each result repeats the one before
			round(t, w, own+"\nplain words on boilers and nothing else\n"+own)
		}
		c, err := w.Compact(focus)
		if err != nil || c.Level == 0 || c.After >= c.Before || !slices.Equal(c.Steps, []string{"compact"}) {
			t.Fatalf("%+v %v", c, err)
		}
		texts[focus] = w.view.slots[1].messages[0].Text
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
	step := len(w.units.list)
	for n := range rereadHold - 1 {
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: fmt.Sprint("thinking ", n)})
	}
	if _, err := w.Compact(""); err != nil || w.view.find(step) < 0 {
		t.Errorf("the result was folded %d rounds after it was asked for again: %v", rereadHold-1, err)
	}
	mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: "done with it"})
	if _, err := w.Compact(""); err != nil || w.view.find(step) >= 0 {
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
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(1_900)})
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
	small := w.Quota(transcript.ToolCall{}, toollimit.Text).MaxTokens
	for range 3 * paceTurns {
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: "a short one"})
		mustFit(t, w)
	}
	mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(1_800)})
	mustFit(t, w)
	if w.pace.halved {
		t.Errorf("quotas of %d are halved for good", small)
	}
	reload(t, w)
}

// TestPinMost pins up to half of what the fixed parts leave.
func TestPinMost(t *testing.T) {
	w := readings(t, Off, 12)
	var steps []int
	total := 0
	for step := 2; total <= w.shareOf(pinShare); step++ {
		steps = append(steps, step)
		total += sum(w.view.slots[w.view.find(step)].sizes)
	}
	if err := w.Pin(steps[:len(steps)-1]...); err != nil {
		t.Error(err)
	}
	if err := w.Pin(steps[len(steps)-1]); err == nil {
		t.Error("more than half was pinned")
	}
}

// TestFocusStays looks at the focus of an earlier call.
func TestFocusStays(t *testing.T) {
	w := window(8_000, Lean)
	ask(t, w, "prompt")
	for i := range 7 {
		round(t, w, strings.ReplaceAll(words(240), "line", fmt.Sprint("part ", i)))
	}
	if _, err := w.Compact("telemetry of boilers"); err != nil {
		t.Fatal(err)
	}
	for i := range 7 {
		round(t, w, strings.ReplaceAll(words(120), "line", fmt.Sprint("part ", i))+"\nplain words on boilers and nothing else\n")
	}
	if _, err := w.Compact(""); err != nil || !strings.Contains(shown(w), "  plain words on boilers") {
		t.Errorf("the focus is forgotten: %v\n%s", err, w.view.slots[1].messages[0].Text)
	}
}

// counting counts what is stored.
type counting struct {
	Store
	puts int
}

func (c *counting) Put(id, body string) error { c.puts++; return c.Store.Put(id, body) }

// TestPreviewStoresNothing keeps a preview from the store.
func TestPreviewStoresNothing(t *testing.T) {
	c := &counting{Store: newMapStore()}
	w := New(Budget{Limit: 8_000}, &Options{Store: c})
	ask(t, w, "prompt")
	for n := range 30 {
		readFile(t, w, n)
	}
	before := c.puts
	if p, err := w.Preview(); err != nil || p.Level == 0 || c.puts != before {
		t.Errorf("%v %v: %d texts stored", p, err, c.puts-before)
	}
}

// TestHeldHasAShare bounds what is held because it was asked for again.
func TestHeldHasAShare(t *testing.T) {
	w := readings(t, Lean, 3)
	big := func(id string) {
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: id, Name: "read_file", Args: json.RawMessage(`{"path":"big.go"}`)}}},
			transcript.Message{Role: transcript.Tool, CallID: id, Kind: "file", Text: words(4_000)})
	}
	big("b1")
	for n := range 4 {
		readFile(t, w, 20+n)
	}
	if _, err := w.Compact(""); err != nil {
		t.Fatal(err)
	}
	a := len(w.units.list)
	for n := range 5 {
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: fmt.Sprint("r", n), Name: "read_file", Args: json.RawMessage(fmt.Sprintf(`{"path":"dir/file%d.go"}`, n+1))}}},
			transcript.Message{Role: transcript.Tool, CallID: fmt.Sprint("r", n), Kind: "file", Text: strings.Repeat(fmt.Sprintf("fresh text%d of file\n", n), 140)})
	}
	total := 0
	for step := range w.keptByUse() {
		if step > a {
			total += w.view.slots[w.view.find(step)].tokens
		}
	}
	if total == 0 || total > w.shareOf(rereadShare) {
		t.Errorf("held %d of at most %d tokens", total, w.shareOf(rereadShare))
	}
}

// TestPinnedIsNotSuperseded leaves a pinned result alone that was read again.
func TestPinnedIsNotSuperseded(t *testing.T) {
	w := window(24_000, Lean)
	ask(t, w, "prompt")
	for n := range 2 {
		id := fmt.Sprint("j", n)
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: id, Name: "status", Args: json.RawMessage(`{}`)}}},
			transcript.Message{Role: transcript.Tool, CallID: id, Kind: "json", Text: "[" + strings.Repeat("1,", 60) + "1]"})
		for k := range 4 {
			readFile(t, w, 10+10*n+k)
		}
	}
	if err := w.Pin(2); err != nil {
		t.Fatal(err)
	}
	if e := lossless(w.state); e != nil && e.Truncations[0].Step == 2 {
		t.Error("a pinned result becomes a line")
	}
	w.Unpin()
	if e := lossless(w.state); e == nil || e.Truncations[0].Step != 2 {
		t.Error("an unpinned one does not")
	}
}

// TestPinIsOfItsStage refuses to bring back a unit of a stage that has ended.
func TestPinIsOfItsStage(t *testing.T) {
	for _, p := range Profiles() {
		w := window(8_000, p)
		ask(t, w, "one")
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: "answer"})
		if err := w.ResetStage(); err != nil {
			t.Fatal(err)
		}
		if err := w.Pin(2); err == nil {
			t.Errorf("%s: a step of the stage before was pinned", p)
		}
		ask(t, w, "two")
		if err := transcript.Check(w.View(), transcript.AnyProvider); err != nil {
			t.Errorf("%s: %v", p, err)
		}
	}
}

// TestCompactLosesNoWord folds a short run: what the user said stands in the record, or nothing is folded.
func TestCompactLosesNoWord(t *testing.T) {
	for _, p := range Profiles() {
		for n := range 12 {
			w := window(24_000, p)
			mustAppend(t, w, transcript.Message{Role: transcript.User, Text: "keep it small", Origin: transcript.History})
			mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: "understood", Origin: transcript.History})
			ask(t, w, "prompt")
			mustAppend(t, w, transcript.Message{Role: transcript.User, Text: "never push to main"})
			for i := range n {
				mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: fmt.Sprint("thinking ", i)})
			}
			mustAppend(t, w, transcript.Message{Role: transcript.User, Text: "go on"})
			if _, err := w.Compact(""); err != nil {
				t.Fatal(err)
			}
			for _, said := range []string{"never push to main", "keep it small"} {
				if !strings.Contains(shown(w), said) {
					t.Errorf("%s, %d rounds: %q is gone:\n%s", p, n, said, shown(w))
				}
			}
			if err := transcript.Check(w.View(), transcript.AnyProvider); err != nil {
				t.Errorf("%s, %d rounds: %v", p, n, err)
			}
		}
	}
}

// TestPinBeforeAnOpaquePart brings a text of the assistant back in front of a message whose opaque part then has to go.
func TestPinBeforeAnOpaquePart(t *testing.T) {
	w := readings(t, Lean, 4)
	mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: "a text that is folded"})
	step := len(w.units.list)
	for n := 0; w.view.find(step) >= 0; n++ {
		id := fmt.Sprint("o", n)
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, ProviderData: &transcript.ProviderData{Dialect: "d", Model: "m", Data: []byte("x")}, Calls: []transcript.ToolCall{{ID: id, Name: "read_file", Args: json.RawMessage(`{"path":"x"}`)}}},
			transcript.Message{Role: transcript.Tool, CallID: id, Kind: "file", Text: words(300 + n)})
		mustFit(t, w)
	}
	if err := w.Pin(step); err != nil {
		t.Fatal(err)
	}
	if err := transcript.Check(w.View(), transcript.AnyProvider); err != nil {
		t.Error(err)
	}
	reload(t, w)
}

// TestRecordKeepsTheOrder folds a unit long after newer ones: the words of the user and the plan stay in their order.
func TestRecordKeepsTheOrder(t *testing.T) {
	plan := func(w *Window, id, text string) {
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: id, Name: "todo", Args: json.RawMessage(`{"todos":["` + text + `"]}`)}}},
			transcript.Message{Role: transcript.Tool, CallID: id, Text: "ok"})
	}
	w := window(8_000, Lean)
	ask(t, w, "prompt")
	mustAppend(t, w, transcript.Message{Role: transcript.User, Text: "FIRST do not touch it"})
	plan(w, "p1", "OLD plan")
	if err := w.Pin(2, 3); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, w, transcript.Message{Role: transcript.User, Text: "SECOND now touch it"})
	plan(w, "p2", "NEW plan")
	for n := range 60 {
		readFile(t, w, n)
		mustFit(t, w)
		if n == 30 {
			w.Unpin()
		}
	}
	text := shown(w)
	if first, second := strings.Index(text, "FIRST"), strings.Index(text, "SECOND"); first < 0 || first > second {
		t.Errorf("the user's words stand at %d and %d", first, second)
	}
	if !strings.Contains(text, "- NEW plan") || strings.Contains(text, "- OLD plan") {
		t.Errorf("the last plan is not the newest:\n%s", text)
	}
	reload(t, w)
}

// TestPinnedHistoryStays folds other history before what is pinned.
func TestPinnedHistoryStays(t *testing.T) {
	for _, p := range []Profile{Ladder, Off, Lean} {
		w := window(8_000, p)
		for i := range 6 {
			mustAppend(t, w, transcript.Message{Role: transcript.User, Text: fmt.Sprintf("turn %d asks for more", i), Origin: transcript.History})
			mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(250), Origin: transcript.History})
		}
		ask(t, w, "prompt")
		if err := w.Pin(1, 2); err != nil {
			t.Fatal(err)
		}
		for n := range 60 {
			readFile(t, w, n)
			mustFit(t, w)
		}
		if w.view.find(1) < 0 || w.view.find(2) < 0 || w.view.find(5) >= 0 {
			t.Errorf("%s: pinned history is shown %v, other %v", p, w.view.find(1) >= 0, w.view.find(5) >= 0)
		}
	}
}

// TestRewindKeepsTheLimit remembers what the provider said of its window.
func TestRewindKeepsTheLimit(t *testing.T) {
	w := readings(t, Lean, 3)
	if _, err := w.Shrink(4_000); err != nil {
		t.Fatal(err)
	}
	limit := w.Usage().Limit
	if err := w.Rewind(2); err != nil || w.Usage().Limit != limit {
		t.Errorf("the limit is %d, was %d: %v", w.Usage().Limit, limit, err)
	}
	reload(t, w)
}

// TestRewindUsesNoIDTwice reads a text of a discarded step again: its id never names another text.
func TestRewindUsesNoIDTwice(t *testing.T) {
	w := window(2_000, Lean)
	ask(t, w, "prompt")
	readFile(t, w, 1)
	before, err := w.Reader().Read(toollimit.Reading{ID: "s2.1", Line: 1, Lines: 5})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Rewind(1); err != nil {
		t.Fatal(err)
	}
	store := w.options.Store
	w = reload(t, w)
	if w.options.Store = store; w.Rewind(2) == nil {
		t.Error("rewound to a step that was discarded")
	}
	call := transcript.ToolCall{ID: "again", Name: "read_working_memory", Args: []byte(`{"id":"s2.1"}`)}
	result := transcript.Message{Role: transcript.Tool, CallID: "again", Kind: toollimit.Excerpt, Text: before}
	added, err := w.Append(transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{call}}, result)
	if err != nil || added.Step != 3 {
		t.Fatalf("step %d, want 3: %v", added.Step, err)
	}
	readFile(t, w, 2)
	after, err := w.Reader().Read(toollimit.Reading{ID: "s2.1", Line: 1, Lines: 5})
	if err != nil || after != before {
		t.Errorf("s2.1 was\n%s\nis\n%s\n%v", before, after, err)
	}
	if _, err := w.Reader().Read(toollimit.Reading{ID: "s2.0"}); err == nil || strings.Contains(err.Error(), "shown") {
		t.Errorf("an id of a discarded step that was never stored: %v", err)
	}
}

// TestStepsFollowEarlierWindows shares a store between two windows. The second begins after very many steps: no id names
// two texts, the log loads without the option, and the earlier steps take no memory.
func TestStepsFollowEarlierWindows(t *testing.T) {
	const after = 30_000_000
	store := newMapStore()
	first := New(Budget{Limit: 2_000, Profile: Lean}, &Options{Store: store, ReadTool: toollimit.ReadTool})
	ask(t, first, "prompt")
	readFile(t, first, 1)
	before := maps.Clone(store.bodies)
	w := New(Budget{Limit: 2_000, Profile: Lean}, &Options{Store: store, ReadTool: toollimit.ReadTool, After: after})
	ask(t, w, "prompt")
	for n := range 12 {
		readFile(t, w, 2+n)
		mustFit(t, w)
	}
	if got := w.units.last(); got != after+13 || len(w.units.list) != 13 || len(w.Compactions()) == 0 {
		t.Errorf("the last step is %d, %d units are held, after %d compactions", got, len(w.units.list), len(w.Compactions()))
	}
	for id, body := range before {
		if store.bodies[id] != body {
			t.Errorf("%s names another text", id)
		}
	}
	reload(t, w)
	if _, err := w.Reader().Read(toollimit.Reading{ID: "s7.1"}); err == nil || strings.Contains(err.Error(), "shown") {
		t.Errorf("an id of an earlier window that was never stored: %v", err)
	}
	if err := w.Rewind(0); err != nil {
		t.Fatal(err)
	}
	if again, err := w.Append(transcript.Message{Role: transcript.User, Text: "again"}); err != nil || again.Step != after+14 {
		t.Errorf("step %d after a rewind to the beginning: %v", again.Step, err)
	}
	reload(t, w)
}
