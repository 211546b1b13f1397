package contextwindow

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// The tests of this file hold what comes in from outside to what a window promises of it.

// reload saves a log and loads it.
func reload(t *testing.T, w *Window) *Window {
	t.Helper()
	saved, err := json.Marshal(w.Entries(0))
	if err != nil {
		t.Fatal(err)
	}
	var entries []Entry
	if err := json.Unmarshal(saved, &entries); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(entries, w.budget, &Options{ReadTool: w.options.ReadTool})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(w.View(), loaded.View()); diff != "" {
		t.Errorf("the loaded view differs:\n%s", diff)
	}
	if !reflect.DeepEqual(w.Entries(0), loaded.Entries(0)) {
		t.Error("the loaded log differs")
	}
	if w.Usage() != loaded.Usage() {
		t.Errorf("the loaded usage is %+v, was %+v", loaded.Usage(), w.Usage())
	}
	if !reflect.DeepEqual(w.Prefix(), loaded.Prefix()) {
		t.Errorf("the loaded frame is %+v, was %+v", loaded.Prefix(), w.Prefix())
	}
	if !reflect.DeepEqual(w.evicted.lines, loaded.evicted.lines) || !reflect.DeepEqual(w.evicted.steps, loaded.evicted.steps) {
		t.Errorf("the loaded record holds %v of %v, was %v of %v", loaded.evicted.lines, loaded.evicted.steps, w.evicted.lines, w.evicted.steps)
	}
	var lines []KeptLines
	skip := undoneIn(w.entries)
	for i, e := range w.Entries(0) {
		if e.Edit != nil && !skip[i] && (e.Edit.Op == opEvict || e.Edit.Op == opStage) {
			lines = e.Edit.Lines
		}
	}
	if !reflect.DeepEqual(w.evicted.lines, lines) {
		t.Errorf("the window knows lines %v, the last record shows %v", w.evicted.lines, lines)
	}
	return loaded
}

func TestUnitsHoldWhatBelongsToTheirRole(t *testing.T) {
	calls := []transcript.ToolCall{{ID: "a", Name: "read"}}
	w := window(24_000, Ladder)
	for name, unit := range map[string][]transcript.Message{
		"a result that calls":     {{Role: transcript.Assistant, Calls: calls}, {Role: transcript.Tool, CallID: "a", Calls: calls}},
		"two ids that are no ids": {{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: "\xff"}, {ID: "\xfe"}}}, {Role: transcript.Tool, CallID: "\xff"}, {Role: transcript.Tool, CallID: "\xfe"}},
		"a record from outside":   {{Role: transcript.User, Text: "x", Origin: transcript.Runtime}},
		"an unknown origin":       {{Role: transcript.User, Text: "x", Origin: "moon"}},
		"a prompt by us":          {{Role: transcript.Assistant, Text: "x", Origin: transcript.Prompt}},
	} {
		if _, err := w.Append(unit[0], unit[1:]...); !errors.Is(err, transcript.ErrUnpaired) || len(w.Entries(0)) > 0 {
			t.Errorf("%s: %v, %d entries", name, err, len(w.Entries(0)))
		}
	}
	if _, err := w.Append(transcript.Message{Role: transcript.User, ProviderData: &transcript.ProviderData{}}); !errors.Is(err, transcript.ErrEmpty) {
		t.Errorf("a user with an opaque part: %v", err)
	}
	mustAppend(t, w, transcript.Message{Role: transcript.User, Text: "old", Origin: transcript.History, CallID: "a", Name: "n", Kind: toollimit.File, Failed: true, ProviderData: &transcript.ProviderData{}})
	mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Origin: transcript.History, CallID: "a", Name: "n", Kind: toollimit.File, Failed: true, Calls: calls},
		transcript.Message{Role: transcript.Tool, CallID: "a", Name: "else", Kind: toollimit.File, Failed: true, Origin: transcript.Prompt, ProviderData: &transcript.ProviderData{}, Text: "result"})
	want := []transcript.Message{
		{Role: transcript.User, Text: "old", Origin: transcript.History}, {Role: transcript.Assistant, Origin: transcript.History, Calls: calls},
		{Role: transcript.Tool, CallID: "a", Name: "read", Kind: toollimit.File, Failed: true, Origin: transcript.History, Text: "result"},
	}
	if diff := cmp.Diff(want, w.View()); diff != "" {
		t.Errorf("kept:\n%s", diff)
	}
}

// TestLogSurvivesBytesThatAreNotText appends what is not UTF-8 wherever a string can stand.
func TestLogSurvivesBytesThatAreNotText(t *testing.T) {
	const bad = "a\xffb"
	w := window(24_000, Ladder)
	w.Open(Prefix{System: bad, Tools: []transcript.ToolSchema{{Name: bad, Description: bad, Schema: json.RawMessage("{ \"a\" : \"<\" }")}}})
	ask(t, w, bad)
	mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: bad, Calls: []transcript.ToolCall{{ID: bad, Name: bad, Args: json.RawMessage(`{"a" : "` + bad + `"}`)}},
		ProviderData: &transcript.ProviderData{Dialect: bad, Model: bad, Tokens: -7, Data: []byte(bad)}},
		transcript.Message{Role: transcript.Tool, CallID: bad, Kind: toollimit.Kind(bad), Text: bad})
	w.Note(bad, bad)
	l := reload(t, w)
	if got := l.View()[1].ProviderData; string(got.Data) != bad || got.Tokens != 0 {
		t.Errorf("opaque part %+v", got)
	}
	if got := l.View()[2]; !strings.HasPrefix(got.Text, bad) || got.CallID != l.View()[1].Calls[0].ID {
		t.Errorf("result %+v", got)
	}
}

func TestOpaquePartsAreCopied(t *testing.T) {
	w := window(24_000, Ladder)
	ask(t, w, "prompt")
	o := &transcript.ProviderData{Dialect: "d", Data: []byte("signed")}
	mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: "x", ProviderData: o})
	o.Data[0], o.Dialect = 'X', "e"
	if got := w.View()[1].ProviderData; string(got.Data) != "signed" || got.Dialect != "d" {
		t.Errorf("a caller's buffer shows in the log: %+v", got)
	}
}

func TestOpaqueLeavesAnEditedMessage(t *testing.T) {
	w := window(2_000, Off)
	ask(t, w, "prompt")
	after := &transcript.ProviderData{Dialect: "d", Tokens: 50, Data: []byte("bound to what comes before")}
	mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(1_800), ProviderData: &transcript.ProviderData{Dialect: "d", Tokens: 300, Data: []byte("lost")}})
	ask(t, w, "go on")
	mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: "short", ProviderData: after})
	ask(t, w, "go on")
	if data := w.view.withData(); len(data) != 2 {
		t.Fatalf("steps %v have provider data", data)
	}
	c := mustFit(t, w)
	view := w.View()
	if len(view) != 5 || view[1].ProviderData != nil || view[3].ProviderData != nil {
		t.Fatalf("%v leaves\n%s", c, outline(w))
	}
	if c.ProviderData != 2 {
		t.Errorf("%d opaque parts reported lost, want 2: %+v", c.ProviderData, c)
	}
	if got := sum(sizesOf(view)); got != w.meter.used {
		t.Errorf("the running sum is %d, the view takes %d", w.meter.used, got)
	}
}

// TestReasoningAloneLeavesNoEmptyMessage hides the reasoning of an answer that was nothing else: the notes after it stay,
// as a message of their own.
func TestReasoningAloneLeavesNoEmptyMessage(t *testing.T) {
	w := window(8_000, Lean)
	ask(t, w, "Count the pages.")
	data := &transcript.ProviderData{Dialect: "d", Model: "m", Tokens: 20, Data: []byte("x")}
	mustAppend(t, w, transcript.Message{Role: transcript.Assistant, ProviderData: data})
	w.Note("status", "3 steps are left")
	ask(t, w, "Go on.")
	whole := len(w.View())
	w.Open(Prefix{System: "You count."})
	mustFit(t, w)
	view := w.View()
	if err := transcript.Check(view, transcript.OpenAI); err != nil || len(view) != whole-1 {
		t.Errorf("%d messages of %d: %v", len(view), whole, err)
	}
	if view[0].Text != "Count the pages." || !strings.Contains(view[1].Text, "3 steps are left") {
		t.Errorf("view %+v", view)
	}
	w.Open(Prefix{})
	if len(w.View()) != whole {
		t.Errorf("%d messages of %d after the prefix came back", len(w.View()), whole)
	}
}

func TestCompactionReportsPointers(t *testing.T) {
	store := newMapStore()
	w := New(Budget{Limit: 8_000, Profile: Ladder}, &Options{Store: store})
	ask(t, w, "prompt")
	fill(t, w, .62, 700)
	c := mustFit(t, w)
	if c.Level != 1 || len(c.Pointers) == 0 {
		t.Fatalf("the test wants L1: %+v", c)
	}
	for _, id := range c.Pointers {
		if _, err := store.Get(id); err != nil || !strings.Contains(shown(w), "id="+id+"]") {
			t.Errorf("%s stands nowhere in the view, or %v", id, err)
		}
	}
}

// TestEditsLeaveTheLogAlone shortens arguments in the view: the log keeps the calls as they were made.
func TestEditsLeaveTheLogAlone(t *testing.T) {
	w := window(1_500, Off)
	ask(t, w, "prompt")
	args := json.RawMessage(`{"path":"a.go","content":"` + strings.Repeat("word ", 2_000) + `"}`)
	mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: "a", Name: "write", Args: args}}}, transcript.Message{Role: transcript.Tool, CallID: "a", Text: "ok"})
	before := w.View()
	if c := mustFit(t, w); !strings.Contains(strings.Join(c.Steps, " "), "overflow 4") {
		t.Fatalf("the test wants arguments to be cut: %v", c)
	}
	if got := w.View()[1].Calls[0].Args; len(got) >= len(args) || !json.Valid(got) {
		t.Errorf("the view shows %d bytes", len(got))
	}
	for what, got := range map[string]json.RawMessage{"log": w.units.list[1].Messages[0].Calls[0].Args, "view before": before[1].Calls[0].Args} {
		if string(got) != string(args) {
			t.Errorf("the %s holds %d bytes of %d", what, len(got), len(args))
		}
	}
}

// TestFoldedPartsResolve folds calls with long arguments and empty results, whose ids the record shows.
func TestFoldedPartsResolve(t *testing.T) {
	store := newMapStore()
	w := New(Budget{Limit: 4_000, Profile: Lean}, &Options{Store: store})
	ask(t, w, "prompt")
	for i := range 12 {
		id := string(rune('a' + i))
		args, err := json.Marshal(map[string]string{"path": id + ".go", "content": numbered("thing_"+id, 30)})
		if err != nil {
			t.Fatal(err)
		}
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: id, Name: "write", Args: args}}}, transcript.Message{Role: transcript.Tool, CallID: id})
		mustFit(t, w)
	}
	reload(t, w)
	loadedStore := newMapStore()
	if _, err := Load(w.Entries(0), w.budget, &Options{Store: loadedStore}); err != nil {
		t.Fatal(err)
	}
	arguments, empty := 0, 0
	for _, m := range w.View() {
		for _, ref := range pointersIn(m) {
			body, err := store.Get(ref)
			again, errAgain := loadedStore.Get(ref)
			if err != nil || errAgain != nil || body != again {
				t.Errorf("%s: %v; loaded: %v", ref, err, errAgain)
			}
			if strings.HasSuffix(ref, "a") {
				arguments++
			} else if body == "" {
				empty++
			}
		}
	}
	if arguments == 0 || empty == 0 {
		t.Errorf("the test wants ids of arguments and of empty results, has %d and %d in\n%s", arguments, empty, shown(w))
	}
}

// TestLoadStoresBodies loads a log into an empty store: every text that was cut can be read again.
func TestLoadStoresBodies(t *testing.T) {
	w := window(3_000, Ladder)
	ask(t, w, "prompt")
	for range 12 {
		round(t, w, words(500))
		mustFit(t, w)
	}
	if err := w.ResetStage(); err != nil {
		t.Fatal(err)
	}
	kept := w.options.Store.(*mapStore).bodies
	store := newMapStore()
	if _, err := Load(w.Entries(0), w.budget, &Options{Store: store}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(kept, store.bodies); diff != "" || len(kept) < 12 {
		t.Errorf("of %d texts the loaded store differs:\n%.500s", len(kept), diff)
	}
	if _, err := Load(w.Entries(0), w.budget, &Options{Store: failing{}}); !errors.Is(err, errFull) || errors.Is(err, ErrDamaged) {
		t.Errorf("a store that is full: %v", err)
	}
}

func TestResetOfLittleLeavesNoRecord(t *testing.T) {
	for name, reset := range map[string]func(*Window) error{"prompt": (*Window).ResetToPrompt, "stage": (*Window).ResetStage} {
		w := window(4_000, Ladder)
		ask(t, w, "prompt")
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: "ok"})
		before := w.Usage().Tokens
		if err := reset(w); err != nil {
			t.Fatal(err)
		}
		if after := w.Usage().Tokens; after > before {
			t.Errorf("%s: %d → %d tokens:\n%s", name, before, after, outline(w))
		}
		if w.evicted.ledger.turns != 1 {
			t.Errorf("%s: the ledger knows of %d rounds", name, w.evicted.ledger.turns)
		}
		reload(t, w)
		w = window(4_000, Ladder)
		ask(t, w, "prompt")
		submit(t, w, "Alpha", false)
		if err := reset(w); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(shown(w), "Alpha") {
			t.Errorf("%s: a submission is forgotten", name)
		}
		w = window(4_000, Ladder)
		ask(t, w, "prompt")
		ask(t, w, "and the tests")
		if err := reset(w); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(shown(w), "and the tests") {
			t.Errorf("%s: what the user asked is forgotten", name)
		}
	}
}

// TestStageKeepsItsLines goes on after a stage: the key lines that its record showed may be chosen again.
func TestStageKeepsItsLines(t *testing.T) {
	w := window(6_000, Lean)
	ask(t, w, "first")
	for i := range 6 {
		read(t, w, string(rune('a'+i))+".go", numbered("thing_"+string(rune('a'+i)), 20), false)
	}
	if err := w.ResetStage(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(shown(w), "compute("); n == 0 || len(w.evicted.lines) == 0 {
		t.Fatalf("the record of a stage shows %d lines and knows %d parts", n, len(w.evicted.lines))
	}
	reload(t, w)
	ask(t, w, "second")
	e := w.evictEdit(nil, w.shareOf(digestShare), false)
	if !strings.Contains(e.Digest, "compute(") {
		t.Errorf("the next record lost all lines:\n%s", e.Digest)
	}
}

func TestLimitNeverRises(t *testing.T) {
	w := window(24_000, Off)
	ask(t, w, "prompt")
	round(t, w, words(3_000))
	for _, limit := range []int{8_192, 128_000, 8_192} {
		if _, err := w.Shrink(limit); err != nil {
			t.Fatal(err)
		}
		if u := w.Usage(); u.Limit > usable(8_192, 0) {
			t.Errorf("a limit of %d tokens raised the budget to %d", limit, u.Limit)
		}
	}
	w.write(Entry{Edit: &Edit{Op: opLimit, Limit: 20_000}})
	if u := w.Usage(); u.Limit > usable(8_192, 0) {
		t.Errorf("an edit raised the budget to %d", u.Limit)
	}
}

func TestShrinkTakesAFifth(t *testing.T) {
	w := window(24_000, Off)
	ask(t, w, "prompt")
	for range 8 {
		round(t, w, words(1_000))
	}
	for range 3 {
		before := w.Usage().Tokens
		if _, err := w.Shrink(0); err != nil {
			t.Fatal(err)
		}
		if u := w.Usage(); u.Limit != before*4/5 || u.Tokens > u.Limit {
			t.Errorf("%d tokens shrank to %d, limit %d", before, u.Tokens, u.Limit)
		}
	}
}

// TestUsableRoom pins what a request may take of a window.
func TestUsableRoom(t *testing.T) {
	for _, c := range []struct{ window, output, want int }{
		{200_000, 0, 200_000 - 8_192 - 4_000},
		{200_000, 64_000, 200_000 - 8_192 - 4_000},
		{200_000, 4_096, 200_000 - 4_096 - 4_000},
		{16_000, 0, 16_000 - 4_000 - 1_000},
		{16_000, 1_000, 16_000 - 1_000 - 1_000},
		{40_000, 0, 40_000 - 8_192 - 1_024},
	} {
		if got := usable(c.window, c.output); got != c.want {
			t.Errorf("of %d tokens with answers of %d: %d, want %d", c.window, c.output, got, c.want)
		}
	}
	small := BudgetOf(128_000, 0, Full) // answers of up to 16,384 tokens count as 8,192
	if want := usable(128_000, 0); small.Limit != want {
		t.Errorf("a window of 128,000 has %d tokens, want %d", small.Limit, want)
	}
}

// TestAnUnlimitedBudget: a caller may write the largest number for no limit.
func TestAnUnlimitedBudget(t *testing.T) {
	for _, p := range Profiles() {
		w := New(Budget{Limit: math.MaxInt, Profile: p}, nil)
		ask(t, w, "prompt")
		text := words(1_000)
		for range 8 {
			round(t, w, text)
			mustFit(t, w)
		}
		if !strings.Contains(shown(w), text) && p != Ladder {
			t.Errorf("%s: a result is not shown whole", p)
		}
		if _, err := w.Compact(""); err != nil || !strings.Contains(shown(w), digestOpen) {
			t.Errorf("%s: %v:\n%.300s", p, err, shown(w))
		}
	}
}

// TestPinOfTheLastAnswer: once the view is empty, an answer cannot be pinned, since it would end the request.
func TestPinOfTheLastAnswer(t *testing.T) {
	w := window(4_000, Lean)
	answer(t, w, "Yes.")
	if err := w.ResetToPrompt(); err != nil || len(w.View()) > 0 {
		t.Fatalf("%v, %v", err, w.View())
	}
	if err := w.Pin(1); err == nil {
		t.Errorf("pinned: %v", w.View())
	}
}

// TestToolOfABrokenName: what a view names is saved as JSON, and must come back the same.
func TestToolOfABrokenName(t *testing.T) {
	w := New(Budget{Limit: 4_000, Profile: Lean}, &Options{ReadTool: "\xffread"})
	ask(t, w, "prompt")
	for range 8 {
		round(t, w, words(500), words(200))
		mustFit(t, w)
	}
	if loaded := reload(t, w); !reflect.DeepEqual(loaded.View(), w.View()) {
		t.Error("the loaded window shows something else")
	}
}
