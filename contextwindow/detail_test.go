package contextwindow

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// TestFileLines shows the other lines of a file that was edited, but for very long ones.
func TestFileLines(t *testing.T) {
	w := window(24_000, Lean)
	ask(t, w, "prompt")
	long := strings.Repeat("x", 450)
	text := "alpha beta\n" + long + "\n" + strings.Repeat("}\n", 3) + "gamma delta\n"
	mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: "1", Name: "read", Args: json.RawMessage(`{"path":"a.go"}`)}}}, transcript.Message{Role: transcript.Tool, CallID: "1", Kind: "file", Text: text})
	mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: "2", Name: "edit", Args: json.RawMessage(`{"path":"a.go","new_string":"q"}`)}}}, transcript.Message{Role: transcript.Tool, CallID: "2", Text: "ok"})
	for range 3 {
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(600)})
	}
	for range 4 {
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: "short"})
	}
	if c, err := w.Compact(""); err != nil || c.Level == 0 {
		t.Fatal(c, err)
	}
	record := w.view.slots[1].messages[0].Text
	if !strings.Contains(record, "gamma delta") || strings.Contains(record, long) {
		t.Errorf("record:\n%s", record)
	}
}

// TestFocusShare gives lines of the focus at most half of the room, and looks for no short words.
func TestFocusShare(t *testing.T) {
	w := window(8_000, Lean)
	w.evicted.focus = "on it boilers"
	detailsOf := func(text string) *details {
		lines, _ := w.units.names.Lines(text)
		return &details{state: w.state, list: []*detail{{id: partID{step: 1}, lines: lines}}}
	}
	if got := detailsOf("on it\nboilers").linesAbout(w.evicted.focus); len(got) != 1 || got[0] != [2]int{0, 1} {
		t.Errorf("lines %v: words of two letters count", got)
	}
	var lines []string
	for i := range 100 {
		lines = append(lines, fmt.Sprintf("boilers are here in line %d", i))
	}
	for i := range 100 {
		lines = append(lines, fmt.Sprintf("name_of_%d other_%d", i, i))
	}
	all := detailsOf(strings.Join(lines, "\n"))
	ds := all.list
	all.keyLines(600, func(int32) int { return 1 })
	focused := 0
	for _, k := range ds[0].kept {
		if k < 100 {
			focused++
		}
	}
	if focused == 0 || focused > len(ds[0].kept)*2/3 {
		t.Errorf("%d of %d lines are of the focus", focused, len(ds[0].kept))
	}
}

// TestPool lets all lines of the newest units take part, and of older ones those of the last record.
func TestPool(t *testing.T) {
	w := window(200_000, Off)
	ask(t, w, "prompt")
	var steps []int
	for n := range pool + 1 {
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: fmt.Sprint("thought ", n)})
		steps = append(steps, n+2)
	}
	ds := newDetails(w.state, steps).list
	if len(ds) != pool || ds[0].id.step != steps[1] || len(ds[0].lines.Texts) != 1 {
		t.Errorf("pool: %d parts, the first %v", len(ds), *ds[0])
	}
}
