package contextbuilder

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/forayhq/foray/internal/line"
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

// TestOneLine checks that a text which is read only as far as needed gives the line of the whole text.
func TestOneLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "word", "é", "一二三", "👩", " ", "\t", "\n\n", "  ", "\xff", strings.Repeat("x", 40)})
		text := strings.Join(rapid.SliceOfN(word, 0, 80).Draw(t, "words"), "")
		runes := rapid.IntRange(1, 60).Draw(t, "runes")
		whole := strings.ToValidUTF8(text[:min(len(text), 4*runes+64)], "")
		if got, want := oneLine(text, runes), line.Truncate(line.Flat(whole), runes+1); got != want {
			t.Errorf("%q in %d runes: %q, want %q", text, runes, got, want)
		}
	})
}
