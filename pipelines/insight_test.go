package pipelines_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/pipelines"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/offline"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
)

var insightTree = fstest.MapFS{
	"store/open.go":  {Data: []byte("package store\n\nimport \"os\"\n\nfunc Open(name string) *os.File {\n\tf, err := os.Open(name)\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\treturn f\n}\n")},
	"store/close.go": {Data: []byte("package store\n\nimport \"os\"\n\nfunc Close(f *os.File) {\n\t_ = f.Close()\n}\n\n\n\n")},
}

// sourceOf reads cited lines out of a tree.
func sourceOf(tree fstest.MapFS) pipelines.Source {
	return func(_ context.Context, path string, start, end int) ([]string, int, error) {
		file, ok := tree[path]
		if !ok {
			return nil, 0, errors.New("there is no such file")
		}
		lines := strings.Split(strings.TrimSuffix(string(file.Data), "\n"), "\n")
		if start > len(lines) {
			return nil, len(lines), nil
		}
		return lines[start-1 : min(end, len(lines))], len(lines), nil
	}
}

func submits(title, claim, importance string, evidence ...string) offline.Call {
	return offline.Call{Name: "submit_finding", Args: map[string]any{"title": title, "claim": claim, "importance": importance, "evidence": evidence}}
}

const (
	analysis = `The store has two faults.

## errors

- [high] Open panics: store.Open panics when the file is missing, so that no caller can handle it
  [store/open.go:5-11]
- **medium** Close drops its error: what Close says is assigned to nothing [store/close.go:6, store/close.go:5]
- a point without evidence

## Open

- whether anything else opens files
`
	openClaim  = "store.Open panics when the file is missing, so no caller can handle it."
	closeClaim = "store.Close drops the error of Close: lost writes go unnoticed."
)

func look(tool string, args map[string]any) offline.Line {
	return offline.Calls(offline.Call{Name: tool, Args: args})
}

// analyzes are the lines of an analysis that goes through all phases.
func analyzes(text string) []offline.Line {
	return []offline.Line{
		look("list_dir", map[string]any{}),
		look("search", map[string]any{"pattern": "panic"}),
		look("read_file", map[string]any{"path": "store/open.go"}),
		look("search", map[string]any{"pattern": "never_there"}),
		look("search", map[string]any{"pattern": "panic"}),
		look("read_file", map[string]any{"path": "store/open.go"}),
		look("search", map[string]any{"pattern": "panic", "path": "store"}),
		offline.Text("I have seen enough."),
		offline.Text(text),
	}
}

// insight runs the pipeline with a script.
func insight(t *testing.T, o pipelines.InsightOptions, lines ...offline.Line) (*pipelines.Findings, []pipelines.Outcome, []providers.Request, error) {
	t.Helper()
	model := offline.Script(lines...)
	findings := pipelines.NewFindings(sourceOf(insightTree), o.Most)
	stages, err := pipelines.Insight(agent.Config{Model: model, Tools: codebase.Tools(insightTree, nil)}, findings, o)
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := pipelines.Run(t.Context(), contextwindow.New(contextwindow.Budget{Limit: 48_000, Profile: contextwindow.Lean}, nil), "", stages...)
	for i, r := range model.Requests() {
		if err := transcript.Check(r.Messages, transcript.AnyProvider); err != nil {
			t.Errorf("request %d: %v", i+1, err)
		}
	}
	return findings, outcomes, model.Requests(), err
}

// TestInsight runs a model's analysis and what it hands in: a finding, the same once more under the same title and again on
// the same lines in other words, one whose file is not there, one beyond the end of its file, and its correction. What is refused
// the model sees with the reason.
func TestInsight(t *testing.T) {
	lines := append(analyzes(analysis),
		offline.Calls(submits("Open panics", openClaim, "high", "store/open.go:5-11"), submits("open: PANICS", "It panics, whatever the caller would like to do about it.", "low", "store/open.go:8")),
		offline.Calls(submits("A missing file ends the process", openClaim+" Indeed.", "high", "store/open.go:5-11")),
		offline.Calls(submits("Close is careless about errors", closeClaim, "medium", "store/shut.go:6"), submits("Close is careless about errors", closeClaim, "medium", "store/close.go:60")),
		offline.Calls(submits("Close is careless about errors", closeClaim, "medium", "store/close.go:5-7")),
		offline.Calls(submits("Nothing stands here at all", "The lines are blank, which shows nothing.", "low", "store/close.go:8-9")),
		offline.Text("Two."), offline.Text("Two findings."), offline.Text("Two findings were handed in."), offline.Text("Two findings were handed in."),
	)
	findings, outcomes, requests, err := insight(t, pipelines.InsightOptions{Dimensions: []string{"errors"}, Most: 10}, lines...)
	if err != nil {
		t.Fatal(err)
	}
	want := []pipelines.Finding{
		{Title: "Open panics", Claim: openClaim, Importance: "high", Evidence: []pipelines.Citation{{Path: "store/open.go", Start: 5, End: 11}}},
		{Title: "Close is careless about errors", Claim: closeClaim, Importance: "medium", Evidence: []pipelines.Citation{{Path: "store/close.go", Start: 5, End: 7}}},
	}
	if diff := cmp.Diff(want, findings.All()); diff != "" {
		t.Error(diff)
	}
	if got := statuses(outcomes); got != "analyze passed 1, produce degraded 1" {
		t.Errorf("%s: %s", got, outcomes[1].Reason)
	}
	var seen []string
	for _, m := range requests[len(requests)-1].Messages {
		if m.Role == transcript.Tool && m.Failed {
			seen = append(seen, m.Text)
		}
	}
	for i, reason := range []string{`its title is that of "Open panics"`, `its evidence is that of "Open panics"`, "there is no such file", "the file has 10 lines", "its lines are blank"} {
		if i >= len(seen) || !strings.Contains(seen[i], reason) {
			t.Errorf("refusal %d: the model does not see %q: %q", i+1, reason, seen)
		}
	}
	if len(findings.Refused()) != 5 {
		t.Errorf("refused: %+v", findings.Refused())
	}
}

// TestInsightHandsOver holds what crosses from the analysis to the stage behind it.
func TestInsightHandsOver(t *testing.T) {
	lines := append(analyzes(analysis), offline.Calls(submits("Open panics", openClaim, "high", "store/open.go:5-11")), offline.Repeat(0, offline.Text("One finding.")))
	_, outcomes, requests, err := insight(t, pipelines.InsightOptions{Dimensions: []string{"errors", "security"}, Most: 3, Steps: 12}, lines...)
	if err != nil {
		t.Fatal(err)
	}
	h := outcomes[0].Handover
	want := pipelines.Handover{
		Findings: []pipelines.Finding{
			{Title: "Open panics", Claim: "store.Open panics when the file is missing, so that no caller can handle it", Importance: "high", Dimension: "errors",
				Evidence: []pipelines.Citation{{Path: "store/open.go", Start: 5, End: 11}}},
			{Title: "Close drops its error", Claim: "what Close says is assigned to nothing", Importance: "medium", Dimension: "errors",
				Evidence: []pipelines.Citation{{Path: "store/close.go", Start: 6, End: 6}, {Path: "store/close.go", Start: 5, End: 5}}},
		},
		Files:    []string{"store/open.go"},
		Negative: []string{`search {"pattern":"never_there"} found nothing`},
		Open:     []string{"whether anything else opens files"},
		Log:      h.Log,
	}
	if diff := cmp.Diff(want, h); diff != "" || len(h.Log) != 7 || !strings.HasPrefix(h.Log[1], `search {"pattern":"panic"}`) {
		t.Errorf("%s, log %q", diff, h.Log)
	}
	prompt := requests[9].Messages[0].Text
	_, raw, _ := strings.Cut(prompt, "```json\n")
	raw, _, _ = strings.Cut(raw, "\n```")
	var crossed pipelines.Handover
	if err := json.Unmarshal([]byte(raw), &crossed); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	if diff := cmp.Diff(h, crossed); diff != "" || !strings.Contains(prompt, "Dimensions: errors, security\n") || !strings.Contains(prompt, "at most 3") {
		t.Errorf("%s in %q", diff, prompt)
	}
	first := requests[0].Messages[0].Text
	if !strings.Contains(first, "- security: ") || strings.Contains(first, "- testing: ") || requests[0].Choice != providers.Required || requests[8].Choice != providers.None {
		t.Errorf("the analysis is asked for with %q", first)
	}
}

// An analysis without evidence is asked for once more, and told what it lacks; then nothing is handed in.
func TestInsightGates(t *testing.T) {
	lines := append(analyzes("All is well, as far as I can see, and I did look around a lot."), offline.Repeat(0, offline.Text("All is well, as I said, and nothing is to be found here.")))
	findings, outcomes, requests, err := insight(t, pipelines.InsightOptions{Steps: 12}, lines...)
	if err != nil || statuses(outcomes) != "analyze exhausted 2, produce skipped 0" || len(findings.All()) != 0 {
		t.Errorf("%s, %v", statuses(outcomes), err)
	}
	retry := requests[9].Messages
	if last := retry[len(retry)-1].Text; !strings.Contains(last, "there are 0 findings with evidence") || strings.Contains(last, "characters") {
		t.Errorf("the retry says %q", last)
	}
	report := pipelines.Summarize(findings, outcomes)
	if len(report.Stages) != 2 || report.Stages[0].Attempts != 2 || report.Stages[0].Status != pipelines.Exhausted || report.Findings == nil {
		t.Errorf("%+v", report)
	}

	lines = append(analyzes(analysis), offline.Repeat(0, offline.Text("There is nothing to hand in.")))
	_, outcomes, _, err = insight(t, pipelines.InsightOptions{Steps: 12}, lines...)
	if err != nil || statuses(outcomes) != "analyze passed 1, produce exhausted 2" || !strings.Contains(outcomes[1].Reason, "Nothing was handed in") {
		t.Errorf("%s, %v: %+v", statuses(outcomes), err, outcomes[1].Reason)
	}
}

func TestInsightRefuses(t *testing.T) {
	f := pipelines.NewFindings(sourceOf(insightTree), 1)
	if _, err := pipelines.Insight(agent.Config{Model: offline.Script()}, f, pipelines.InsightOptions{Dimensions: []string{"beauty"}}); err == nil || !strings.Contains(err.Error(), "architecture, concurrency, errors") {
		t.Errorf("an unknown dimension: %v", err)
	}
	if _, err := pipelines.Insight(agent.Config{}, f, pipelines.InsightOptions{}); err == nil {
		t.Error("no model is no error")
	}
}

// TestSubmitFinding calls the tool as a model does.
func TestSubmitFinding(t *testing.T) {
	f := pipelines.NewFindings(sourceOf(insightTree), 2)
	set, err := tools.NewSet(f.Tool())
	if err != nil {
		t.Fatal(err)
	}
	submit := func(title, claim string, evidence ...string) error {
		args, err := json.Marshal(map[string]any{"title": title, "claim": claim, "importance": "low", "evidence": evidence})
		if err != nil {
			t.Fatal(err)
		}
		if err := set.Validate("submit_finding", args); err != nil {
			return err
		}
		_, err = f.Tool().Call(t.Context(), args)
		return err
	}
	for _, test := range []struct {
		title, claim string
		evidence     []string
		want         string // "": taken
	}{
		{"Open panics", openClaim, []string{"store/open.go:L8", "`store/open.go:8`"}, ""},
		{"panics: Open!", "Another claim altogether, of other things.", []string{"store/open.go:1"}, "its title is that of"},
		{"A different title", "Another claim altogether, of other things.", []string{"store/open.go:8-8"}, "its evidence is that of"},
		{"Open panics badly", openClaim, []string{"store/open.go:7-9"}, "it says of the same lines what says"},
		{"A line too many", openClaim, []string{"store/open.go:5-90"}, "is of 86 lines; at most 80"},
		{"Beyond the end", openClaim, []string{"store/open.go:12"}, "the file has 11 lines"},
		{"Backwards lines", openClaim, []string{"store/open.go:9-5"}, "names no lines"},
		{"Line zero here", openClaim, []string{"store/open.go:0"}, "names no lines"},
		{"No lines cited", openClaim, []string{"store/open.go"}, "is not of the form path:12-30"},
		{"One of two is bad", openClaim, []string{"store/open.go:1", "no.go:1"}, "there is no such file"},
		{"Short", openClaim, []string{"store/open.go:1"}, "/title"},
		{"No claim at all", "", []string{"store/open.go:1"}, "/claim"},
		{"No evidence at all", openClaim, nil, "/evidence"},
		{"Another finding", closeClaim, []string{"store/close.go:6"}, ""},
		{"One too many of them", "Something else entirely that is true.", []string{"store/close.go:1"}, "2 findings are taken"},
	} {
		err := submit(test.title, test.claim, test.evidence...)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.title, err, test.want)
		}
	}
	if all := f.All(); len(all) != 2 || len(all[0].Evidence) != 1 {
		t.Errorf("taken: %+v", all)
	}
}

// The report of findings, in both of its forms.
func TestReport(t *testing.T) {
	lines := append(analyzes(analysis), offline.Calls(
		submits("Close is careless about errors", closeClaim, "medium", "store/close.go:6", "store/close.go:5"),
		submits("Open panics", openClaim, "high", "store/open.go:8"),
		submits("Nothing stands here", "The lines are not there, which shows nothing.", "low", "store/close.go:80"),
	), offline.Repeat(0, offline.Text("Two findings.")))
	findings, outcomes, _, err := insight(t, pipelines.InsightOptions{Dimensions: []string{"errors"}}, lines...)
	if err != nil {
		t.Fatal(err)
	}
	report := pipelines.Summarize(findings, outcomes)
	report.Repository, report.Dimensions = "shop", []string{"errors"}
	got := report.Markdown("the footer")
	want := `# Findings in shop

2 findings in errors.

## 1. Open panics

*high*

` + openClaim + `

- store/open.go:8

## 2. Close is careless about errors

*medium*

` + closeClaim + `

- store/close.go:6
- store/close.go:5

## Open

- whether anything else opens files

## Refused

- Nothing stands here: the citation store/close.go:80 does not stand: the file has 10 lines

---
the footer
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	raw, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	var again pipelines.Report
	if err := json.Unmarshal(raw, &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*report, again); diff != "" || !strings.Contains(string(raw), `"evidence":["store/open.go:8"]`) {
		t.Errorf("%s: %s", diff, raw)
	}
}

// What cannot be cited is an error, and what can is written as it is read.
func FuzzParseCitation(f *testing.F) {
	for _, s := range []string{"a.go:1", "a/b.go:12-30", "[a.go:L3-L9]", "`x y.md:4`", "a.go:0", "a.go:9-3", ":3", "a:b:7", "a.go:99999999999", "../../etc/passwd:1", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := pipelines.ParseCitation(s)
		if err != nil {
			return
		}
		if c.Start < 1 || c.End < c.Start || c.Path == "" {
			t.Fatalf("%q: %+v", s, c)
		}
		if again, err := pipelines.ParseCitation(c.String()); err != nil || fmt.Sprint(again) != fmt.Sprint(c) {
			t.Fatalf("%q is written %q, which is read as %+v, %v", s, c, again, err)
		}
	})
}
