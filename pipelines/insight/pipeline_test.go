package insight

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/pipelines"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	codereport "github.com/forayhq/foray/tools/report"
	sourcetree "github.com/forayhq/foray/tools/tree"
)

var insightTree = fstest.MapFS{
	"store/open.go":  {Data: []byte("package store\n\nimport \"os\"\n\nfunc Open(name string) *os.File {\n\tf, err := os.Open(name)\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\treturn f\n}\n")},
	"store/close.go": {Data: []byte("package store\n\nimport \"os\"\n\nfunc Close(f *os.File) {\n\t_ = f.Close()\n}\n\n\n\n")},
}

// treeSource reads cited lines out of a tree.
func treeSource(tree fstest.MapFS) Source {
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

func submits(title, claim, importance string, evidence ...string) scripted.Call {
	return scripted.Call{Name: "submit_finding", Args: map[string]any{"title": title, "claim": claim, "importance": importance, "evidence": evidence}}
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

func look(tool string, args map[string]any) scripted.Line {
	return scripted.Calls(scripted.Call{Name: tool, Args: args})
}

// analyzes are the lines of an analysis that goes through all phases.
func analyzes(text string) []scripted.Line {
	return []scripted.Line{
		look("list_dir", map[string]any{}),
		look("search", map[string]any{"pattern": "panic"}),
		look("read_file", map[string]any{"path": "store/open.go"}),
		look("search", map[string]any{"pattern": "never_there"}),
		look("search", map[string]any{"pattern": "panic"}),
		look("read_file", map[string]any{"path": "store/open.go"}),
		look("search", map[string]any{"pattern": "panic", "path": "store"}),
		scripted.Text("I have seen enough."),
		scripted.Text(text),
	}
}

// runScript runs the pipeline with a script.
func runScript(t *testing.T, o Options, lines ...scripted.Line) (*Report, []providers.Request, error) {
	t.Helper()
	model := scripted.New(lines...)
	o.Source = treeSource(insightTree)
	base := agent.Config{Model: model, Tools: codebase.Tools(sourcetree.Open(insightTree, nil), nil), Budget: contextwindow.Budget{Limit: 48_000, Profile: contextwindow.Lean}}
	report, err := Run(t.Context(), base, &o)
	for i, r := range model.Requests() {
		if err := transcript.Check(r.Messages, transcript.AnyProvider); err != nil {
			t.Errorf("request %d: %v", i+1, err)
		}
	}
	return report, model.Requests(), err
}

func statuses(outcomes []pipelines.Outcome) string {
	var all []string
	for _, o := range outcomes {
		all = append(all, fmt.Sprintf("%s %s %d", o.Stage, o.Status, len(o.Results)))
	}
	return strings.Join(all, ", ")
}

// TestInsight runs a model's analysis and what it hands in: a finding, the same once more under the same title and again on
// the same lines in other words, one whose file is not there, one beyond the end of its file, and its correction. What is refused
// the model sees with the reason.
func TestInsight(t *testing.T) {
	lines := append(analyzes(analysis),
		scripted.Calls(submits("Open panics", openClaim, "high", "store/open.go:5-11"), submits("open: PANICS", "It panics, whatever the caller would like to do about it.", "low", "store/open.go:8")),
		scripted.Calls(submits("A missing file ends the process", openClaim+" Indeed.", "high", "store/open.go:5-11")),
		scripted.Calls(submits("Close is careless about errors", closeClaim, "medium", "store/shut.go:6"), submits("Close is careless about errors", closeClaim, "medium", "store/close.go:60")),
		scripted.Calls(submits("Close is careless about errors", closeClaim, "medium", "store/close.go:5-7")),
		scripted.Calls(submits("Nothing stands here at all", "The lines are blank, which shows nothing.", "low", "store/close.go:8-9")),
		scripted.Text("Two."), scripted.Text("Two findings."), scripted.Text("Two findings were handed in."), scripted.Text("Two findings were handed in."),
	)
	report, requests, err := runScript(t, Options{Dimensions: []string{"errors"}, Most: 10}, lines...)
	if err != nil {
		t.Fatal(err)
	}
	want := []pipelines.Finding{
		{Title: "Open panics", Claim: openClaim, Importance: "high", Evidence: []codereport.Citation{{Path: "store/open.go", Start: 5, End: 11}}},
		{Title: "Close is careless about errors", Claim: closeClaim, Importance: "medium", Evidence: []codereport.Citation{{Path: "store/close.go", Start: 5, End: 7}}},
	}
	if diff := cmp.Diff(want, report.Findings); diff != "" {
		t.Error(diff)
	}
	if got := statuses(report.Outcomes); got != "analyze passed 1, produce degraded 1" {
		t.Errorf("%s: %s", got, report.Outcomes[1].Reason)
	}
	var seen []string
	for _, m := range requests[len(requests)-1].Messages {
		if m.Role == transcript.Tool && m.Failed {
			seen = append(seen, m.Text)
		}
	}
	for i, reason := range []string{`the same title as "Open panics"`, `the same evidence as "Open panics"`, "there is no such file", "the file has 10 lines", "its lines are blank"} {
		if i >= len(seen) || !strings.Contains(seen[i], reason) {
			t.Errorf("refusal %d: the model does not see %q: %q", i+1, reason, seen)
		}
	}
	if len(report.Refused) != 5 {
		t.Errorf("refused: %+v", report.Refused)
	}
}

// TestInsightHandsOver holds what crosses from the analysis to the stage behind it.
func TestInsightHandsOver(t *testing.T) {
	lines := append(analyzes(analysis), scripted.Calls(submits("Open panics", openClaim, "high", "store/open.go:5-11")), scripted.Repeat(0, scripted.Text("One finding.")))
	report, requests, err := runScript(t, Options{Dimensions: []string{"errors", "security"}, Most: 3, Steps: 12}, lines...)
	if err != nil {
		t.Fatal(err)
	}
	h := report.Outcomes[0].Handover
	want := pipelines.Handover{
		Findings: []pipelines.Finding{
			{Title: "Open panics", Claim: "store.Open panics when the file is missing, so that no caller can handle it", Importance: "high", Dimension: "errors",
				Evidence: []codereport.Citation{{Path: "store/open.go", Start: 5, End: 11}}},
			{Title: "Close drops its error", Claim: "what Close says is assigned to nothing", Importance: "medium", Dimension: "errors",
				Evidence: []codereport.Citation{{Path: "store/close.go", Start: 6, End: 6}, {Path: "store/close.go", Start: 5, End: 5}}},
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
	lines := append(analyzes("All is well, as far as I can see, and I did look around a lot."), scripted.Repeat(0, scripted.Text("All is well, as I said, and nothing is to be found here.")))
	report, requests, err := runScript(t, Options{Steps: 12}, lines...)
	if err != nil || statuses(report.Outcomes) != "analyze exhausted 2, produce skipped 0" || len(report.Findings) != 0 {
		t.Errorf("%s, %v", statuses(report.Outcomes), err)
	}
	retry := requests[9].Messages
	if last := retry[len(retry)-1].Text; !strings.Contains(last, "there are 0 findings with evidence") || strings.Contains(last, "characters") {
		t.Errorf("the retry says %q", last)
	}
	if len(report.Stages) != 2 || report.Stages[0].Attempts != 2 || report.Stages[0].Status != pipelines.Exhausted || report.Findings == nil {
		t.Errorf("%+v", report)
	}

	lines = append(analyzes(analysis), scripted.Repeat(0, scripted.Text("There is nothing to hand in.")))
	report, _, err = runScript(t, Options{Steps: 12}, lines...)
	if err != nil || statuses(report.Outcomes) != "analyze passed 1, produce exhausted 2" || !strings.Contains(report.Outcomes[1].Reason, "Nothing was submitted") {
		t.Errorf("%s, %v: %+v", statuses(report.Outcomes), err, report.Outcomes[1].Reason)
	}
}

func TestInsightRefuses(t *testing.T) {
	o := Options{Source: treeSource(insightTree)}
	beauty := o
	beauty.Dimensions = []string{"beauty"}
	_, err := Run(t.Context(), agent.Config{Model: scripted.New()}, &beauty)
	if err == nil || !strings.Contains(err.Error(), "architecture, concurrency, errors") {
		t.Errorf("an unknown dimension: %v", err)
	}
	if _, err := Run(t.Context(), agent.Config{}, &o); err == nil {
		t.Error("no model is no error")
	}
	if _, err := Run(t.Context(), agent.Config{Model: scripted.New()}, nil); err == nil || !strings.Contains(err.Error(), "read_file") {
		t.Errorf("no way to read a citation: %v", err)
	}
}

// TestSubmitFinding calls the tool as a model does.
func TestSubmitFinding(t *testing.T) {
	f := &findings{source: treeSource(insightTree), most: 2}
	set, err := tools.NewSet(f.tool())
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
		_, err = f.tool().Call(t.Context(), args)
		return err
	}
	for _, test := range []struct {
		title, claim string
		evidence     []string
		want         string // "": taken
	}{
		{"Open panics", openClaim, []string{"store/open.go:L8", "`store/open.go:8`"}, ""},
		{"panics: Open!", "Another claim altogether, of other things.", []string{"store/open.go:1"}, "the same title as"},
		{"A different title", "Another claim altogether, of other things.", []string{"store/open.go:8-8"}, "the same evidence as"},
		{"Open panics badly", openClaim, []string{"store/open.go:7-9"}, "nearly the same claim about the same lines as"},
		{"A line too many", openClaim, []string{"store/open.go:5-90"}, "has 86 lines; cite at most 80"},
		{"Beyond the end", openClaim, []string{"store/open.go:12"}, "the file has 11 lines"},
		{"Backwards lines", openClaim, []string{"store/open.go:9-5"}, "names no lines"},
		{"Line zero here", openClaim, []string{"store/open.go:0"}, "names no lines"},
		{"No lines cited", openClaim, []string{"store/open.go"}, "is not of the form path:12-30"},
		{"One of two is bad", openClaim, []string{"store/open.go:1", "no.go:1"}, "there is no such file"},
		{"Short", openClaim, []string{"store/open.go:1"}, "/title"},
		{"No claim at all", "", []string{"store/open.go:1"}, "/claim"},
		{"No evidence at all", openClaim, nil, "/evidence"},
		{"Another finding", closeClaim, []string{"store/close.go:6"}, ""},
		{"One too many of them", "Something else entirely that is true.", []string{"store/close.go:1"}, "the limit of 2 findings is reached"},
	} {
		err := submit(test.title, test.claim, test.evidence...)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.title, err, test.want)
		}
	}
	if all := f.all(); len(all) != 2 || len(all[0].Evidence) != 1 {
		t.Errorf("taken: %+v", all)
	}
}

// The report of findings, in both of its forms.
func TestReport(t *testing.T) {
	lines := append(analyzes(analysis), scripted.Calls(
		submits("Close is careless about errors", closeClaim, "medium", "store/close.go:6", "store/close.go:5"),
		submits("Open panics", openClaim, "high", "store/open.go:8"),
		submits("Nothing stands here", "The lines are not there, which shows nothing.", "low", "store/close.go:80"),
	), scripted.Repeat(0, scripted.Text("Two findings.")))
	report, _, err := runScript(t, Options{Dimensions: []string{"errors"}}, lines...)
	if err != nil {
		t.Fatal(err)
	}
	report.Repository = "shop"
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

- Nothing stands here: the citation store/close.go:80 does not resolve: the file has 10 lines

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
	var again Report
	if err := json.Unmarshal(raw, &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*report, again, cmpopts.IgnoreFields(Report{}, "Outcomes")); diff != "" || !strings.Contains(string(raw), `"evidence":["store/open.go:8"]`) {
		t.Errorf("%s: %s", diff, raw)
	}
}

// The lines that a finding cites are read with the tool read_file, by one spelling of their path.
func TestSource(t *testing.T) {
	tree := fstest.MapFS{"a.py": {Data: []byte("x = 1\n")}, ".env": {Data: []byte("PASSWORD=1\n")}}
	source, err := sourceOf(codebase.Tools(sourcetree.Open(tree, nil), nil))
	if err != nil {
		t.Fatal(err)
	}
	if lines, total, err := source(t.Context(), "a.py", 1, 1); err != nil || total != 1 || len(lines) != 1 || lines[0] != "x = 1" {
		t.Errorf("a.py: %q of %d, %v", lines, total, err)
	}
	for _, path := range []string{"/a.py", "../x/a.py", ".env", "none.py", "/etc/passwd"} {
		if lines, _, err := source(t.Context(), path, 1, 1); err == nil {
			t.Errorf("%s: %q", path, lines)
		}
	}
}
