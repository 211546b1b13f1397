package toollimit_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/forayhq/foray/toollimit"
)

var kinds = []toollimit.Kind{
	toollimit.Text, toollimit.File, toollimit.Search, toollimit.Listing, toollimit.Output, toollimit.JSON, toollimit.Diff,
	toollimit.Receipt, toollimit.Batch, toollimit.Error, toollimit.Binary, "unheard of",
}

// checkCut holds a cut against every rule of Truncate.
func checkCut(t interface {
	Helper()
	Errorf(string, ...any)
}, k toollimit.Kind, text string, q toollimit.Quota) {
	t.Helper()
	short, cut := toollimit.Truncate(k, text, q)
	if !cut && short != text {
		t.Errorf("kind %q: changed but not cut", k)
	}
	if n := toollimit.Tokens(short); q.MaxTokens > 0 && n > q.MaxTokens {
		t.Errorf("kind %q: %d tokens over a bound of %d: %q", k, n, q.MaxTokens, short)
	}
	if n := utf8.RuneCountInString(short); q.MaxChars > 0 && n > q.MaxChars {
		t.Errorf("kind %q: %d runes over a bound of %d: %q", k, n, q.MaxChars, short)
	}
	if !cut {
		return
	}
	if a, b := toollimit.Tokens(short), toollimit.Tokens(text); a > b {
		t.Errorf("kind %q: grew from %d to %d tokens: %q", k, b, a, short)
	}
	if a, b := utf8.RuneCountInString(short), utf8.RuneCountInString(text); a > b {
		t.Errorf("kind %q: grew from %d to %d runes: %q", k, b, a, short)
	}
	if !utf8.ValidString(short) {
		t.Errorf("kind %q: invalid UTF-8: %q", k, short)
	}
	if again, cut := toollimit.Truncate(k, short, q); cut || again != short {
		t.Errorf("kind %q: a second cut changed\n%q\nto\n%q", k, short, again)
	}
	if n := jsonMatches(short); k == toollimit.JSON && q.MaxMatches > 0 && n > q.MaxMatches {
		t.Errorf("%d matches over a bound of %d: %s", n, q.MaxMatches, short)
	}
	if k == toollimit.JSON && json.Valid([]byte(text)) && short != "" && !json.Valid([]byte(short)) {
		t.Errorf("JSON was broken: %s", short)
	}
}

// jsonMatches counts the elements of the arrays under "matches" in JSON.
func jsonMatches(text string) (n int) {
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return 0
	}
	var count func(any)
	count = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				count(e)
			}
		case map[string]any:
			list, _ := v["matches"].([]any)
			for _, e := range list {
				if s, ok := e.(string); !ok || !strings.HasPrefix(s, "… ") {
					n++
				}
			}
			for _, e := range v {
				count(e)
			}
		}
	}
	count(value)
	return n
}

// drawText draws texts of the forms that tools give, and of forms that they should not.
func drawText(t *rapid.T) string {
	word := rapid.OneOf(
		rapid.StringMatching(`[a-zA-Z_/.:]{1,12}`), rapid.StringMatching(`[一-龥]{1,8}`), rapid.String(),
		rapid.SampledFrom([]string{
			"error:", "status", "func ", "L12 ", "L13- ", "a.go (3 hits)", "src/a/b.go", "  ", "    ", "\r", "\x1b[31m", "\x00",
			"👩‍👩‍👧", "\xff\xfe", "\xed\xa0\xbd\xed\xb8\x80", `"`, `\ud83d\ude00`, `\`, "  12│ x", "a.go:12:x", "@@ -1 +1 @@", "diff --git",
			"[note]", "== part", "a.go-13-x", "--", "13:x", "13-x", "a.go:7", "├── x_y", "│   └── z.go", "./a:", "./a/b.go", "+x_y", "--- a", "@@ -1,9 +1,9 @@",
			"[also there: x_y]", "camelCase", "pkg/some_name.go", "error: not_found", `{"k_1":"v_1"}`, "  7\tx", "…", strings.Repeat("x", 300), strings.Repeat("漢", 100), strings.Repeat("[", 50), `{"a":[1,2,3,4,5,6,"b"]}`,
		}),
	)
	line := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(word, 0, 8).Draw(t, "words"), " ") })
	return strings.Join(rapid.SliceOfN(line, 0, 60).Draw(t, "lines"), "\n")
}

func drawQuota(t *rapid.T) toollimit.Quota {
	bound := func(name string, most int) int {
		return rapid.OneOf(rapid.Just(0), rapid.IntRange(1, 12), rapid.IntRange(1, most)).Draw(t, name)
	}
	q := toollimit.Quota{
		MaxTokens: bound("tokens", 400), MaxChars: bound("chars", 1500), MaxMatches: bound("matches", 20),
		Pointer: rapid.SampledFrom([]string{"", "s3.1", "s1234.12"}).Draw(t, "pointer"),
		Query:   rapid.SampledFrom([]string{"", "x", "some_name", `{"pattern":"\\bx_y\\b|漢"}`}).Draw(t, "query"),
		Tool:    rapid.SampledFrom([]string{"", toollimit.ReadTool}).Draw(t, "tool"),
	}
	if rapid.Bool().Draw(t, "seen") {
		q.Seen = seenHalf
	}
	return q
}

// seenHalf knows half of all identifiers.
func seenHalf(name string) bool { return len(name)%2 == 0 }

func TestCutHoldsItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkCut(t, rapid.SampledFrom(kinds).Draw(t, "kind"), drawText(t), drawQuota(t))
	})
}

func drawJSON(t *rapid.T, depth int) any {
	n := rapid.IntRange(0, 6).Draw(t, "form")
	switch {
	case n <= 1 && depth > 0:
		m := map[string]any{}
		for range rapid.IntRange(0, 5).Draw(t, "keys") {
			m[rapid.OneOf(rapid.String(), rapid.StringMatching("[a-z_]{1,8}"), rapid.SampledFrom([]string{"_cut", "matches", "hits"})).Draw(t, "key")] = drawJSON(t, depth-1)
		}
		return m
	case n <= 3 && depth > 0:
		a := []any{}
		for range rapid.IntRange(0, 12).Draw(t, "items") {
			a = append(a, drawJSON(t, depth-1))
		}
		return a
	case n == 4:
		return rapid.Float64().Draw(t, "number")
	}
	return rapid.OneOf(rapid.String(), rapid.StringMatching("[a-z 漢😀\"\\\\]{0,80}")).Draw(t, "string")
}

func TestCutKeepsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, err := json.Marshal(drawJSON(t, 5))
		if err != nil {
			t.Fatal(err)
		}
		checkCut(t, toollimit.JSON, string(b), drawQuota(t))
	})
}

func FuzzTruncate(f *testing.F) {
	seeds := []string{
		"", "a", "plain\ntext\n", "你好，世界\n第二行", "👩‍👩‍👧 family", "\xed\xa0\xbd\xed\xb8\x80", "\xff\xfe\x00", "a\r\nb\rc",
		strings.Repeat("x", 5000), strings.Repeat("[", 200) + strings.Repeat("]", 200), `{"a":"\ud83d\ude00\ud83d"}`,
		"a.go (2 hits)\nL1 x\nL2- y\nL3 z\n", "a.go:1:x\nb.go:2:y\n", "src/\n  a/\n    b.go\n  c.go\n", "\x1b[31mred\x1b[0m\n",
	}
	for i, s := range seeds {
		f.Add(byte(i), s, 5, 20, 1, "s3.1")
		f.Add(byte(5), s, 3, 0, 0, "")
	}
	f.Fuzz(func(t *testing.T, k byte, text string, tokens, chars, matches int, pointer string) {
		q := toollimit.Quota{MaxTokens: tokens, MaxChars: chars, MaxMatches: matches, Pointer: pointer}
		if len(pointer)%2 == 0 {
			q.Seen = seenHalf
		}
		checkCut(t, kinds[int(k)%len(kinds)], text, q)
	})
}
