package contextwindow

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/toollimit"
)

var repeatMarks = regexp.MustCompile(`(?m)^\[… lines (\d+)-(\d+) repeat (lines (\d+)-(\d+) of|the arguments of) (this call|s(\d+)\.(\d+)).*, above: from ".*" to ".*"(?:; whole text: read_working_memory id=s\d+\.\d+)?\]$`)

// barely is a line without a number or a path before it.
func barely(line string) string {
	line = regexp.MustCompile(`^(\S+\.go:)?\s*\d+(│ ?|\t|:)`).ReplaceAllString(line, "")
	return strings.TrimRight(line, " \t\r")
}

// followMarks resolves each mark in the view: both ranges are those of the stored texts, and the view shows the lines
// of the other text. After an undo, that text may have marks again.
func followMarks(t *testing.T, w *Window, undone bool) (marks int) {
	t.Helper()
	for _, sl := range w.view.slots {
		for n := range sl.messages {
			if sl.step == 0 || n == 0 {
				continue
			}
			for _, m := range repeatMarks.FindAllStringSubmatch(sl.messages[n].Text, -1) {
				marks++
				first, last := number(t, m[1]), number(t, m[2])
				lines := strings.Split(w.units.at(sl.step).Messages[n].Text, "\n")[first-1 : last]
				other := partID{step: sl.step, part: n, args: true}
				if m[6] != "this call" {
					other = partID{number(t, m[7]), number(t, m[8]), m[4] == ""}
				}
				at := w.view.find(other.step)
				if at < 0 {
					t.Fatalf("%s: the unit is not in the view", m[0])
				}
				stored, shown := w.units.at(other.step).text(other), w.view.slots[at].messages[other.message()].Text
				if other.args {
					stored = argumentText(json.RawMessage(stored))
					shown = argumentText(w.view.slots[at].messages[0].Calls[other.part-1].Args)
				} else {
					stored = strings.Join(strings.Split(stored, "\n")[number(t, m[4])-1:number(t, m[5])], "\n")
				}
				for i, line := range lines {
					if !undone && !strings.Contains(shown, barely(line)) {
						t.Fatalf("%s\nline %q is not shown in\n%s", m[0], barely(line), shown)
					}
					if other.args {
						continue
					}
					if got := strings.Split(stored, "\n")[i]; barely(got) != barely(line) {
						t.Fatalf("%s\nline %q is %q there", m[0], line, got)
					}
				}
			}
		}
	}
	return marks
}

// TestMarksAreTrue has an agent write, read and search a few files again and again, through compactions, pins, undo and
// loading, and resolves every mark of every request.
func TestMarksAreTrue(t *testing.T) {
	if ostest.RaceDetector {
		t.Skip("one goroutine plays thousands of operations")
	}
	marks, recuts := 0, 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := window([]int{3_000, 6_000, 12_000, 24_000}[r.IntN(4)], []Profile{Lean, Cheap, Wide}[r.IntN(3)])
		ask(t, w, "prompt")
		undone := false
		files := make([][]string, 3)
		for i := range files {
			files[i] = strings.Split(strings.TrimSuffix(numbered(fmt.Sprint("name", i), 80), "\n"), "\n")
		}
		for range 60 {
			work(t, w, r, files)
			if r.IntN(4) > 0 {
				continue
			}
			if mustFit(t, w).Level > 1 {
				undone = false
			}
			marks += followMarks(t, w, undone)
			switch r.IntN(12) {
			case 0:
				w.Undo(1)
				undone = true
				followMarks(t, w, undone)
			case 1:
				if _, err := w.Compact(""); err != nil {
					t.Fatal(err)
				}
				followMarks(t, w, undone)
			case 2:
				loaded, err := Load(w.Entries(0), w.Budget(), nil)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(w.View(), loaded.View()); diff != "" {
					t.Fatal(diff)
				}
				w = loaded
			}
		}
		for _, e := range w.Entries(0) {
			if e.Edit != nil && e.Edit.Op == opEvict {
				recuts += len(e.Edit.Truncations)
			}
		}
	}
	if marks < 1_000 || recuts < 20 {
		t.Errorf("%d marks were followed, %d results shown anew", marks, recuts)
	}
}

// work appends a turn that reads, searches or writes a file.
func work(t *testing.T, w *Window, r *rand.Rand, files [][]string) {
	t.Helper()
	k := r.IntN(len(files))
	path, lines := fmt.Sprintf("f%d.go", k), files[k]
	from := r.IntN(len(lines) - 10)
	to := min(from+10+r.IntN(60), len(lines))
	var b strings.Builder
	args, kind := map[string]any{"path": path, "from": from, "to": to}, toollimit.File
	switch r.IntN(5) {
	case 0:
		for i, line := range lines[from:to] {
			fmt.Fprintf(&b, "%5d│ %s\n", from+i+1, line)
		}
	case 1:
		for i, line := range lines[from:to] {
			fmt.Fprintf(&b, "%s:%d:%s\n", path, from+i+1, line)
		}
		args, kind = map[string]any{"command": "grep -n name " + path}, toollimit.Output
	case 2:
		for i := from; i < from+3; i++ {
			lines[i] = fmt.Sprintf("changed_%d_%d := compute(%d)", i, r.IntN(100), i)
		}
		text := strings.Join(lines[from:to], "\n")
		args, kind = map[string]any{"path": path, "new_string": text}, toollimit.Text
		b.WriteString("[File changed]\n" + text + "\n")
	default:
		b.WriteString("[" + path + "]\n" + strings.Join(lines[from:to], "\n"))
	}
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	id := fmt.Sprintf("r%d", len(w.units.list))
	mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{{ID: id, Name: "work", Args: raw}}},
		transcript.Message{Role: transcript.Tool, CallID: id, Kind: kind, Text: b.String()})
}

// TestWholeAgainWhenTheOriginalGoes evicts what a mark names: the result is shown anew, and the same after loading even if
// it was not UTF-8.
func TestWholeAgainWhenTheOriginalGoes(t *testing.T) {
	w := window(24_000, Lean)
	ask(t, w, "prompt")
	text := numbered("name", 60)
	read(t, w, "a.go", text, false)
	for i := range 5 {
		read(t, w, fmt.Sprint("b", i), numbered(fmt.Sprint("b", i), 60), false)
	}
	read(t, w, "c.go", "head \xff\n"+text, false)
	if followMarks(t, w, false) != 1 {
		t.Fatalf("not one mark:\n%s", shown(w))
	}
	if _, err := w.Compact(""); err != nil {
		t.Fatal(err)
	}
	view := w.View()
	if last := view[len(view)-1].Text; last != "head \ufffd\n"+text {
		t.Errorf("after the original is gone, the result is %q", last)
	}
	if slices.ContainsFunc(view, func(m transcript.Message) bool { return strings.Contains(m.Text, "repeat lines") }) {
		t.Errorf("a mark without its original:\n%s", shown(w))
	}
	reload(t, w)
}
