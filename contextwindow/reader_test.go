package contextwindow

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/toollimit"
)

// again appends a turn that reads a text again, as the tool of an agent does, and returns what the view shows of it.
func again(t *testing.T, w *Window, reading toollimit.Reading) string {
	t.Helper()
	text, err := w.Reader().Read(reading)
	if err != nil {
		t.Fatal(err)
	}
	id := fmt.Sprint("again", len(w.Entries(0)))
	call := transcript.ToolCall{ID: id, Name: toollimit.ReadTool, Args: []byte(`{"id":"` + reading.ID + `"}`)}
	result := transcript.Message{Role: transcript.Tool, CallID: id, Kind: toollimit.Excerpt, Text: text}
	a, err := w.Append(transcript.Message{Role: transcript.Assistant, Calls: []transcript.ToolCall{call}}, result)
	if err != nil {
		t.Fatal(err)
	}
	return a.Messages[1].Text
}

// TestExcerptsKeepTheirID reads a text again until it was evicted: no request and no body ever has another id for it.
func TestExcerptsKeepTheirID(t *testing.T) {
	if ostest.RaceDetector {
		t.Skip("long, and one goroutine plays it")
	}
	for _, profile := range Profiles() {
		w := window(6_000, profile)
		store := w.options.Store.(*mapStore)
		ask(t, w, "prompt")
		round(t, w, numbered("alpha", 400)) // step 2
		round(t, w, numbered("beta", 400))
		mustFit(t, w)
		shown := ""
		for range 30 {
			shown += again(t, w, toollimit.Reading{ID: "s2.1"})
			mustFit(t, w)
			for _, m := range w.View() {
				if strings.Contains(m.Text, "id=s4.") || strings.Contains(m.Text, "\ns4.1 ") {
					t.Fatalf("%s: an excerpt under an id of its own:\n%s", profile, m.Text)
				}
			}
			w = reload(t, w)
			w.options.Store = store
		}
		for id, body := range store.bodies {
			if e, _ := toollimit.ReadOn(body); e.ID != "" {
				t.Errorf("%s: an excerpt is stored as %s", profile, id)
			}
		}
		for _, line := range []string{"; next: start_line=", "; end of s2.1]", "[end of s2.1: line "} {
			if !strings.Contains(shown, line) {
				t.Errorf("%s: no %q in thirty readings", profile, line)
			}
		}
	}
}

// TestReaderFits checks the room of an excerpt: half of what is free, from 256 to 10,000 tokens.
func TestReaderFits(t *testing.T) {
	for _, c := range []struct{ limit, used, least, most int }{
		{8_000, 0, 3_200, 3_600}, {8_000, 4_000, 1_100, 1_600}, {8_000, 6_900, 150, 256}, {200_000, 0, 9_500, 10_000},
	} {
		w := window(c.limit, Lean)
		ask(t, w, "prompt "+words(c.used))
		if err := w.options.Store.Put("s9.9", numbered("line", 9_000)); err != nil {
			t.Fatal(err)
		}
		text, err := w.Reader().Read(toollimit.Reading{ID: "s9.9"})
		if n := toollimit.Tokens(text); err != nil || n < c.least || n > c.most {
			t.Errorf("%+v, %d used: %d tokens, %v", c, w.Usage().Tokens, n, err)
		}
	}
}

// TestPointersNameNoMissingTool shortens under every profile without the tool: no request names it.
func TestPointersNameNoMissingTool(t *testing.T) {
	for _, profile := range Profiles() {
		for _, offered := range []bool{false, true} {
			w := New(Budget{Limit: 6_000, Profile: profile}, nil)
			if offered {
				w.Open(Prefix{Tools: []transcript.ToolSchema{{Name: toollimit.ReadTool, Schema: []byte(`{"type":"object"}`)}}})
			}
			ask(t, w, "prompt")
			named := false
			for i := range 12 {
				round(t, w, numbered(fmt.Sprint("file", i%3), 200))
				mustFit(t, w)
				for _, m := range w.View() {
					named = named || strings.Contains(m.Text, toollimit.ReadTool)
				}
			}
			if named != offered {
				t.Errorf("%s: offered %t, named %t", profile, offered, named)
			}
		}
	}
}

// TestReaderOfAConversation: what was shortened before the run began has other ids, which the window does not know.
func TestReaderOfAConversation(t *testing.T) {
	w := window(6_000, Lean)
	mustAppend(t, w, transcript.Message{Role: transcript.User, Text: "[… whole text: read_it id=x629e7d4ef432]", Origin: transcript.History})
	answer(t, w, "Yes.")
	ask(t, w, "prompt")
	_, err := w.Reader().Read(toollimit.Reading{ID: "s7.1"})
	var problem interface{ Problem() (code, try string) }
	if !errors.As(err, &problem) || strings.Contains(err.Error(), "shortened so far") {
		t.Fatal(err)
	}
	if _, try := problem.Problem(); strings.Contains(try, "whole") {
		t.Error(try)
	}
}

func TestReaderExplainsMissingTexts(t *testing.T) {
	w := window(6_000, Lean)
	ask(t, w, "prompt")
	if _, err := w.Reader().Read(toollimit.Reading{ID: "s7.1"}); !errors.Is(err, ErrNoBody) || !strings.Contains(err.Error(), "nothing was shortened so far") {
		t.Error(err)
	}
	round(t, w, numbered("alpha", 900))
	again(t, w, toollimit.Reading{ID: " [s2.1] "})
	w.options.Store.(*mapStore).bodies = map[string]string{}
	for id, want := range map[string]string{
		"s2.1": "the text of s2.1 is lost: it was the result of ", "s3.1": "s3.1 is a part of s2.1",
		"s1.0": "s1.0 was not shortened", "s2.9": `nothing is stored under "s2.9"`, "": "nothing is stored", "s99999999999999999999.1": "nothing is stored",
	} {
		_, err := w.Reader().Read(toollimit.Reading{ID: id})
		var problem interface{ Problem() (code, try string) }
		if !errors.Is(err, ErrNoBody) || !strings.HasPrefix(err.Error(), want) || !errors.As(err, &problem) {
			t.Errorf("%q: %v, want %q", id, err, want)
		}
	}
}
