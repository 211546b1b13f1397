package contextwindow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// TestEveryPathKeepsTheTitles submits ten items and takes each path that evicts them: the view still lists all titles.
func TestEveryPathKeepsTheTitles(t *testing.T) {
	paths := map[string]func(*Window) error{
		"automatic": func(w *Window) error { _, err := w.Fit(); return err },
		"compact":   func(w *Window) error { _, err := w.Compact(""); return err },
		"reset":     (*Window).ResetToPrompt,
		"stage":     (*Window).ResetStage,
	}
	for name, path := range paths {
		for _, profile := range []Profile{Lean, Cheap, Wide, Ladder} {
			for _, limit := range []int{2_662, 5_324, 12_000, 24_000} {
				w := window(limit, profile)
				ask(t, w, "prompt")
				for n := range 10 {
					submit(t, w, fmt.Sprintf("Retry of request %d has no upper bound", n), n == 9)
				}
				for w.Usage().Share() < .97 && name == "automatic" || w.pace.turns < 16 {
					round(t, w, words(limit/40))
				}
				if err := path(w); err != nil {
					t.Fatalf("%s, %s at %d: %v", name, profile, limit, err)
				}
				ask(t, w, "and now?")
				view := shown(w)
				for _, m := range w.View() {
					for _, call := range m.Calls {
						view += string(call.Args)
					}
				}
				for n := range 9 {
					if title := fmt.Sprintf("Retry of request %d has", n); !strings.Contains(view, title) {
						t.Errorf("%s, %s at %d: %q is gone from\n%.600s", name, profile, limit, title, view)
						break
					}
				}
				if all := w.Submitted(); len(all) != 9 || all[8].Title != "Retry of request 8 has no upper bound" ||
					all[8].Step != 10 || all[8].ID != "s10.1" {
					t.Errorf("%s, %s at %d: submitted %+v", name, profile, limit, all)
				}
			}
		}
	}
}

func TestWhatCountsAsSubmitted(t *testing.T) {
	for _, c := range []struct {
		tool, args string
		kind       toollimit.Kind
		result     string
		failed     bool
		want       string
	}{
		{"submit_knowledge", `{"title":"A"}`, toollimit.JSON, `{"id":"k1","status":"ok"}`, false, "A"},
		{"submit_with_check", `{"category":"errors"}`, toollimit.JSON, `{"success":true}`, false, "errors"},
		{"submit_with_check", `{}`, toollimit.Text, "saved", false, "submit_with_check"},
		{"submit_with_check", `{"item":{"title":"B"},"category":"errors"}`, toollimit.Text, "saved", false, "B"},
		{"hand_in", `{"title":"C"}`, toollimit.JSON, `{"accepted":true,"report":{"found":true}}`, false, "C"},
		{"hand_in", `{"title":"C"}`, toollimit.JSON, `{"status":"Accepted"}`, false, "C"},
		{"hand_in", `{"title":"C"}`, toollimit.Receipt, "status: done", false, "C"},
		{"hand_in", `{"title":"C"}`, toollimit.Receipt, "status: duplicate\nreason: known", false, ""},
		{"hand_in", `{"title":"C"}`, toollimit.JSON, `{"title":"C","matches":[]}`, false, ""},
		{"submit_knowledge", `{"title":"A"}`, toollimit.JSON, `{"accepted":false,"reason":"too vague"}`, false, ""},
		{"submit_knowledge", `{"title":"A"}`, toollimit.JSON, `{"duplicate":true,"id":"k1"}`, false, ""},
		{"submit_knowledge", `{"title":"A"}`, toollimit.JSON, `{"status":"rejected"}`, false, ""},
		{"submit_knowledge", `{"title":"A"}`, toollimit.Error, "no such category", true, ""},
		{"read", `{"path":"a.go","title":"x"}`, toollimit.Text, `{"accepted":true}`, false, ""},
	} {
		w := window(8_000, Lean)
		ask(t, w, "prompt")
		call := transcript.ToolCall{ID: "c", Name: c.tool, Args: json.RawMessage(c.args)}
		mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{call}},
			transcript.Message{Role: transcript.Tool, CallID: "c", Kind: c.kind, Failed: c.failed, Text: c.result})
		got := ""
		for _, s := range w.Submitted() {
			got += s.Title
		}
		if got != c.want {
			t.Errorf("%s %s %q: submitted %q, want %q", c.tool, c.args, c.result, got, c.want)
		}
	}
}

// TestTitlesAreShortenedBeforeAnyIsLeftOut gives the list less and less room.
func TestTitlesAreShortenedBeforeAnyIsLeftOut(t *testing.T) {
	var l ledger
	for n := range 30 {
		l.addFact(Fact{FactSubmitted, fmt.Sprintf("%d %s", n, strings.Repeat("word ", 20))})
	}
	for room := 1_200; room > 0; room -= 50 {
		text := submittedLine(&l, room)
		if tokens := toollimit.Tokens(text); tokens > room {
			t.Fatalf("%d tokens in a room of %d: %s", tokens, room, text)
		}
		titles := strings.Count(text, ";") + 1
		if cut := strings.Contains(text, "more"); cut == (titles == 30) && text != "" ||
			cut && strings.Contains(text, strings.Repeat("word ", 9)) {
			t.Errorf("room %d, %d titles: %s", room, titles, text)
		}
	}
}

func TestCompactionsAreLogged(t *testing.T) {
	var log bytes.Buffer
	w := New(Budget{Limit: 4_000, Profile: Lean}, &Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	ask(t, w, "prompt")
	for w.Usage().Share() < .95 {
		round(t, w, words(200))
	}
	if _, err := w.Preview(); err != nil || log.Len() > 0 {
		t.Fatalf("a preview logs %q, error %v", log.String(), err)
	}
	c := mustFit(t, w)
	want := fmt.Sprintf("level=INFO msg=\"context window compacted\" level=%d steps=%v before=%d after=%d",
		c.Level, c.Steps, c.Before, c.After)
	if lines := strings.Split(strings.TrimSpace(log.String()), "\n"); !strings.Contains(lines[0], want) ||
		slices.Contains(lines, "") || len(lines) != 1 {
		t.Errorf("logged %q, want %q", lines, want)
	}
}
