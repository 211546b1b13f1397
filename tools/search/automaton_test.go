package search

import (
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// mixedTexts have hits of `[a-z][0-9]` in the first half and long runs of wide runes in the second: while a hit is
// looked for, the second half could be read far ahead, for each hit anew.
var mixedTexts = map[string]string{
	"natural":    strings.Repeat("some words are here, and one number x1\n", 30000) + strings.Repeat(wideLine(40), 10000),
	"short hits": strings.Repeat("x1\n", 1<<17) + strings.Repeat(wideLine(40), 1<<12),
	"long lines": strings.Repeat(strings.Repeat("some words ", 50)+"x1\n", 1000) + strings.Repeat(wideLine(170), 1200),
	"one line":   strings.Repeat("a few words x1\n", 10000) + strings.Repeat("\n", 1000) + wideLine(60000),
}

func wideLine(runes int) string { return strings.Repeat("世", runes) + "\n" }

// However many hits there are, the automaton reads no more than the text 1+maxAhead times, and a rune for each hit.
func TestMixedTextsAreNotReadForEachHit(t *testing.T) {
	for name, text := range mixedTexts {
		hits, a := mixedHits(t, text)
		if want := strings.Count(text, "x1"); hits != want {
			t.Errorf("%s: %d hits, want %d", name, hits, want)
		}
		if most := (1+maxAhead)*len(text) + utf8.UTFMax*hits; a.read < len(text)/2 || a.read > most {
			t.Errorf(
				"%s: read %d bytes of a text of %d (%.1f times)",
				name,
				a.read,
				len(text),
				float64(a.read)/float64(len(text)),
			)
		}
	}
}

// mixedHits counts the hits of `[a-z][0-9]` in text, and returns the automaton that looked for them.
func mixedHits(t testing.TB, text string) (int, *automaton) {
	m, err := compile(`[a-z][0-9]`, options{})
	if err != nil {
		t.Fatal(err)
	}
	a := m.automaton()
	m.automata = &sync.Pool{New: func() any { return a }}
	hits := 0
	if err := m.byLine(t.Context(), []byte(text), func(span) bool { hits++; return true }); err != nil {
		t.Fatal(err)
	}
	return hits, a
}

// BenchmarkMixedTexts: `go test -run '^$' -bench Mixed ./tools/search`.
func BenchmarkMixedTexts(b *testing.B) {
	for name, text := range mixedTexts {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				mixedHits(b, text)
			}
		})
	}
}
