package recall

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/textsearch"
)

// names rename the speakers of a conversation: what is found must not depend on what they are called. Each letter
// becomes another, so that a short form of a name becomes one of the new name. Roles get names as well.
type names struct{ parts []string }

// newNames returns new names for the speakers of a conversation.
func newNames(c *conversation) names {
	var n names
	for _, t := range c.turns {
		for _, part := range textsearch.Words(t.Speaker) {
			if !slices.Contains(n.parts, part) {
				n.parts = append(n.parts, part)
			}
		}
	}
	return n
}

// conversation returns a conversation with the speakers renamed.
func (n names) conversation(c *conversation) *conversation {
	other := *c
	other.turns = slices.Clone(c.turns)
	for i := range other.turns {
		t := &other.turns[i]
		t.Speaker, t.Text = strings.Map(letter, t.Speaker), n.text(t.Text)
	}
	return &other
}

// shortName is the length of the shortest form of a name, in bytes.
const shortName = 3

var aWord = regexp.MustCompile(`[\pL\pM\pN]+`)

// text renames the speakers in a text, but for roles: their names mean something else there.
func (n names) text(text string) string {
	for _, part := range n.parts {
		if r, _ := utf8.DecodeRuneInString(part); textsearch.IsCJK(r) {
			text = strings.ReplaceAll(text, part, strings.Map(letter, part))
		}
	}
	return aWord.ReplaceAllStringFunc(text, func(word string) string {
		lower := strings.ToLower(word)
		for _, part := range n.parts {
			short := len(word) >= shortName && strings.HasPrefix(part, lower) && lower != word
			if part != "user" && part != "assistant" && (lower == part || short) {
				return strings.Map(letter, word)
			}
		}
		return word
	})
}

// letter returns the letter that another becomes.
func letter(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case r >= 'A' && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	case unicode.Is(unicode.Han, r):
		return r + 1
	}
	return r
}
