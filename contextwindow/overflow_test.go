package contextwindow

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
)

func TestRungs(t *testing.T) {
	arguments := func(n, tokens int) (transcript.Message, []transcript.Message) {
		head := transcript.Message{Role: transcript.Assistant}
		var results []transcript.Message
		for i := range n {
			id := fmt.Sprint("c", i)
			args, err := json.Marshal(map[string]string{"path": id + ".go", "content": words(tokens)})
			if err != nil {
				t.Fatal(err)
			}
			head.Calls = append(head.Calls, transcript.ToolCall{ID: id, Name: "write", Args: args})
			results = append(results, transcript.Message{Role: transcript.Tool, CallID: id, Text: "ok"})
		}
		return head, results
	}
	for name, c := range map[string]struct {
		limit  int
		fill   func(w *Window)
		last   string // step of the ladder that is enough
		stands string // in the view afterwards
	}{
		"5: a large wish of the user": {2_000, func(w *Window) {
			mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: "what else?"})
			ask(t, w, "the wish: "+words(4_000))
		}, "overflow 5", "id=s3.0]"},
		"4: a large text": {2_000, func(w *Window) {
			mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: "the thought: " + words(4_000)})
		}, "overflow 4", "id=s2.0]"},
		"4: large arguments": {2_000, func(w *Window) {
			head, results := arguments(2, 1_500)
			mustAppend(t, w, head, results...)
		}, "overflow 4", ""},
		"6: the rounds before the newest": {2_500, func(w *Window) {
			mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(390)})
			head, results := arguments(8, 300)
			mustAppend(t, w, head, results...)
		}, "overflow 6", "<record>"},
		"6: many arguments": {1_500, func(w *Window) {
			head, results := arguments(10, 300)
			mustAppend(t, w, head, results...)
		}, "overflow 6", ""},
		"7: a flood of wishes": {700, func(w *Window) {
			for i := range 200 {
				ask(t, w, fmt.Sprintf("wish %d of many", i))
			}
		}, "overflow 7", "wish 199"},
	} {
		w := window(c.limit, Off)
		ask(t, w, "prompt")
		c.fill(w)
		newest := w.units.list[len(w.units.list)-1].Messages[0]
		comp := mustFit(t, w)
		if len(comp.Steps) == 0 || comp.Steps[len(comp.Steps)-1] != c.last {
			t.Errorf("%s: %v", name, comp.Steps)
		}
		if !strings.Contains(shown(w), c.stands) {
			t.Errorf("%s: no %q in\n%s", name, c.stands, outline(w))
		}
		if at := slices.IndexFunc(w.View(), func(m transcript.Message) bool {
			return len(m.Calls) == len(newest.Calls) && m.Role == transcript.Assistant
		}); len(newest.Calls) > 0 {
			if at < 0 {
				t.Errorf("%s: the newest round left the view:\n%s", name, outline(w))
				continue
			}
			for _, call := range w.View()[at].Calls {
				var args map[string]string
				if err := json.Unmarshal(call.Args, &args); err != nil || args["path"] == "" || args["content"] == "" {
					t.Errorf("%s: arguments %.80s: %v", name, call.Args, err)
				}
			}
		}
	}
}

// TestTheNewestIsNeverNothing has an agent write a text and arguments that exceed the budget by far: the newest result
// and the newest user message keep leastNewest.
func TestTheNewestIsNeverNothing(t *testing.T) {
	for _, limit := range []int{4_000, 8_000, 16_000} {
		for _, profile := range []Profile{Lean, Ladder, Off} {
			for _, written := range []int{limit / 2, limit, 3 * limit} {
				w := window(limit, profile)
				ask(t, w, "prompt")
				for range 4 {
					round(t, w, words(limit/6))
				}
				args, err := json.Marshal(map[string]string{"path": "a.go", "content": words(written)})
				if err != nil {
					t.Fatal(err)
				}
				result := numbered("name", 60)
				mustAppend(t, w, transcript.Message{Role: transcript.Assistant, Text: words(written), Calls: []transcript.ToolCall{{ID: "c", Name: "write", Args: args}}},
					transcript.Message{Role: transcript.Tool, CallID: "c", Text: result})
				first := w.view.slots[len(w.view.slots)-1].sizes[1]
				ask(t, w, words(500))
				mustFit(t, w)
				slots := w.view.slots
				newest, user := slots[len(slots)-2], slots[len(slots)-1]
				if got := newest.sizes[1]; got < min(leastNewest, first)*9/10 {
					t.Errorf("%s, %d, %d tokens written: %d of the result's %d tokens left", profile, limit, written, got, first)
				}
				if got := user.sizes[0]; got < leastNewest*9/10 || user.messages[0].Role != transcript.User {
					t.Errorf("%s, %d, %d tokens written: %d of the user's 500 tokens left:\n%s", profile, limit, written, got, outline(w))
				}
			}
		}
	}
}

func TestRecordGoesLast(t *testing.T) {
	w := window(4_000, Off)
	ask(t, w, "prompt")
	round(t, w, words(500))
	w.Note("status", "a note")
	foldAll(t, w)
	e := dropDigest(w.state, 0)
	f := begin(w)
	if err := f.take("overflow 7", e); err != nil || e == nil {
		t.Fatal(e, err)
	}
	if view := w.View(); len(view) != 1 || view[0].Text != "prompt" || w.meter.used != view[0].Tokens() {
		t.Errorf("left:\n%s", outline(w))
	}
	if dropDigest(w.state, 0) != nil {
		t.Error("a record is dropped that is not there")
	}
}

// TestFixedPartsThatFitAreSent tries prompts that leave next to nothing of the budget, under any calibration: as long as
// they fit, there is a request.
func TestFixedPartsThatFitAreSent(t *testing.T) {
	for _, counted := range []int{0, 3, 12} {
		for left := 1; left < 140; left += 3 {
			w := window(6_000, Off)
			ask(t, w, words(3_000))
			for range counted {
				w.Observe(w.meter.used * 5 / 3)
			}
			ask(t, w, "wish "+words(300))
			w.Note("status", words(60))
			fixed := w.meter.calibrated(w.prefixTokens + w.promptTokens)
			w.write(Entry{Edit: &Edit{Op: opLimit, Limit: fixed + left}})
			if _, err := w.Fit(); err != nil {
				t.Errorf("%d tokens left beside the prompt, ratio %.2f: %v", left, w.meter.ratio, err)
			}
			w.write(Entry{Edit: &Edit{Op: opLimit, Limit: fixed - 1}})
			if _, err := w.Fit(); !errors.Is(err, ErrIrreducible) {
				t.Errorf("a prompt one token over the budget: %v", err)
			}
		}
	}
}

// TestShortenedArgumentsKeepTheirShape holds what stays of arguments to their schema.
func TestShortenedArgumentsKeepTheirShape(t *testing.T) {
	long := strings.Repeat("words of a text ", 300)
	key := strings.Repeat("a_long_key_", 100)
	for _, args := range []string{
		`{"` + key + `":"` + long + `"}`,
		`{"` + key + `" ` + "\n\t" + `: "` + long + `", "n": 12.50, "ok": true, "none": null}`,
		`{"list":["` + long + `","short",{"` + key + `":["` + long + `"]}]}`,
		`{"quoted \" ` + key + `":"a \" quote \\ ` + long + `"}`,
		`{"path":"a/b.go","text":"` + strings.Repeat("压缩", 2_000) + `"}`,
	} {
		for _, tokens := range []int{600, 900} {
			short := truncateArguments(args, tokens, "s1.1a")
			if len(short) >= len(args) || !json.Valid([]byte(short)) || !strings.Contains(short, "s1.1a") {
				t.Errorf("%d of %d bytes: %.200s", len(short), len(args), short)
			}
			if got, want := shape(t, short), shape(t, args); got != want {
				t.Errorf("shape %.300s, want %.300s", got, want)
			}
		}
		if got := truncateArguments(args, 1, "s1.1a"); got != `{"_cut":"s1.1a"}` {
			t.Errorf("without room: %.200s", got)
		}
	}
	if small := `{"path":"a/b.go"}`; truncateArguments(small, 100, "s1.1a") != small {
		t.Errorf("%s became %s", small, truncateArguments(small, 100, "s1.1a"))
	}
}

// shape is a JSON text with all its strings of values taken out.
func shape(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	var blank func(v any) any
	blank = func(v any) any {
		switch v := v.(type) {
		case string:
			return ""
		case []any:
			for i := range v {
				v[i] = blank(v[i])
			}
		case map[string]any:
			for k := range v {
				v[k] = blank(v[k])
			}
		}
		return v
	}
	out, err := json.Marshal(blank(v))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
