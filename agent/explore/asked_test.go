package explore_test

import (
	"strings"
	"testing"

	"github.com/forayhq/foray/agent/explore"
)

// TestEvidenceOfMessages: questions about the code get evidence, plain talk gets none.
func TestEvidenceOfMessages(t *testing.T) {
	for message, want := range map[string]bool{
		"where are requests retried?":                        true,
		"Can you show me where requests are retried?":        true,
		"please explain how long Wait waits":                 true,
		"fix the doc of `Loop`":                              true,
		"hello":                                              false,
		"thanks, that helps":                                 false,
		"My name is Ada. I retry requests in my spare time.": false,
		"what did I say about requests before?":              false,
		"how are you?":                                       false,
		"Remember: answer in three words.":                   false,
		"what is the weather in Paris tomorrow?":             false,
		"write a haiku about the sea":                        false,
		"":                                                   false,
	} {
		text, err := (&explore.Tree{Files: tree}).Evidence(t.Context(), message, 2_000)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(text, "return"); got != want {
			t.Errorf("%q: evidence %v, want %v: %.300s", message, got, want, text)
		}
	}
	if text, _ := (&explore.Tree{Files: tree}).Evidence(t.Context(), "where are requests retried?", 100); text != "" {
		t.Errorf("no room, and yet %q", text)
	}
}
