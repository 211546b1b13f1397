package toollimit_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/forayhq/foray/internal/identifier"
	"github.com/forayhq/foray/toollimit"
)

// manyNames returns texts of every kind but Binary, each with a thousand identifiers or so.
func manyNames() map[toollimit.Kind]string {
	var lists [9]strings.Builder
	lists[6].WriteString("diff --git a/x.go b/x.go\n--- a/x.go\n+++ b/x.go\n@@ -1,0 +1,500 @@\n")
	for i := range 500 {
		fmt.Fprintf(&lists[0], "handler_%d calls moduleName%d\n", i, i)
		fmt.Fprintf(&lists[1], "%4d│ func handler_%d() { moduleName%d() }\n", i+1, i, i)
		fmt.Fprintf(&lists[2], "pkg%d/file_%d.go:%d:\tmoduleName%d()\n", i%7, i%7, i+1, i)
		fmt.Fprintf(&lists[3], "src/pkg_%d/file_%d.go\n", i%40, i)
		fmt.Fprintf(&lists[4], "step %d: handler_%d is done\n", i, i)
		fmt.Fprintf(&lists[5], "%s{\"user_id\":%d,\"name\":\"item_%d\",\"note\":\"\\nmoduleName%d\"}", []string{"[", ","}[min(i, 1)], i, i, i)
		fmt.Fprintf(&lists[6], "+call handler_%d(moduleName%d)\n", i, i)
		fmt.Fprintf(&lists[7], "\tat module_%d.call_%d\n", i, i)
		if i%100 == 0 {
			fmt.Fprintf(&lists[8], "== part_%d\n", i)
		}
		fmt.Fprintf(&lists[8], "%4d│ handler_%d\n", i%100+1, i)
	}
	lists[5].WriteString("]")
	return map[toollimit.Kind]string{
		toollimit.Text: lists[0].String(), toollimit.File: lists[1].String(), toollimit.Search: lists[2].String(),
		toollimit.Listing: lists[3].String(), toollimit.Output: lists[4].String(), toollimit.JSON: lists[5].String(),
		toollimit.Diff: lists[6].String(), toollimit.Error: lists[7].String(), toollimit.Receipt: lists[7].String(),
		toollimit.Batch: lists[8].String(),
	}
}

var lists = regexp.MustCompile(`\[also there:((?: \w+)+)\]`)

// TestEveryKindListsWhatIsMissing holds the lists of identifiers against their rules: there is one, it takes at most a
// fifth of the quota, what it names stands in the text, and nowhere else in the cut or in what is seen.
func TestEveryKindListsWhatIsMissing(t *testing.T) {
	seen := func(name string) bool { return strings.HasSuffix(name, "7") }
	for kind, text := range manyNames() {
		for _, tokens := range []int{120, 400, 1500} {
			q := toollimit.Quota{MaxTokens: tokens, Pointer: "s3.1", Seen: seen}
			checkCut(t, kind, text, q)
			short, _ := toollimit.Truncate(kind, text, q)
			masked := toollimit.StripNames(short)
			found := lists.FindAllStringSubmatch(short, -1)
			least := 120
			if kind == toollimit.Batch {
				least = 400 // its parts share the room
			}
			if len(found) == 0 && tokens > least || lists.MatchString(masked) {
				t.Errorf("%q in %d tokens: %d lists, masked\n%s", kind, tokens, len(found), masked)
			}
			shown := slices.Collect(identifier.All(strings.ReplaceAll(masked, `\n`, " ")))
			sum := 0
			for _, list := range found {
				sum += toollimit.Tokens(list[0])
				for _, name := range strings.Fields(list[1]) {
					if !strings.Contains(text, name) || slices.Contains(shown, name) || seen(name) {
						t.Errorf("%q in %d tokens: %s should not be listed in\n%s", kind, tokens, name, short)
					}
				}
			}
			if sum > tokens/5 {
				t.Errorf("%q: lists of %d in %d tokens", kind, sum, tokens)
			}
			if plain, _ := toollimit.Truncate(kind, text, toollimit.Quota{MaxTokens: tokens, Pointer: "s3.1"}); lists.MatchString(plain) {
				t.Errorf("%q: a list for nobody in\n%s", kind, plain)
			}
		}
	}
}

// TestMaskNamesTakesListsOnly checks that what only resembles a list stays.
func TestMaskNamesTakesListsOnly(t *testing.T) {
	for text, want := range map[string]string{
		"a\n[also there: x_1 y_2]\nb":             "a\n\nb",
		`{"a":1,"_also":"[also there: x_1 y_2]"}`: `{"a":1,"_also":""}`,
		"\"[also there: x_1]\"\n":                 "\"\"\n",
		"[also there: see the manual, page 3]":    "[also there: see the manual, page 3]",
		"he wrote [also there: x_1] in passing":   "he wrote [also there: x_1] in passing",
		"[also there:]\n":                         "[also there:]\n",
	} {
		if got := toollimit.StripNames(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// TestGapsSayHowToGetTheRest checks every kind in a room that is small, but not tiny: the id is there.
func TestGapsSayHowToGetTheRest(t *testing.T) {
	texts := manyNames()
	texts[toollimit.Binary] = strings.Repeat("\x7fELF\x00\xff", 500)
	for kind, text := range texts {
		for tokens := 40; tokens < 500; tokens += 37 {
			short, cut := toollimit.Truncate(kind, text, toollimit.Quota{MaxTokens: tokens, Pointer: "s12.3", Tool: toollimit.ReadTool})
			if !cut || !strings.Contains(short, "s12.3") {
				t.Errorf("%q in %d tokens: no id in\n%s", kind, tokens, short)
			}
			if tokens >= 100 && !strings.Contains(short, toollimit.ReadTool+" id=s12.3") {
				t.Errorf("%q in %d tokens: no way to the whole text in\n%s", kind, tokens, short)
			}
		}
	}
}

// TestLinesOfJSONStayJSON checks that each line of a text of JSON lines is JSON after a cut, marks included.
func TestLinesOfJSONStayJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for i := range rapid.IntRange(2, 80).Draw(t, "lines") {
			fmt.Fprintf(&b, "{\"ts\":%d,\"msg\":%q}\n", i, rapid.StringMatching(`[a-z_]{0,40}`).Draw(t, "msg"))
		}
		q := drawQuota(t)
		q.MaxTokens, q.MaxChars = rapid.IntRange(60, 600).Draw(t, "room"), 0
		short, _ := toollimit.Truncate(toollimit.JSON, b.String(), q)
		for l := range strings.Lines(short) {
			if !json.Valid([]byte(l)) {
				t.Errorf("no JSON: %s", l)
			}
		}
	})
}

// TestCutShowsWhatIsNotSeen checks that the middle of a text gives its room to lines with identifiers that stand
// nowhere else, and that the rest is listed.
func TestCutShowsWhatIsNotSeen(t *testing.T) {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "call to handler_%d returned without an error\n", i%20)
		if i%97 == 50 {
			fmt.Fprintf(&b, "raised SpecialError%d in module_%d\n", i, i)
		}
	}
	for i := range 30 {
		fmt.Fprintf(&b, "%s name_%d\n", strings.Repeat("long words ", 20), i)
	}
	b.WriteString(strings.Repeat("the end\n", 3))
	seen := func(name string) bool { return strings.HasPrefix(name, "handler_") }
	for _, kind := range []toollimit.Kind{toollimit.Text, toollimit.Output, toollimit.File} {
		short, cut := toollimit.Truncate(kind, b.String(), toollimit.Quota{MaxTokens: 600, Pointer: "s1.1", Seen: seen})
		if !cut || toollimit.Tokens(short) > 600 {
			t.Fatalf("%s: %d tokens", kind, toollimit.Tokens(short))
		}
		for _, want := range []string{"SpecialError50", "SpecialError147", "SpecialError244", "SpecialError341"} {
			if !strings.Contains(toollimit.StripNames(short), want) {
				t.Errorf("%s: no line with %s in\n%s", kind, want, short)
			}
		}
		if !strings.Contains(short, "[also there: name_") || strings.Contains(toollimit.StripNames(short), "name_1 name_2") {
			t.Errorf("%s: identifiers of the rest are not listed, or not masked:\n%s", kind, short)
		}
	}
}
