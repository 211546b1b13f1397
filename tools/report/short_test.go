package report

import (
	"fmt"
	"strings"
	"testing"
)

// long is a report with more of everything than the short form shows.
func long() *Report {
	r := &Report{Question: "who asks?", Found: true, NextQuestion: "What next?", NotCovered: []string{"one file"},
		Excerpts: []Excerpt{{Path: "a.go", Start: 1, End: 2, Lines: []string{"x", "y"}}},
		Tests:    []Place{{Path: "a_test.go", Start: 1, End: 1}},
		Commits:  []Change{{Commit: "0123456789ab", Subject: "ask"}}}
	for i := range 7 {
		name := fmt.Sprintf("f%d", i)
		r.Places = append(r.Places, Place{Path: "a.go", Start: i + 1, End: i + 1, Symbol: name, Confidence: .9 / float64(i+1)})
		r.Summary = append(r.Summary, Statement{Text: "Says " + name + ".", Citations: []string{"a.go:1"}})
	}
	for _, e := range []string{"main run", "run f0", "other f0", "f0 f3", "f3 f0", "f0 noise", "noise deep"} {
		from, to, _ := strings.Cut(e, " ")
		r.Edges = append(r.Edges, Edge{From: from, To: to, Kind: "calls", Citation: "a.go:1"})
	}
	return r
}

// The short form shows the answer, five places and the calls that lead to the first one, and says what it leaves out.
func TestShort(t *testing.T) {
	want := `# who asks?

Says f0. [a.go:1]

` + "`a.go:1-2`\n\n```go\nx\ny\n```" + `

## Where to look first

| # | path:lines | symbol | why | confidence |
|---|---|---|---|---|
| 1 | ` + "`a.go:1` | `f0`" + ` |  | strong |
| 2 | ` + "`a.go:2` | `f1`" + ` |  |  |
| 3 | ` + "`a.go:3` | `f2`" + ` |  |  |
| 4 | ` + "`a.go:4` | `f3`" + ` |  |  |
| 5 | ` + "`a.go:5` | `f4`" + ` |  |  |

## How it fits together

` + "1. `main` calls `run` [a.go:1]\n2. `run` calls `f0` [a.go:1]\n3. `f0` calls `f3` [a.go:1]" + `

More with --long: 6 sentences, 2 places, 4 relations, 1 test, 1 commit, 1 note.

---
3 steps

RELEVANT_FILES:
- a.go:1
- a.go:2
- a.go:3
- a.go:4
- a.go:5
- a.go:6
- a.go:7
`
	o := PrintOptions{Short: "--long", Sentences: 1, Footer: "3 steps"}
	r := long()
	if got := r.Markdown(o); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if text := r.PlainText(o); !strings.Contains(text, "f0  strong") || strings.Contains(text, "`") {
		t.Errorf("the plain text has marks:\n%s", text)
	}
	if len(r.Summary) != 7 || len(r.Places) != 7 || len(r.Excerpts) != 1 {
		t.Error("printing changed the report")
	}
}

// What was not looked at stays in the short form of a report that it may change.
func TestShortKeepsWhatMatters(t *testing.T) {
	r := long()
	if got := r.Markdown(PrintOptions{Short: "--long", Sentences: 1, Partial: true}); !strings.Contains(got, "- one file\n") ||
		!strings.Contains(got, "Says f6.") {
		t.Errorf("partial:\n%s", got)
	}
	r.Found = false
	if got := r.Markdown(PrintOptions{Short: "--long", Sentences: 1}); !strings.Contains(got, "- one file\n") {
		t.Errorf("nothing found:\n%s", got)
	}
	r = &Report{Found: true, Summary: []Statement{{Text: "A shop.", Topic: "What it is"}, {Text: "MIT.", Topic: "Licence"}},
		Places: long().Places}
	const want = "### What it is\n\n- A shop.\n\n### Licence\n\n- MIT.\n\nMore with --long: 7 places.\n\nRELEVANT_FILES:\n"
	if got := r.Markdown(PrintOptions{Short: "--long", Sentences: 1}); !strings.HasPrefix(got, want) {
		t.Errorf("overview:\n%s", got)
	}
}

func TestTrust(t *testing.T) {
	for _, tt := range []struct {
		first, second float64
		want          string
	}{
		{0, 0, " / "}, {.97, .9, "strong / "}, {.9, .3, "strong / "}, {.7, .65, "likely / "}, {.7, .3, "likely / "},
		{.5, .3, "one of these / one of these"}, {.5, .05, "one of these / "},
	} {
		r := &Report{Places: []Place{{Confidence: tt.first}, {Confidence: tt.second}}}
		if got := r.Trust() + " / " + r.trust(1); got != tt.want {
			t.Errorf("%v: %q, want %q", tt, got, tt.want)
		}
	}
	if (&Report{}).Trust() != "" {
		t.Error("a report without places has confidence")
	}
}

// The code shown is that of the narrowest citation, begins with what holds it, and is left out if the sentence has it.
func TestShortCode(t *testing.T) {
	code := make([]string, 40)
	for i := range code {
		code[i] = fmt.Sprintf("\t\tline%d", i+1)
	}
	code[9], code[12], code[28] = "\t}", "\tfunc f() {", "\tfunc g() {"
	class := Excerpt{Path: "a.go", Start: 1, End: 40, Lines: code}
	for _, test := range []struct {
		text  string
		cited []string
		all   []Excerpt
		want  string
	}{
		{"s", []string{"a.go:1-40", "a.go:18"}, []Excerpt{class}, "a.go:13-32"},
		{"s", []string{"a.go:1-40"}, []Excerpt{class}, "a.go:1-20"},
		{"s", []string{"a.go:39"}, []Excerpt{class}, "a.go:29-40"},
		{"s", []string{"a.go:1-40", "a.go:18"}, []Excerpt{class, {Path: "a.go", Start: 17, End: 19, Lines: code[16:19]}}, "a.go:17-19"},
		{"s", []string{"a.go:2", "b.go:3"}, []Excerpt{class, {Path: "b.go", Start: 2, End: 21, Lines: code[:20]}}, "a.go:1-12 b.go:2-13"},
		{"s", []string{"a.go:2", "a.go:3"}, []Excerpt{class}, "a.go:1-20"},
		{"it is `line1`", []string{"a.go:1"}, []Excerpt{{Path: "a.go", Start: 1, End: 1, Lines: code[:1]}}, ""},
		{"s", []string{"b.go:1", "?"}, []Excerpt{class}, ""},
		{"s", []string{"a.go:1"}, []Excerpt{{Path: "a.go", Start: 1, End: 9}}, ""}, // not read
	} {
		r := Report{Found: true, Summary: []Statement{{Text: test.text, Citations: test.cited}}, Excerpts: test.all}
		var got []string
		for _, e := range r.deciding() {
			got = append(got, e.Citation().String())
			if len(e.Lines) != e.End-e.Start+1 {
				t.Errorf("%v: %d lines", e.Citation(), len(e.Lines))
			}
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%v in %v: got %s, want %s", test.cited, test.all, got, test.want)
		}
	}
}
