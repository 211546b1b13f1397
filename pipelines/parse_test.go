package pipelines

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/tools/report"
)

func cite(path string, start, end int) []report.Citation {
	return []report.Citation{{Path: path, Start: start, End: end}}
}

// Findings are read out of the lists that models write.
func TestFindingsInText(t *testing.T) {
	for text, want := range map[string][]Finding{
		"- [high] A title: a claim [a.go:1-2]":                               {{Title: "A title", Claim: "a claim", Importance: "high", Evidence: cite("a.go", 1, 2)}},
		"* **low** A title. A claim `a/b.py:7`":                              {{Title: "A title", Claim: "A claim", Importance: "low", Evidence: cite("a/b.py", 7, 7)}},
		"1. Without a colon [a.go:3]":                                        {{Title: "Without a colon", Claim: "Without a colon", Evidence: cite("a.go", 3, 3)}},
		"2) (medium) **Bold**: two\n   lines of it\n   [a.go:3; a.go:9]":     {{Title: "Bold", Claim: "two lines of it", Importance: "medium", Evidence: []report.Citation{{Path: "a.go", Start: 3, End: 3}, {Path: "a.go", Start: 9, End: 9}}}},
		"- no evidence\n\n- index x[1:2] is none\n- a url [x](http://h:80/)": nil,
		"A sentence [a.go:3] in no list.":                                    nil,
		"# Errors\n- t: c [a.go:1]\n## Other\n- u: d [b.go:2]":               {{Title: "t", Claim: "c", Dimension: "errors", Evidence: cite("a.go", 1, 1)}, {Title: "u", Claim: "d", Dimension: "other", Evidence: cite("b.go", 2, 2)}},
		"- 标题：说明文字 [a.go:5]":                                                 {{Title: "标题", Claim: "说明文字", Evidence: cite("a.go", 5, 5)}},
		"":                                                                   nil,
	} {
		if diff := cmp.Diff(want, ParseFindings(text)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestOpenPoints(t *testing.T) {
	text := "## Findings\n- one [a.go:1]\n\n## Not covered\n- the tests\n- whether it holds on Windows\n\nOpen questions:\n* who calls it\n## Next\n- no more"
	want := []string{"the tests", "whether it holds on Windows", "who calls it"}
	if diff := cmp.Diff(want, openItems(text)); diff != "" {
		t.Error(diff)
	}
}

func record(name, args string, value any, err error, step int) agent.ToolRecord {
	return agent.ToolRecord{Step: step, Made: transcript.ToolCall{Name: name, Args: json.RawMessage(args)}, Value: value, Err: err}
}

// Evaluators say what is missing, and nothing when it is there.
func TestEvaluators(t *testing.T) {
	a := Attempt{
		Result: &agent.Result{Text: "  twelve rünes [a.go:1] [a.go:2] [b.go:3]  ", Tools: []agent.ToolRecord{
			record("search", `{}`, "x", nil, 1), record("search", `{}`, nil, errors.New("no"), 1), record("read_file", `{}`, "x", nil, 2),
		}},
		Handover: Handover{Findings: []Finding{{Title: "one", Evidence: cite("a.go", 1, 1)}, {Title: "without"}}},
	}
	for name, test := range map[string]struct {
		enough, short func(Attempt) string
		says          string
	}{
		"length":   {MinLength(39), MinLength(40), "39 characters; at least 40"},
		"paths":    {CitedPaths(2), CitedPaths(3), "cites 2 files"},
		"calls":    {ToolCalls(2), ToolCalls(3), "2 tool calls succeeded"},
		"findings": {FindingsWithEvidence(1), FindingsWithEvidence(2), "there is 1 findings"},
	} {
		if got := test.enough(a); got != "" {
			t.Errorf("%s: %q", name, got)
		}
		if got := test.short(a); !strings.Contains(got, test.says) {
			t.Errorf("%s: %q does not say %q", name, got, test.says)
		}
	}
	both := Gates(DegradeUnless(MinLength(1)), RetryUnless(MinLength(99), ToolCalls(9)), func(Attempt) Verdict { panic("asked after one that decided") })
	if v := both(a); v.decision != again || strings.Count(v.Reason, "\n- ") != 2 {
		t.Errorf("%+v", v)
	}
	if v := Gates()(a); v != Pass() {
		t.Errorf("no gates: %+v", v)
	}
}

// A hand-over adds what attempts did, and takes the newest of what they said.
func TestHandoverAdds(t *testing.T) {
	var h Handover
	h.add(&agent.Result{Text: "- old: claim [a.go:1]", Tools: []agent.ToolRecord{
		record("read_file", `{"path":"a.go"}`, "text", nil, 1), record("search", `{"pattern":"x","path":"src"}`, map[string]int{"total": 0}, nil, 1),
		record("read_file", `{"path":"b.go"}`, nil, errors.New("gone"), 2),
	}})
	h.add(&agent.Result{Tools: []agent.ToolRecord{record("read_file", `{"path":"a.go"}`, "text", nil, 1), record("list_dir", `{"path":"src"}`, "c.go", nil, 2)}})
	if len(h.Findings) != 1 {
		t.Errorf("an attempt without a text took the findings away: %+v", h)
	}
	h.add(&agent.Result{Text: "- new: claim [b.go:2]"})
	want := Handover{
		Findings: []Finding{{Title: "new", Claim: "claim", Evidence: cite("b.go", 2, 2)}},
		Files:    []string{"a.go"},
		Negative: []string{`search {"pattern":"x","path":"src"} found nothing`},
		Log: []string{
			`read_file {"path":"a.go"}; search {"pattern":"x","path":"src"}`, `read_file {"path":"b.go"}`,
			`read_file {"path":"a.go"}`, `list_dir {"path":"src"}`,
		},
	}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Error(diff)
	}
	for range 300 {
		h.add(&agent.Result{Tools: []agent.ToolRecord{record("search", strings.Repeat("x", 999), "", nil, 1)}})
	}
	if len(h.Log) != maxLog || len(h.Negative) > maxNegative || len([]rune(h.Log[maxLog-1])) > maxLine {
		t.Errorf("%d lines of log, %d negative", len(h.Log), len(h.Negative))
	}
}
