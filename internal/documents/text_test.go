package documents

import (
	"strings"
	"testing"
)

// library is a few documents and the documentation of a package, by path.
var library = map[string]string{
	"README.md": "# Stash\n\nKeeps things for you.\n\n## Retries\n\nA failed request is sent again three times.\n\n" +
		"## Loans\n\nA book that is overdue costs a penny a day.\n",
	"docs/limits.rst": "Limits\n======\n\nUploads\n~~~~~~~\n\nAt most 100 files at once; `maxFiles` raises it.\n",
	"CHANGELOG.md":    "# Changes\n\nA failed request is sent again. A failed request fails.\n",
	"notes.txt":       "retry 1 failed request\nretry 2 failed request\n0x0 0x1 failed\n",
	"src/lib.rs": "//! A crate.\n//!\n//! # Backtraces\n//!\n" +
		"//! Set RUST_BACKTRACE to see where an error comes from.\n\nfn failed() { request() }\n" +
		"\n/// Uploads many files at once.\nfn upload() {}\n",
	"src/main.rs": "//! # Failed requests\n",
}

func ask(t *testing.T, question string) []Text {
	t.Helper()
	q, ok := Ask(question)
	if !ok {
		t.Fatalf("%q is about nothing", question)
	}
	var all []Texts
	for name, src := range library {
		if HasText(name) {
			all = append(all, q.Look(name, []byte(src)))
		}
	}
	return q.Rank(all)
}

func TestRankOfTexts(t *testing.T) {
	for question, want := range map[string]string{
		"does it send failed requests again?":                           "README.md Retries",
		"how many files may I upload":                                   "docs/limits.rst Uploads",
		"what are max files?":                                           "docs/limits.rst Uploads",
		"why do I see no backtrace of an exception":                     "src/lib.rs Backtraces",
		"what happens to a book that is given back late, is it overdue": "README.md Loans",
	} {
		all := ask(t, question)
		if len(all) == 0 || all[0].Path+" "+all[0].Title != want {
			t.Errorf("%s: %+v, want %s", question, all, want)
			continue
		}
		lines := strings.Split(library[all[0].Path], "\n")
		if first := all[0]; first.Score <= 0 || first.Score > 1 || first.End > len(lines)-1 || first.Start > first.End {
			t.Errorf("%s: %+v of %d lines", question, first, len(lines)-1)
		}
		for i, x := range all {
			if x.Path == "CHANGELOG.md" || x.Path == "notes.txt" || i > 0 && x.Score > all[i-1].Score {
				t.Errorf("%s: %+v", question, x)
			}
		}
	}
	for name, want := range map[string]bool{"CHANGES.md": true, "change-archive.txt": true, "docs/RELEASES.md": true,
		"ROADMAP.md": true, "SECURITY.md": true, "docs/security.md": false, "exchange-rates.md": false, "changing.md": false} {
		if Minor(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
	if _, ok := Ask("how is it?"); ok {
		t.Error("a question of stop words is about something")
	}
	if all := ask(t, "zebra crossing"); len(all) > 0 {
		t.Errorf("%+v", all)
	}
}

// TestLookIsTotal checks that any question and document can be looked at, and that lines of texts are those of the
// document, none twice.
func TestLookIsTotal(t *testing.T) {
	long := strings.Repeat("# a title\n\nwords of it\n", 3000)
	for _, src := range []string{"", "\n", "# x", "\r\n# x\r\nword\r\n", "\xff\xfe word", long, strings.Repeat("word ", 1<<19)} {
		q, _ := Ask("a title of a word " + strings.Repeat("und noch eins ", 500))
		last := 0
		for _, x := range q.Rank([]Texts{q.Look("a.md", []byte(src))}) {
			last = max(last, x.End)
			if x.Start < 1 || x.End < x.Start {
				t.Errorf("%.20q: %+v", src, x)
			}
		}
		if n := strings.Count(src, "\n") + 1; last > n {
			t.Errorf("%.20q: line %d of %d", src, last, n)
		}
	}
}

// TestQuestionInCode: a section that shows how to ask the question does not answer it, one with it for a title does.
func TestQuestionInCode(t *testing.T) {
	for text, want := range map[string]int{
		"# Use\n\nAsk:\n\n```\nask \"How is a door locked?\"\n```\n": 0,
		"# How is a door locked?\n\nWith a key.\n":                   1,
	} {
		q, _ := Ask("how is a door locked")
		if got := len(q.Look("a.md", []byte(text)).Found); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
