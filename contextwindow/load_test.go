package contextwindow

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/toollimit"
)

func TestLoadRefusesDamage(t *testing.T) {
	unit := func(step int) Entry {
		return Entry{Unit: &Unit{Step: step, Messages: []transcript.Message{{Role: transcript.User, Text: "x"}}}}
	}
	called := func(step int, results ...string) Entry {
		u := &Unit{Step: step, Messages: []transcript.Message{{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: "a"}, {ID: "b"}}}}}
		for _, id := range results {
			u.Messages = append(u.Messages, transcript.Message{Role: transcript.Tool, CallID: id, Text: "one\ntwo"})
		}
		return Entry{Unit: u}
	}
	fold := func(e Edit) Entry {
		e.Op = opEvict
		return Entry{Edit: &e}
	}
	kept := func(k KeptLines) Entry { return fold(Edit{Steps: []int{2}, Digest: "r", Lines: []KeptLines{k}}) }
	inner := called(2, "a", "b")
	inner.Unit.Messages[1].Calls = []transcript.ToolCall{{ID: "z"}}
	named := unit(1)
	named.Unit.Messages[0].CallID = "a"
	forged := unit(1)
	forged.Unit.Messages[0].Origin = transcript.Runtime
	negative := Entry{Unit: &Unit{Step: 1, Messages: []transcript.Message{{Role: transcript.Assistant, ProviderData: &transcript.ProviderData{Tokens: -9}}}}}
	for name, entries := range map[string][]Entry{
		"nothing set":     {{}},
		"two set":         {{Unit: unit(1).Unit, Note: &Note{}}},
		"step left out":   {unit(2)},
		"step twice":      {unit(1), unit(1)},
		"empty unit":      {{Unit: &Unit{Step: 1}}},
		"unpaired unit":   {{Unit: &Unit{Step: 1, Messages: []transcript.Message{{Role: transcript.Tool, CallID: "a"}}}}},
		"unknown edit":    {unit(1), {Edit: &Edit{Op: "melt"}}},
		"cut of nothing":  {unit(1), {Edit: &Edit{Op: opTruncate, Truncations: []Truncation{{Step: 2}}}}},
		"cut of no part":  {unit(1), {Edit: &Edit{Op: opTruncate, Truncations: []Truncation{{Step: 1, Part: 1}}}}},
		"cut of no call":  {unit(1), {Edit: &Edit{Op: opTruncate, Truncations: []Truncation{{Step: 1, Part: 1, Args: true}}}}},
		"cuts unordered":  {unit(1), unit(2), {Edit: &Edit{Op: opTruncate, Truncations: []Truncation{{Step: 2}, {Step: 1}}}}},
		"fold of nothing": {unit(1), {Edit: &Edit{Op: opEvict, Steps: []int{3}}}},
		"folds unordered": {unit(1), unit(2), {Edit: &Edit{Op: opEvict, Steps: []int{2, 1}}}},
		"limit of none":   {{Edit: &Edit{Op: opLimit}}},

		"results in another order":     {unit(1), called(2, "b", "a")},
		"a result that calls":          {unit(1), inner},
		"a user's message with an id":  {named},
		"a unit that says it is ours":  {forged},
		"an opaque part less than 0":   {negative},
		"a kind that closes its fence": {unit(1), {Note: &Note{Kind: `x">`, Text: "x"}}},
		"cut of the prompt":            {unit(1), {Edit: &Edit{Op: opTruncate, Truncations: []Truncation{{Step: 1}}}}},
		"cut of what left":             {unit(1), unit(2), fold(Edit{Steps: []int{2}}), {Edit: &Edit{Op: opTruncate, Truncations: []Truncation{{Step: 2}}}}},
		"cut and fold":                 {unit(1), unit(2), fold(Edit{Steps: []int{2}, Truncations: []Truncation{{Step: 9}}})},
		"steps of a stage":             {unit(1), {Edit: &Edit{Op: opStage, Steps: []int{9}}}},
		"fold of the prompt":           {unit(1), unit(2), fold(Edit{Steps: []int{1}})},
		"fold before all":              {fold(Edit{Steps: []int{1}})},
		"fold of step 0":               {unit(1), fold(Edit{Steps: []int{0}})},
		"fold of the record":           {unit(1), unit(2), fold(Edit{Steps: []int{2}, Digest: "r"}), fold(Edit{Steps: []int{0}})},
		"cut of the record":            {unit(1), unit(2), fold(Edit{Steps: []int{2}, Digest: "r"}), {Edit: &Edit{Op: opTruncate, Truncations: []Truncation{{Text: "x"}}}}},
		"fold of what left":            {unit(1), unit(2), unit(3), fold(Edit{Steps: []int{2}}), fold(Edit{Steps: []int{2, 3}})},
		"fold of a step twice":         {unit(1), unit(2), fold(Edit{Steps: []int{2, 2}})},
		"fold after a stage":           {unit(1), unit(2), {Edit: &Edit{Op: opStage}}, fold(Edit{Steps: []int{2}})},
		"pin of no step":               {unit(1), {Edit: &Edit{Op: opPin, Steps: []int{2}}}},
		"pins unordered":               {unit(1), unit(2), unit(3), {Edit: &Edit{Op: opPin, Steps: []int{3, 2}}}},
		"pin with a cut":               {unit(1), unit(2), {Edit: &Edit{Op: opPin, Steps: []int{2}, Truncations: []Truncation{{Step: 2}}}}},
		"pin from before a stage":      {unit(1), {Edit: &Edit{Op: opStage}}, unit(2), {Edit: &Edit{Op: opPin, Steps: []int{1}}}},
		"unpin of what is not pinned":  {unit(1), unit(2), {Edit: &Edit{Op: opUnpin, Steps: []int{2}}}},
		"summary of no text":           {unit(1), unit(2), {Edit: &Edit{Op: opSummary, Steps: []int{2}}}},
		"summary of the prompt":        {unit(1), {Edit: &Edit{Op: opSummary, Steps: []int{1}, Text: "x"}}},
		"summary of no step":           {unit(1), unit(2), {Edit: &Edit{Op: opSummary, Text: "x"}}},
		"undo of nothing":              {unit(1), {Edit: &Edit{Op: opUndo}}},
		"undo of a unit":               {unit(1), {Edit: &Edit{Op: opUndo, Undone: []int{0}}}},
		"undo below 0":                 {unit(1), unit(2), fold(Edit{Steps: []int{2}}), {Edit: &Edit{Op: opUndo, Undone: []int{-1, 2}}}},
		"undo of what comes":           {unit(1), unit(2), fold(Edit{Steps: []int{2}}), {Edit: &Edit{Op: opUndo, Undone: []int{2, 9}}}},
		"undo that leaves one":         {unit(1), unit(2), unit(3), fold(Edit{Steps: []int{2}}), fold(Edit{Steps: []int{3}}), {Edit: &Edit{Op: opUndo, Undone: []int{3}}}},
		"undo twice":                   {unit(1), unit(2), fold(Edit{Steps: []int{2}}), {Edit: &Edit{Op: opUndo, Undone: []int{2}}}, {Edit: &Edit{Op: opUndo, Undone: []int{2}}}},
		"undo past a stage":            {unit(1), unit(2), fold(Edit{Steps: []int{2}}), {Edit: &Edit{Op: opStage}}, {Edit: &Edit{Op: opUndo, Undone: []int{2}}}},
		"line below 0":                 {unit(1), called(2, "a", "b"), kept(KeptLines{Step: 2, Part: 1, Lines: []int{-1}})},
		"lines unordered":              {unit(1), called(2, "a", "b"), kept(KeptLines{Step: 2, Part: 1, Lines: []int{1, 0}})},
		"line twice":                   {unit(1), called(2, "a", "b"), kept(KeptLines{Step: 2, Part: 1, Lines: []int{1, 1}})},
		"lines of no part":             {unit(1), called(2, "a", "b"), kept(KeptLines{Step: 2, Part: 3, Lines: []int{1}})},
		"lines of a part below 0":      {unit(1), called(2, "a", "b"), kept(KeptLines{Step: 2, Part: -1, Lines: []int{1}})},
		"lines of no call":             {unit(1), called(2, "a", "b"), kept(KeptLines{Step: 2, Args: true, Lines: []int{1}})},
		"lines of what is shown":       {unit(1), called(2, "a", "b"), unit(3), kept(KeptLines{Step: 3, Lines: []int{0}})},
		"lines of no step":             {unit(1), called(2, "a", "b"), kept(KeptLines{Step: 9, Lines: []int{0}})},
		"lines of a stage":             {unit(1), {Edit: &Edit{Op: opStage, Lines: []KeptLines{{Step: 1, Lines: []int{-1}}}}}},
	} {
		before, err := json.Marshal(entries)
		if err != nil {
			t.Fatal(err)
		}
		if w, err := Load(entries, Budget{}, nil); !errors.Is(err, ErrDamaged) || w != nil {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := json.Marshal(entries); err != nil || string(after) != string(before) {
			t.Errorf("%s: the entries were modified", name)
		}
	}
}

// FuzzLoad reads any JSON as a log: it is refused with ErrDamaged, or is a window that works.
func FuzzLoad(f *testing.F) {
	w := window(600, Ladder)
	w.Open(Prefix{System: "s"})
	for _, m := range []transcript.Message{{Role: transcript.User, Text: "prompt"}, {Role: transcript.Assistant, Text: strings.Repeat("words ", 400)}, {Role: transcript.User, Text: "\xff"}} {
		if _, err := w.Append(m); err != nil {
			f.Fatal(err)
		}
		w.Note("status", "note")
		if _, err := w.Fit(); err != nil {
			f.Fatal(err)
		}
	}
	saved, err := json.Marshal(w.Entries(0))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(saved, uint8(0))
	f.Add(foldedLog(f), uint8(1))
	f.Add([]byte(`[{"unit":{"step":1,"messages":[{"role":"assistant","calls":[{"id":"a"}]},{"role":"tool","call_id":"a"}]}},{"edit":{"op":"cut","cuts":[{"step":1,"part":1,"args":true,"text":"{}"}]}},{"edit":{"op":"fold","steps":[1]}}]`), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, profile uint8) {
		var entries []Entry
		if json.Unmarshal(data, &entries) == nil {
			profiles := Profiles()
			loadAny(t, entries, profiles[int(profile)%len(profiles)])
		}
	})
}

// loadAny holds entries that may be anything to what Load promises, and to what every window does.
func loadAny(t *testing.T, entries []Entry, p Profile) {
	t.Helper()
	w, err := Load(entries, Budget{Limit: 600, Profile: p}, nil)
	if err != nil {
		if !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
		return
	}
	if _, err := w.Append(transcript.Message{Role: transcript.User, Text: words(300)}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Fit(); err != nil && !errors.Is(err, ErrIrreducible) {
		t.Fatal(err)
	}
	checkPairs(t, w.View())
	if err := w.ResetStage(); err != nil {
		t.Fatal(err)
	}
	checkPairs(t, w.View())
}

// foldedLog is the log of a window that folded into a record with key lines, and cut a result.
func foldedLog(f *testing.F) []byte {
	w := window(900, Lean)
	units := [][]transcript.Message{{{Role: transcript.User, Text: "prompt"}}}
	for i := range 12 {
		id := fmt.Sprint("c", i)
		units = append(units, []transcript.Message{{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: id, Name: "read", Args: json.RawMessage(`{"path":"a.go"}`)}}},
			{Role: transcript.Tool, CallID: id, Text: fmt.Sprintf("call_%d(alpha_%d)\nbeta_%d := gamma_%d\n", i, i, i, i) + words(150)}})
	}
	for _, u := range units {
		if _, err := w.Append(u[0], u[1:]...); err != nil {
			f.Fatal(err)
		}
		if _, err := w.Fit(); err != nil {
			f.Fatal(err)
		}
	}
	saved, err := json.Marshal(w.Entries(0))
	if err != nil || !strings.Contains(string(saved), `"lines":`) {
		f.Fatalf("the log wants key lines (%v): %.300s", err, saved)
	}
	return saved
}

// failing is a store that is full.
type failing struct{}

var errFull = errors.New("disk full")

func (failing) Put(string, string) error   { return errFull }
func (failing) Get(string) (string, error) { return "", ErrNoBody }

func TestFailingStoreLosesNothing(t *testing.T) {
	w := New(Budget{Limit: 2_000}, &Options{Store: failing{}})
	ask(t, w, "prompt")
	call := transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: "a", Name: "read"}}}
	if _, err := w.Append(call, transcript.Message{Role: transcript.Tool, CallID: "a", Text: words(5_000)}); !errors.Is(err, errFull) {
		t.Errorf("Append: %v", err)
	}
	if len(w.Entries(0)) != 1 || len(w.View()) != 1 {
		t.Errorf("a unit that could not be stored left %d messages", len(w.View()))
	}
	mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(3_000)})
	before := w.Usage()
	if _, err := w.Fit(); !errors.Is(err, errFull) || w.Usage() != before {
		t.Errorf("Fit: %v, %+v", err, w.Usage())
	}
}

func TestPersistedFormIsStable(t *testing.T) {
	w := window(1_500, Ladder)
	w.Open(Prefix{System: "system", Tools: []transcript.ToolSchema{{Name: "read", Schema: json.RawMessage(`{"type":"object"}`)}}})
	ask(t, w, "prompt")
	round(t, w, words(900))
	w.Note("status", "a note")
	mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: "not utf-8: \xff", ProviderData: &transcript.ProviderData{Dialect: "d", Model: "m", Tokens: 3, Data: []byte{0, 1}}})
	ask(t, w, words(700))
	mustFit(t, w)
	w.Observe(2_100)
	saved, err := json.MarshalIndent(w.Entries(0), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "log.json")
	if *update {
		if err := os.WriteFile(golden, append(saved, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(want)) != string(saved) {
		t.Error("the stored form changed; run with -update and read the difference of testdata/log.json")
	}
}

// A window that was loaded goes on as the one that was saved would have, whatever both are told afterwards. The results
// share blocks of lines, so that what is cut depends on which of them the window still knows.
func TestLoadedGoesOnAlike(t *testing.T) {
	if ostest.RaceDetector {
		t.Skip("long, and one goroutine plays it")
	}
	for seed := range uint64(48) {
		r := rand.New(rand.NewPCG(seed, 3))
		profile := Profiles()[seed%uint64(len(Profiles()))]
		w := New(Budget{Limit: 6000, Profile: profile}, &Options{ReadTool: toollimit.ReadTool})
		if _, err := w.Append(transcript.Message{Role: transcript.User, Text: "prompt", Origin: transcript.Prompt}); err != nil {
			t.Fatal(err)
		}
		for i := range 25 {
			playSharedBlocks(t, r, i, w)
		}
		loaded := reload(t, w)
		for i := range 15 {
			playSharedBlocks(t, r, 100+i, w, loaded)
			if diff := cmp.Diff(w.View(), loaded.View()); diff != "" {
				t.Fatalf("seed %d (%s), %d rounds after it was loaded:\n%s", seed, profile, i+1, diff)
			}
		}
	}
}

// playSharedBlocks does the same random round in each window: a result, and perhaps one of the controls.
func playSharedBlocks(t *testing.T, r *rand.Rand, round int, windows ...*Window) {
	t.Helper()
	var text strings.Builder
	for range 1 + r.IntN(4) {
		block := r.IntN(6)
		for line := range 12 {
			fmt.Fprintf(&text, "block %d line %d with some words to be long enough\n", block, line)
		}
	}
	call := transcript.ToolCall{ID: fmt.Sprint("c", round), Name: "read_file", Args: json.RawMessage(fmt.Sprintf(`{"path":"f%d"}`, r.IntN(30)))}
	control := r.IntN(12)
	for _, w := range windows {
		result := transcript.Message{Role: transcript.Tool, CallID: call.ID, Kind: toollimit.File, Text: text.String()}
		if _, err := w.Append(transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{call}}, result); err != nil {
			t.Fatal(err)
		}
		switch control {
		case 0, 1:
			w.Pin(2 + round/2)
		case 2:
			w.Undo(1)
		case 3:
			w.Unpin()
		case 4:
			w.Compact("line 7")
		case 5, 6:
			w.Note("status", fmt.Sprint("round ", round))
		case 7:
			w.Observe(w.Usage().Tokens * 11 / 10)
		}
		w.Fit() // what does not fit after the controls is the same in each window, too
	}
}
