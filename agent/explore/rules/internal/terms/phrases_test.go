package terms

import (
	"strings"
	"testing"
)

func TestPhrases(t *testing.T) {
	for text, want := range map[string]string{
		"when does a lease time out?":            "when does a lease ? timeout",
		"the call that timed out":                "the call that timeout",
		"what is thrown away first":              "what is first discard evict",
		"keep large files out of the index":      "large files the index exclude",
		"what if no free slots are left":         "what if free slots exhausted",
		"how are files read at the same time":    "how are files read concurrent parallel",
		"does it fall back if I leave that out?": "does it if I that ? fallback omit",
		"is a failed job tried again?":           "is a failed job ? retry",
		"does it slow down or give up?":          "does it or ? throttle delay exhausted abandon",
		"who gives the connection back?":         "who the connection ? release",
		"at which time is the queue left?":       "at which time is the queue left?",
		"how do I turn the cache off?":           "how do I the cache ? disable",
		"who keeps the time":                     "who keeps the time",
		"":                                       "",
	} {
		rest, code := Phrases(text)
		got := strings.Join(append(strings.Fields(rest), code...), " ")
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
