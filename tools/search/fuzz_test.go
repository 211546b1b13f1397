package search

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzLines: whatever the pattern and the text, a search finds the lines that the regexp matches one by one.
func FuzzLines(f *testing.F) {
	for _, pattern := range []string{
		"", "a", "x*", `^$`, `\bfoo\b`, `[a-z]+[0-9]{2}$`, "(?i)kelvin|\u017f", `\B.\B`, `[^a]é+`, `(a|b)*c`, `\W\w`, `^\s*\}`, "(?s).", "\ufffd", `[ab]*a[ab]{12}c`, `(?:^|[^\pL])x(?:$|[^\pL])`,
	} {
		f.Add(pattern, "foo\n\nbar12\nKELVIN \u212a \u017f\nab\xff\xfec é\n}\n", false)
		f.Add(pattern, strings.Repeat("abababbbabaab", 9)+"c\nx\n\n", true)
		f.Add(pattern, strings.Repeat("ab\né}\n\n", 200)+"foo\nab12\n"+strings.Repeat("ab\xff\n", 300)+"  } foo x", false)
		f.Add(
			pattern,
			strings.Repeat("many words, then foo and ab12\n", 50)+strings.Repeat(wideLine(20)+"é ab é\n", 25)+"foo",
			false,
		)
	}
	f.Add(`[ab]*a[ab]{12}[cegikmoqsuwyCEGIKMOQSUWY]`, manyStates(), false)
	f.Fuzz(func(t *testing.T, pattern, text string, fold bool) {
		m, err := compile(pattern, options{fold: fold})
		if err != nil || len(text) > 1<<14 || m.cost > 2000 ||
			slices.ContainsFunc(m.needles.list, func(b []byte) bool { return bytes.ContainsRune(b, utf8.RuneError) }) {
			return // regexp takes any byte that is no UTF-8 for U+FFFD, a needle only the character
		}
		var want, got []string
		for line := range strings.Lines(text) {
			if line = strings.TrimSuffix(line, "\n"); m.re.MatchString(line) {
				want = append(want, line)
			}
		}
		chunks := func(ctx context.Context, data []byte, yield func(span) bool) error {
			return m.byChunk(ctx, data, 0, yield)
		}
		for name, search := range map[string]func(context.Context, []byte, func(span) bool) error{
			"each": m.each, "byLine": m.byLine, "byChunk": chunks,
		} {
			got = nil
			if err := search(t.Context(), []byte(text), func(s span) bool {
				got = append(got, text[s.from:s.to])
				return true
			}); err != nil {
				continue // too large for the pattern
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s of %q in %q: %q, want %q", name, pattern, text, got, want)
			}
		}
	})
}

// manyStates are lines for which an automaton of that pattern drops its states.
func manyStates() string {
	var b strings.Builder
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 16000 {
		b.WriteByte("ab"[r.IntN(2)])
		if i%100 == 99 {
			b.WriteString([]string{"\n", "c\n", "é\n", "l\n"}[r.IntN(4)])
		}
	}
	return b.String()
}
