package toollimit_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/toollimit"
)

// numbered repeats a format with the numbers from 0 on, numberedFrom from another number on.
func isNumbered(format string, n int) string { return numberedFrom(0, format, n) }

func numberedFrom(from int, format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, from+i)
	}
	return b.String()
}

func names(n int) string { return isNumbered("call of some_name_%d\n", n) }

func manyDiffs(n int) string {
	return isNumbered("diff --git a/f%d.go b/f.go\n--- a/f.go\n+++ b/f.go\n@@ -0,0 +1,2 @@\n+body one\n+body two\n", n)
}

// Each case is a defect that limiters of this kind have had; has and hasNot are what a reader must and must not see.
func TestKnownDefects(t *testing.T) {
	numbers := func(n int) string { return isNumbered("line number %d\n", n) }
	for _, c := range []struct {
		name        string
		kind        toollimit.Kind
		text        string
		quota       toollimit.Quota
		has, hasNot []string
	}{
		{
			name: "only heads kept", kind: toollimit.Text, text: numbers(100),
			quota: toollimit.Quota{MaxTokens: 80}, has: []string{"line number 0\n", "line number 99\n", "[… lines "},
		}, {
			name: "first line longer than the quota leaves nothing", kind: toollimit.Text, text: strings.Repeat("word ", 5000),
			quota: toollimit.Quota{MaxTokens: 100, Pointer: "s1.1"}, has: []string{"word word", "characters, ", "s1.1"},
		}, {
			name: "first line of a file longer than the quota leaves nothing", kind: toollimit.File,
			text:  "   1│ " + strings.Repeat("var a=1;", 500) + "\n   2│ end\nlines 1-2 of 2\n",
			quota: toollimit.Quota{MaxChars: 300}, has: []string{"   1│ var a=1;", "lines 1-2 of 2"},
		}, {
			name: "JSON cut in the middle", kind: toollimit.Text, text: `{"a":[` + strings.Repeat("1,", 500) + `2],"z":"` + strings.Repeat("é", 500) + `"}`,
			quota: toollimit.Quota{MaxTokens: 60}, has: []string{`"a":[1,`, ` more"`, `"z":"é`, `"_cut":`},
		}, {
			name: "surrogate pair of escapes split", kind: toollimit.JSON, text: `["` + strings.Repeat(`\ud83d\ude00`, 300) + `"]`,
			quota: toollimit.Quota{MaxTokens: 200}, has: []string{`\ud83d\ude00…[`, `]…\ud83d\ude00`}, hasNot: []string{`\ud83d…`, `…\ude00`},
		}, {
			name: "note of a search the first thing lost", kind: toollimit.Search,
			text:  "showing 20 of 900 hits\n" + strings.Repeat("src/some/long/path/of/a/file.go (1 hit)\nL1 text of the match\n", 20),
			quota: toollimit.Quota{MaxTokens: 12}, has: []string{"showing 20 of 900 hits"},
		}, {
			name: "a list of files passes unlimited", kind: toollimit.Search, text: strings.Repeat("src/some/file.go\n", 500),
			quota: toollimit.Quota{MaxChars: 200}, hasNot: []string{strings.Repeat("src/some/file.go\n", 12)},
		}, {
			name: "terminal codes count", kind: toollimit.Output, text: strings.Repeat("\x1b[32mok\x1b[0m\n", 3) + "10%\r50%\r100%\r\ndone   \n",
			quota: toollimit.Quota{MaxChars: 24}, has: []string{"ok\nok\nok\n100%\ndone\n"}, hasNot: []string{"\x1b", "50%"},
		}, {
			name: "repetition counts", kind: toollimit.Text, text: strings.Repeat("waiting\n", 200) + "\n\n\n\n\n\nready\n",
			quota: toollimit.Quota{MaxTokens: 20}, has: []string{"waiting  [×200]\n\nready\n"},
		}, {
			name: "binary inlined", kind: toollimit.Binary, text: "\x7fELF" + strings.Repeat("\x00\x01secret", 50),
			quota: toollimit.Quota{}, has: []string{"[binary: 404 bytes"}, hasNot: []string{"secret", "\x00"},
		}, {
			name: "plain grep output keeps one file", kind: toollimit.Search,
			text:  strings.Repeat("a.go:1:x := one\n", 50) + strings.Repeat("z.go:2:y := two\n", 50),
			quota: toollimit.Quota{MaxTokens: 80}, has: []string{"a.go (50 hits)\nL1 x := one\n", "z.go (50 hits)\nL2 y := two\n"},
		},
		{
			name: "many names leave no room for matches", kind: toollimit.Search,
			text:  isNumbered("src/package_%[1]d/some/file_%[1]d.go (1 hit)\nL7 \tvalue := Needle(%[1]d)\n", 200),
			quota: toollimit.Quota{MaxChars: 800, MaxMatches: 3, Pointer: "s1.1"}, has: []string{"L7 \tvalue := Needle(2)\n", "more files (", "[… 3 of 200 matches"},
		}, {
			name: "matches of JSON pass unlimited", kind: toollimit.JSON,
			text:  `{"total":40,"matches":[{"path":"a_0.go","line":1}` + isNumbered(`,{"path":"b_%d.go","line":2}`, 39) + `]}`,
			quota: toollimit.Quota{MaxMatches: 2, Pointer: "s1.1"}, has: []string{`"a_0.go"`, `"b_0.go","line":2},"… 38 more"]`, "s1.1"}, hasNot: []string{"b_1.go"},
		}, {
			name: "matches of JSON in one file take those of another", kind: toollimit.Search,
			text:  `{"items":[{"path":"a.go","matches":[1` + strings.Repeat(`,"some line"`, 5) + `]},{"path":"b.go","matches":[7,"some line","some line"]}]}`,
			quota: toollimit.Quota{MaxMatches: 3}, has: []string{`"a.go","matches":[1,"… 5 more"]`, `"b.go","matches":[7,"… 2 more"]`},
		}, {
			name: "a search as plain text passes unlimited", kind: toollimit.Text, text: isNumbered("a.go:%d:x := one\n", 40),
			quota: toollimit.Quota{MaxMatches: 2}, has: []string{"a.go (40 hits)\nL0 x := one\nL1 x := one\n"}, hasNot: []string{"L2 "},
		}, {
			name: "a search by command keeps one file", kind: toollimit.Output,
			text:  strings.Repeat("a_test.go:1:call_needle()\n", 50) + strings.Repeat("z.go:2:func call_needle() {\n", 50),
			quota: toollimit.Quota{MaxTokens: 80, Query: `{"command":"grep -rn 'call_needle\\b' ."}`}, has: []string{"z.go (50 hits)\nL2 func call_needle() {\n", "a_test.go (50 hits)"},
		}, {
			name: "errors of a compiler taken for a search", kind: toollimit.Output, text: isNumbered("a.go:%d:7: undefined: build\n", 300),
			quota: toollimit.Quota{MaxTokens: 120, Query: `{"command":"go build ./..."}`}, has: []string{"a.go:0:7: undefined", "a.go:299:7: undefined"}, hasNot: []string{" hits)"},
		}, {
			name: "the match is not in the piece that is shown of its line", kind: toollimit.Search,
			text:  isNumbered("f_%d.go (1 hit)\nL1 "+strings.Repeat("var a=1;", 40)+"needle();"+strings.Repeat("var b=2;", 40)+"\n", 20),
			quota: toollimit.Quota{MaxTokens: 700, Query: "needle"}, has: []string{"var a=1;needle();var b=2;"},
		}, {
			name: "errors of the middle lost to key lines", kind: toollimit.Output,
			text:  numbers(100) + "--- FAIL: TestStore (0.01s)\n" + strings.Repeat("=== RUN Case_1\n", 3) + names(200) + numbers(20),
			quota: toollimit.Quota{MaxTokens: 200, Seen: func(string) bool { return false }}, has: []string{"--- FAIL: TestStore"},
		}, {
			name: "many equal errors hide another", kind: toollimit.Output,
			text:  strings.Repeat("line\n", 3) + isNumbered("error: retry %d of 500 went wrong\n", 500) + "fatal: disk is full\n" + numbers(100),
			quota: toollimit.Quota{MaxTokens: 150}, has: []string{"error: retry 0", "fatal: disk is full"},
		}, {
			name: "an image inlined as text", kind: toollimit.File, text: "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00\x9c\xff\xd8secret", 500),
			quota: toollimit.Quota{MaxTokens: 50, Pointer: "s1.1"}, has: []string{"image/png", "s1.1"}, hasNot: []string{"secret", "\x00"},
		}, {
			name: "umlauts of another encoding taken for an image", kind: toollimit.Text, text: isNumbered("Gr\xf6\xdfe der \xdcbersicht %d\n", 300),
			quota: toollimit.Quota{MaxTokens: 60}, has: []string{"e der "}, hasNot: []string{"[binary"},
		}, {
			name: "a file from the middle numbered from one", kind: toollimit.File, text: numberedFrom(200, "%6d\tsome text of the line\n", 300),
			quota: toollimit.Quota{MaxTokens: 120}, has: []string{"next: start_line=2"}, hasNot: []string{"[… lines 1"},
		}, {
			name: "a removed comment taken for a header", kind: toollimit.Diff,
			text:  "diff --git a/x.sql b/x.sql\n--- a/x.sql\n+++ b/x.sql\n@@ -1,300 +1,1 @@\n" + strings.Repeat("--- an old comment\n", 299) + " select 1;\n",
			quota: toollimit.Quota{MaxTokens: 90}, has: []string{"@@ -1,300 +1,1 @@", "from here on"},
		}, {
			name: "bodies before headers", kind: toollimit.Diff, text: manyDiffs(20),
			quota: toollimit.Quota{MaxTokens: 100}, has: []string{"f.go +2 -0\n", "more files"}, hasNot: []string{"+body"},
		}, {
			name: "an object with many keys shows none", kind: toollimit.JSON, text: `{"first_key":1` + isNumbered(`,"k%d":0`, 2000) + "}",
			quota: toollimit.Quota{MaxTokens: 60}, has: []string{`"first_key":1`, "more keys"},
		}, {
			name: "heads of a batch lost", kind: toollimit.Batch, text: "== a.go\n" + numbers(100) + "== b.go\n" + numbers(100),
			quota: toollimit.Quota{MaxTokens: 40}, has: []string{"== a.go", "== b.go"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkCut(t, c.kind, c.text, c.quota)
			short, _ := toollimit.Truncate(c.kind, c.text, c.quota)
			for _, s := range c.has {
				if !strings.Contains(short, s) {
					t.Errorf("%q is missing in:\n%s", s, short)
				}
			}
			for _, s := range c.hasNot {
				if strings.Contains(short, s) {
					t.Errorf("%q is in:\n%s", s, short)
				}
			}
		})
	}
}

// Markers, escapes and pointers once stood outside the quota, runes were split, and characters were taken for tokens.
func TestEveryQuotaIsHard(t *testing.T) {
	if ostest.RaceDetector {
		t.Skip("long, and all in one goroutine")
	}
	texts := []string{
		"短い行\n" + strings.Repeat("漢字かな交じり文。", 300), strings.Repeat("😀👩‍👩‍👧", 200), strings.Repeat("plain words\n", 300),
		`{"k":"` + strings.Repeat(`\"\\\n`, 300) + `","n":[` + strings.Repeat("[[1]],", 99) + `0]}`,
		strings.Repeat("\xff\xfe", 500), strings.Repeat("[", 3000) + strings.Repeat("]", 3000),
		strings.Repeat("dir/\n  a.go\n", 100), strings.Repeat("f.go (1 hit)\nL1 x\n", 99),
	}
	for _, text := range texts {
		for _, k := range kinds {
			for n := 1; n < 120; n += 1 + n/8 {
				checkCut(t, k, text, toollimit.Quota{MaxTokens: n, Pointer: "s12.1"})
				checkCut(t, k, text, toollimit.Quota{MaxChars: n, MaxMatches: 1 + n/20, Pointer: "s12.1"})
			}
		}
	}
}

// A bound in tokens holds for Chinese too: what is left is about as many runes as tokens, not four times as many.
func TestTokensBoundChinese(t *testing.T) {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "第%d条：好的，谢谢你的推荐，我会去看一看。\n", i)
	}
	text := b.String()
	short, cut := toollimit.Truncate(toollimit.Text, text, toollimit.Quota{MaxTokens: 300})
	if n := utf8.RuneCountInString(short); !cut || n < 150 || n > 320 {
		t.Errorf("%d runes are left in 300 tokens", n)
	}
}

func TestJSONKeepsOrderAndNumbers(t *testing.T) {
	text := `{ "z": 1.50, "a": 12345678901234567890, "list": [` + strings.Repeat(`{"n": 1},`, 60) + `{"n": 2}], "m": null }`
	short, _ := toollimit.Truncate(toollimit.JSON, text, toollimit.Quota{MaxTokens: 70, Pointer: "s3.1"})
	for _, s := range []string{`{"z":1.50,"a":12345678901234567890,"list":[`, `{"n":2}],"m":null,"_cut":"`, "id=s3.1"} {
		if !strings.Contains(short, s) {
			t.Errorf("%s is missing in %s", s, short)
		}
	}
	if !json.Valid([]byte(short)) {
		t.Errorf("not JSON: %s", short)
	}
}
