package contextwindow

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

var update = flag.Bool("update", false, "rewrite what the cases of testdata want")

// TestLadder plays the cases of testdata/*.txtar: "in" is what happens, a line each, "want" the view afterwards, and
// "log" what the compactions say.
//
//	budget 8000 seed       limit and profile
//	history N, answer N    a turn from before the prompt, of so many tokens
//	user TEXT | text N     a message of the user, of the assistant with so many tokens
//	round N...             calls with results of so many tokens; "!" before a number: it failed
//	read PATH N            a call that reads a file of so many lines, each its own
//	submit TITLE           a submission that is accepted
//	note KIND TEXT, fit, shrink N, reset, stage
func TestLadder(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			w := play(t, string(section(archive, "in")))
			want, log := outline(w), logOf(w)
			if *update {
				setSection(archive, "want", want)
				setSection(archive, "log", log)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got := string(section(archive, "want")); got != want {
				t.Errorf("want:\n%s\ngot:\n%s", got, want)
			}
			if got := string(section(archive, "log")); got != log {
				t.Errorf("want log:\n%s\ngot log:\n%s", got, log)
			}
		})
	}
}

func section(a *txtar.Archive, name string) []byte {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

func setSection(a *txtar.Archive, name, data string) {
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = []byte(data)
			return
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(data)})
}

func play(t *testing.T, in string) *Window {
	t.Helper()
	w := window(8_000, Ladder)
	for line := range strings.Lines(in) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		rest := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), fields[0]))
		switch fields[0] {
		case "budget":
			w = window(number(t, fields[1]), Profile(fields[2]))
		case "history":
			mustAppend(t, w, transcript.Message{Role: transcript.User, Text: words(number(t, rest)), Origin: transcript.History})
		case "answer":
			mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(number(t, rest)), Origin: transcript.History})
		case "user":
			ask(t, w, rest)
		case "text":
			mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(number(t, rest))})
		case "round":
			playRound(t, w, fields[1:])
		case "read":
			read(t, w, fields[1], numbered(strings.TrimSuffix(fields[1], ".go"), number(t, fields[2])), false)
		case "submit":
			submit(t, w, rest, false)
		case "note":
			w.Note(fields[1], strings.TrimSpace(strings.TrimPrefix(rest, fields[1])))
		case "fit":
			mustFit(t, w)
		case "shrink":
			if _, err := w.Shrink(number(t, rest)); err != nil {
				t.Fatal(err)
			}
		case "reset":
			if err := w.ResetToPrompt(); err != nil {
				t.Fatal(err)
			}
		case "stage":
			if err := w.ResetStage(); err != nil {
				t.Fatal(err)
			}
		default:
			t.Fatalf("unknown line %q", line)
		}
	}
	return w
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func playRound(t *testing.T, w *Window, sizes []string) {
	t.Helper()
	head := transcript.Message{Role: transcript.Assistant}
	var results []transcript.Message
	for i, size := range sizes {
		digits, failed := strings.CutPrefix(size, "!")
		id := fmt.Sprintf("c%d.%d", len(w.units.list)+1, i+1)
		args := json.RawMessage(fmt.Sprintf(`{"path":"f%d.go"}`, len(w.units.list)+1))
		head.Calls = append(head.Calls, transcript.ToolCall{ID: id, Name: "read", Args: args})
		results = append(results, transcript.Message{Role: transcript.Tool, CallID: id, Kind: toollimit.File, Failed: failed, Text: words(number(t, digits))})
	}
	mustAppend(t, w, head, results...)
}

// outline tells a view, a message a line: role, size in tokens, calls, and its text, in full where the runtime wrote it.
func outline(w *Window) string {
	var b strings.Builder
	for _, m := range w.View() {
		fmt.Fprintf(&b, "%-9s %4d", m.Role, m.Tokens())
		for _, c := range m.Calls {
			b.WriteString(" " + c.ID)
		}
		text, note, noted := strings.Cut(m.Text, "\n\n<note")
		if m.Origin != transcript.Runtime {
			lines := strings.Split(text, "\n")
			text = lines[0]
			for _, l := range lines[1:] {
				if strings.Contains(l, "[…") {
					text += " " + l
				}
			}
		}
		if noted {
			text += " <note" + strings.ReplaceAll(note, "\n", " ")
		}
		b.WriteString(strings.TrimRight(" "+strings.TrimPrefix(m.CallID+" ", " ")+text, " \n") + "\n")
	}
	return b.String()
}

func logOf(w *Window) string {
	var b strings.Builder
	for _, c := range w.Compactions() {
		fmt.Fprintln(&b, c)
	}
	return b.String()
}
