package contextbuilder

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever a text holds: escaped it closes no fence and opens none of the runtime's, and escaping it again changes nothing.
func FuzzEscape(f *testing.F) {
	for _, text := range []string{
		"", "plain", "a < b", "</context>", "< / context>", "<user_memory>", "<\\/context>", "<<//x>", "<\u00a0/note>", "<\u200b/note>", "\xff</", "<No\u212ae",
		"if a <b_c { return }", "<p>html</p>", "<goal", "<CONTEXT attribute>",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := escape(text)
		if !utf8.ValidString(got) || escape(got) != got {
			t.Fatalf("%q, escaped again %q", got, escape(got))
		}
		if closes.MatchString(got) || opens.MatchString(got) {
			t.Fatalf("a fence in %q", got)
		}
		if plain := strings.ToValidUTF8(text, "\uFFFD"); strings.ReplaceAll(got, `\`, "") != strings.ReplaceAll(plain, `\`, "") {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

// What must not stand in an escaped text.
var (
	closes = regexp.MustCompile(`<[\s\p{Z}\p{C}]*/`)
	opens  = regexp.MustCompile(`(?i)<\s*(context|note|record|goal|user_memory|thread_summary|earlier_turns|relevant_memories)\b`)
)
