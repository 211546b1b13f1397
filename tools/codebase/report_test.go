package codebase

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/report"
	"github.com/forayhq/foray/tools/tree"
)

// accept submits a report over the small tree and returns its receipt.
func accept(t *testing.T, r report.Report) (*Receipt, error) {
	t.Helper()
	return acceptOver(t, smallTree(), r)
}

func acceptOver(t *testing.T, files fs.FS, r report.Report) (*Receipt, error) {
	t.Helper()
	args, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	set, err := tools.NewSet(Tools(tree.Open(files, nil), nil)...)
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Validate("report", args); err != nil {
		t.Fatal(err)
	}
	tool, _ := set.Lookup("report")
	v, err := tool.Call(t.Context(), args)
	if err != nil {
		return nil, err
	}
	return v.(*Receipt), nil
}

func full() report.Report {
	return report.Report{
		Question: "How does it greet?",
		Found:    true,
		Summary: []report.Statement{
			{
				Text:      "Greeting puts hello before the name.",
				Citations: []string{"src/greet.go:4-6"},
				Quote:     "return   \"hello \" + name",
			},
			{Text: "main prints it.", Citations: []string{"./src/main.go:L7", "src/main.go:6-8"}},
		},
		Places: []report.Place{
			{Path: "src/greet.go", Start: 4, End: 6, Symbol: "Greeting", Why: "builds | the `text`", Confidence: 0.9},
			{Path: "src/main.go", Start: 6, End: 8},
			{Path: "src/greet.go", Start: 4, End: 6},
		},
		Edges: []report.Edge{
			{From: "main", To: "Greeting", Kind: "calls", Citation: "src/main.go:7"},
			{From: "Greeter.Greet", To: "Greeting", Kind: "calls", Citation: "src/greet.go:12"},
		},
		Excerpts: []report.Excerpt{{Path: "src/greet.go", Start: 3, End: 6}, {Path: "data/short.txt", Start: 1, End: 1}},
		Tests:    []report.Place{{Path: "lib/shapes.py", Start: 6, End: 7, Symbol: "Square", Why: "for want of a test"}},
		Commits: []report.Change{
			{
				Commit:  "0123456789abcdef0123456789abcdef01234567",
				Date:    "2026-01-31",
				Subject: "greet: say `hello`",
				Path:    "src/greet.go",
			},
			{Commit: "89abcdef", Subject: "main: print it"},
		},
		NotCovered:   []string{"data/binary.bin is binary"},
		NextQuestion: "Who calls Greet?",
	}
}

func TestReportIsKept(t *testing.T) {
	r, err := accept(t, full())
	if err != nil {
		t.Fatal(err)
	}
	if !r.Accepted || r.Citations != 11 || r.Files != 4 {
		t.Errorf("accepted %t with %d citations in %d files, want 11 in 4", r.Accepted, r.Citations, r.Files)
	}
	want := []string{
		"// Greeting is what is said to name.",
		"func Greeting(name string) string {",
		"\treturn \"hello \" + name",
		"}",
	}
	if diff := cmp.Diff(want, r.Report.Excerpts[0].Lines); diff != "" {
		t.Errorf("excerpt (-want +got):\n%s", diff)
	}
	if got := r.Report.Summary[1].Citations; !cmp.Equal(got, []string{"src/main.go:7", "src/main.go:6-8"}) {
		t.Errorf("citations %q are not in their usual form", got)
	}
	print := report.PrintOptions{Mermaid: true, Footer: "3 steps, 5 files"}
	golden(t, "testdata/report.md", r.Report.Markdown(print))
	golden(t, "testdata/report.txt", r.Report.PlainText(print))
}

// Statements with a topic come under its heading, once.
func TestReportTopics(t *testing.T) {
	r, err := accept(t, report.Report{Found: true, Summary: []report.Statement{
		{Text: "It greets.", Citations: []string{"src/greet.go:4"}},
		{Text: "main begins it.", Citations: []string{"src/main.go:6"}, Topic: "Entry points"},
		{Text: "main prints.", Citations: []string{"src/main.go:7"}, Topic: "Entry points"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	list := "\nRELEVANT_FILES:\n- src/greet.go:4\n- src/main.go:6\n- src/main.go:7\n"
	for got, want := range map[string]string{
		r.Report.Markdown(report.PrintOptions{}):  "It greets. [src/greet.go:4]\n\n### Entry points\n\nmain begins it. [src/main.go:6]\n\nmain prints. [src/main.go:7]\n" + list,
		r.Report.PlainText(report.PrintOptions{}): "It greets. [src/greet.go:4]\n\nEntry points\nmain begins it. [src/main.go:6]\nmain prints. [src/main.go:7]\n" + list,
	} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

// The table shows the first places, the list all of them.
func TestReportOfManyPlaces(t *testing.T) {
	in := full()
	for range 12 {
		in.Places = append(in.Places, report.Place{Path: "src/main.go", Start: 1, End: len(in.Places) - 2})
	}
	for i := range in.Places[3:] {
		in.Places[3+i].End = 1 + i%8
	}
	r, err := accept(t, in)
	if err != nil {
		t.Fatal(err)
	}
	md := r.Report.Markdown(report.PrintOptions{})
	if !strings.Contains(md, "\n| 12 |") || strings.Contains(md, "\n| 13 |") ||
		!strings.Contains(md, "\n\n3 further places in RELEVANT_FILES\n\n") {
		t.Errorf("the table does not end behind its twelfth row:\n%s", md)
	}
}

func TestReportOfNothing(t *testing.T) {
	r, err := accept(t, report.Report{Summary: []report.Statement{{Text: "There is no cache here."}}})
	if err != nil {
		t.Fatal(err)
	}
	want := "Nothing relevant was found.\n\nThere is no cache here.\n\nRELEVANT_FILES:\n"
	if got := r.Report.Markdown(report.PrintOptions{}); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Each fault alone is refused, and said; a report may not take more room than it is given.
func TestReportFaults(t *testing.T) {
	for want, spoil := range map[string]func(*report.Report){
		"summary: is empty":                     func(r *report.Report) { r.Summary = []report.Statement{} },
		"summary[0]: has no citation":           func(r *report.Report) { r.Summary[0].Citations = nil },
		"is not of the form path:12-30":         func(r *report.Report) { r.Summary[0].Citations[0] = "src/greet.go" },
		"has only 12 lines":                     func(r *report.Report) { r.Places[0].End = 99 },
		"lines 6-4 are not a range":             func(r *report.Report) { r.Places[0].Start, r.Places[0].End = 6, 4 },
		"src/gret.go does not exist":            func(r *report.Report) { r.Places[0].Path = "src/gret.go" },
		"leads out of the root":                 func(r *report.Report) { r.Places[0].Path = "../x" },
		"credentials":                           func(r *report.Report) { r.Places[0].Path = ".env" },
		"is not in src/greet.go":                func(r *report.Report) { r.Places[0].Quote = "goodbye" },
		"summary[0].citations[0]: the quote":    func(r *report.Report) { r.Summary[0].Quote = "goodbye" },
		"confidence=1.5 is not between 0 and 1": func(r *report.Report) { r.Places[0].Confidence = 1.5 },
		"from or to is blank":                   func(r *report.Report) { r.Edges[0].To = " " },
		"edges: name 10 things": func(r *report.Report) {
			for i := range 7 {
				r.Edges = append(r.Edges, report.Edge{From: fmt.Sprint("n", i), To: "main", Kind: "calls", Citation: "src/main.go:7"})
			}
		},
		"commits[1]: commit \"HEAD\" is not a hash": func(r *report.Report) { r.Commits[1].Commit = "HEAD" },
		"commits[0]: subject is blank":              func(r *report.Report) { r.Commits[0].Subject = " " },
		"commits: are 22":                           func(r *report.Report) { r.Commits = append(r.Commits, make([]report.Change, 20)...) },
		"summary: has 21 statements":                func(r *report.Report) { r.Summary = append(r.Summary, make([]report.Statement, 19)...) },
	} {
		t.Run(want, func(t *testing.T) {
			in := full()
			spoil(&in)
			_, err := accept(t, in)
			var p *tools.Problem
			if !errors.As(err, &p) || p.Code != "refused" || !strings.Contains(p.Message, want) {
				t.Errorf("got %v, want a refusal with %q", err, want)
			}
		})
	}
	long := full()
	long.Excerpts = append(long.Excerpts, long.Excerpts...)
	r, err := accept(t, long)
	if err != nil || len(r.Report.Excerpts) != 3 || len(r.Notes) != 1 {
		t.Errorf("four excerpts: %v, %+v", err, r)
	}
}

// An excerpt begins with a short comment above a definition, but not with a long one, and stays within its bound.
func TestExcerptHasComment(t *testing.T) {
	body := "func a() {\n" + strings.Repeat("\tb()\n", 2*maxExcerptLines) + "}\n"
	for _, test := range []struct {
		above string
		lines int // of the excerpt
		want  string
	}{
		{"// a does it.\n// Twice.\n", 3, "// a does it."},
		{"// a does it.\n", maxExcerptLines, "// a does it."},
		{"// not of it\n\n", 3, "func a() {"},
		{"c()\n", 3, "func a() {"},
		{strings.Repeat("// an example\n", 9), 3, "func a() {"},
		{"/**\n * a does it.\n */\n@Deprecated\n", 3, "/**"},
	} {
		start := strings.Count(test.above, "\n") + 1
		r, err := acceptOver(t, fstest.MapFS{"a.go": {Data: []byte(test.above + body)}}, report.Report{Found: true,
			Summary:  []report.Statement{{Text: "It is a.", Citations: []string{"a.go:1"}}},
			Excerpts: []report.Excerpt{{Path: "a.go", Start: start, End: start + test.lines - 1}}})
		if err != nil {
			t.Fatal(err)
		}
		e := r.Report.Excerpts[0]
		if e.Lines[0] != test.want || e.End-e.Start+1 != len(e.Lines) || len(e.Lines) > maxExcerptLines {
			t.Errorf("%q: lines %d-%d, %d of them, begin with %q, want %q", test.above, e.Start, e.End, len(e.Lines), e.Lines[0], test.want)
		}
	}
}
