package longterm

import (
	"github.com/forayhq/foray/contextwindow/memory/internal/speech"
	"github.com/forayhq/foray/contextwindow/memory/internal/stated"
	"github.com/forayhq/foray/internal/textsearch"
)

// contradicts reports whether a statement contradicts an older one about the same thing: one of them denies, or the
// new one speaks of a change.
func contradicts(now, before string) bool {
	return denies(now) != denies(before) || stated.Changes(now)
}

// The words that deny.
var (
	denialWords = []string{
		"not", "never", "no", "don", "doesn", "didn", "isn", "aren", "wasn", "won", "hate", "hates", "dislike", "dislikes",
		"avoid", "avoids", "stopped", "quit", "nicht", "kein", "keine", "keinen", "nie", "hasse",
	}
	denialRuns = []string{"不", "没", "讨厌", "别", "无"}
)

// denies reports whether a statement denies something: a second denial takes back the first.
func denies(text string) bool {
	denied := false
	for _, w := range textsearch.Words(text) {
		for _, d := range denialWords {
			denied = denied != (w == d)
		}
		if r := []rune(w); textsearch.IsCJK(r[0]) && speech.Contains(w, denialRuns) {
			denied = !denied
		}
	}
	return denied
}
