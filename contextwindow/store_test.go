package contextwindow

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/toollimit"
)

// leave returns entries as a store returns them that leaves out all long results, and how many those are. Read is called
// before each of them is read.
func leave(t testing.TB, entries []Entry, read func() error) (with []Entry, left int) {
	t.Helper()
	saved, err := json.Marshal(entries)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(saved, &with); err != nil {
		t.Fatal(err)
	}
	for _, e := range with {
		if e.Unit == nil {
			continue
		}
		for i := range e.Unit.Messages {
			text := e.Unit.Messages[i].Text
			if len(text) < LongResult || !e.Unit.CanLeave(i) {
				continue
			}
			if left++; e.Unit.Left == nil {
				e.Unit.Left = make(map[int]LeftText)
			}
			e.Unit.Messages[i].Text = ""
			e.Unit.Left[i] = LeftText{len(text), sha256.Sum256([]byte(text)), func() (string, error) { return text, read() }}
		}
	}
	return with, left
}

// loadLeft checks that the log of a window whose long results are elsewhere gives the same bytes and the same state.
func loadLeft(t testing.TB, w *Window) *Window {
	t.Helper()
	entries, _ := leave(t, w.Entries(0), func() error { return nil })
	loaded, err := Load(entries, w.budget, &w.options)
	if err != nil {
		t.Fatal(err)
	}
	if was, is := w.View(), loaded.View(); !reflect.DeepEqual(was, is) {
		t.Fatalf("the view without long texts differs:\n%s", cmp.Diff(was, is))
	}
	if w.Usage() != loaded.Usage() {
		t.Fatalf("the usage without long texts differs: %+v, %+v", w.Usage(), loaded.Usage())
	}
	if was, is := w.Explain(), loaded.Explain(); !reflect.DeepEqual(was.Tools, is.Tools) {
		t.Fatalf("the explanation differs:\n%s", cmp.Diff(was.Tools, is.Tools))
	}
	return loaded
}

// playLong does a random round with long results of shared blocks in each window.
func playLong(t *testing.T, r *rand.Rand, round int, windows ...*Window) {
	t.Helper()
	head := transcript.Message{Role: transcript.Assistant}
	if r.IntN(3) == 0 {
		head.ProviderData = &transcript.ProviderData{Dialect: "d", Model: "m", Tokens: 20, Data: []byte{1, byte(round)}}
	}
	var results []transcript.Message
	for i := range 1 + r.IntN(3) {
		var text strings.Builder
		for range r.IntN(5) {
			block := r.IntN(9)
			for line := range 120 {
				fmt.Fprintf(&text, "func Do%dx%d(v int) error { return call%d(v, /src/file%d.go) }\n", block, line, line, block)
			}
		}
		id := fmt.Sprintf("c%d_%d", round, i)
		args := json.RawMessage(fmt.Sprintf(`{"path":"f%d"}`, r.IntN(30)))
		head.Calls = append(head.Calls, transcript.ToolCall{ID: id, Name: "read_file", Args: args})
		results = append(results, transcript.Message{Role: transcript.Tool, CallID: id, Kind: toollimit.File, Text: text.String(), Failed: r.IntN(9) == 0})
	}
	control, step := r.IntN(12), r.IntN(round+2)
	for _, w := range windows {
		if _, err := w.Append(head, results...); err != nil {
			t.Fatal(err)
		}
		switch control {
		case 0, 1:
			_ = w.Pin(2 + step) // the same error in each
		case 2:
			w.Undo(1)
		case 3:
			w.Unpin()
		case 4:
			_, _ = w.Compact("line 7")
		case 5:
			w.Note("status", fmt.Sprint("round ", round))
		case 6:
			w.Observe(w.Usage().Tokens * 11 / 10)
		}
		_, _ = w.Fit()
	}
}

// Rule: a window whose long results were left in a store shows the same bytes, continues with the same bytes, and writes
// the same log as one that has them.
func TestLeftTextsChangeNothing(t *testing.T) {
	if ostest.RaceDetector {
		t.Skip("long, and one goroutine plays it")
	}
	left := 0
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 3))
		profile := Profiles()[seed%uint64(len(Profiles()))]
		limit := 6_000 * (1 + r.IntN(5))
		w := New(Budget{Limit: limit, Profile: profile}, &Options{ReadTool: toollimit.ReadTool})
		if _, err := w.Append(transcript.Message{Role: transcript.User, Text: "prompt", Origin: transcript.Prompt}); err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			playLong(t, r, i, w)
		}
		_, n := leave(t, w.Entries(0), func() error { return nil })
		left += n
		w.options.Store = newMapStore()
		loaded := loadLeft(t, w)
		whole, err := Load(w.Entries(0), w.budget, &w.options)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			playLong(t, r, 100+i, whole, loaded)
			if diff := cmp.Diff(whole.View(), loaded.View()); diff != "" {
				t.Fatalf("seed %d (%s), %d rounds after it was loaded:\n%s", seed, profile, i+1, diff)
			}
		}
		was, _ := json.Marshal(whole.Entries(len(w.Entries(0))))
		is, _ := json.Marshal(loaded.Entries(len(w.Entries(0))))
		if string(was) != string(is) {
			t.Fatalf("seed %d (%s): the logs differ", seed, profile)
		}
	}
	if left < 100 {
		t.Errorf("only %d texts were left: the test proves little", left)
	}
}

// Rule: opening a window reads only what it shows; a text that cannot be read ends the next Fit, and writes nothing.
func TestLeftTextIsReadLate(t *testing.T) {
	w := New(Budget{Limit: 6_000}, &Options{ReadTool: toollimit.ReadTool})
	if _, err := w.Append(transcript.Message{Role: transcript.User, Text: "prompt", Origin: transcript.Prompt}); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("func Do(v int) error { return call(v, /src/file.go) }\n", 600)
	for i := range 150 {
		call := transcript.ToolCall{ID: fmt.Sprint("c", i), Name: "read", Args: json.RawMessage(fmt.Sprintf(`{"n":%d}`, i))}
		result := transcript.Message{Role: transcript.Tool, CallID: call.ID, Text: fmt.Sprint(i, "\n", long)}
		if _, err := w.Append(transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{call}}, result); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Fit(); err != nil {
			t.Fatal(err)
		}
	}
	reads, broken := 0, error(nil)
	entries, left := leave(t, w.Entries(0), func() error { reads++; return broken })
	loaded, err := Load(entries, w.budget, &Options{ReadTool: toollimit.ReadTool})
	if err != nil || left != 150 || reads > len(w.view.slots) {
		t.Fatalf("%d of %d texts were read to open the window: %v", reads, left, err)
	}
	reader := loaded.Reader()
	if text, err := reader.Read(toollimit.Reading{ID: "s2.1"}); err != nil || !strings.Contains(text, "func Do") {
		t.Errorf("an evicted text: %q, %v", text, err)
	}
	broken = errors.New("the disk is gone")
	if _, err := reader.Read(toollimit.Reading{ID: "s3.1"}); !errors.Is(err, broken) {
		t.Errorf("an evicted text that cannot be read: %v", err)
	}
	written := len(loaded.Entries(0))
	if _, err := loaded.Compact(""); !errors.Is(err, broken) || !strings.Contains(err.Error(), "the text of s") {
		t.Errorf("a compaction without a text: %v", err)
	}
	if _, err := loaded.Fit(); !errors.Is(err, broken) || len(loaded.Entries(0)) != written {
		t.Errorf("it wrote %d entries: %v", len(loaded.Entries(0))-written, err)
	}
	if _, err := Load(entries, w.budget, nil); !errors.Is(err, broken) {
		t.Errorf("a window that shows a text that cannot be read: %v", err)
	}
}
