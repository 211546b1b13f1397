package summary

import (
	"regexp"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/memory/internal/stated"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// coveredShare is the share of an item's words that a text has if it says the same.
const coveredShare = .7

// withPreferences adds to a model's summary the preferences that it left out, from the old summary and from what the
// user said. Models keep what the latest messages are about and drop rules from long ago. If the preferences do not all
// fit into so many tokens, the latest are added.
func withPreferences(text string, old Thread, fresh []Message, most int) string {
	items := map[string][]string{headPreferences: sectionsOf(old.Text)[headPreferences]}
	for _, m := range fresh {
		if m.Role != transcript.User {
			continue
		}
		for _, said := range stated.Of(m.Text) {
			if said.Kind == stated.Preference {
				put(items, headPreferences, said.Text)
			}
		}
	}
	head, section, found := cutHeading(text, headPreferences)
	if !found {
		return text
	}
	left, said := most-toollimit.Tokens(text)-1, wordSet(text)
	for _, item := range slices.Backward(items[headPreferences]) {
		size := toollimit.Tokens("- "+item+"\n") + 1
		if size > left {
			break
		}
		if !covers(said, item) {
			left -= size
			head += "- " + item + "\n"
			section = strings.TrimPrefix(section, "- none\n")
		}
	}
	return head + section
}

// cutHeading cuts a summary after the line of a heading.
func cutHeading(text, heading string) (before, after string, found bool) {
	at := 0
	for line := range strings.Lines(text) {
		at += len(line)
		if headingOf(strings.TrimSpace(line)) == heading {
			return strings.TrimRight(text[:at], "\n") + "\n", text[at:], true
		}
	}
	return text, "", false
}

// covers reports whether a set of words has most of those of an item.
func covers(said map[string]bool, item string) bool {
	words := wordSet(item)
	n := 0
	for w := range words {
		if said[w] {
			n++
		}
	}
	return float64(n) >= coveredShare*float64(len(words))
}

func wordSet(text string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range words.FindAllString(strings.ToLower(text), -1) {
		set[w] = true
	}
	return set
}

// words matches a word, or one sign of a script without spaces.
var words = regexp.MustCompile(`\p{Han}|[\pL\pM\pN]+`)
