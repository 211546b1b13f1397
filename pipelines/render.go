package pipelines

import (
	"fmt"
	"strings"
)

// A Report is what Insight found, for people and programs.
type Report struct {
	Repository string    `json:"repository"`
	Revision   string    `json:"revision,omitempty"`
	Dimensions []string  `json:"dimensions"`
	Findings   []Finding `json:"findings"`
	Refused    []Refusal `json:"refused,omitempty"`
	Open       []string  `json:"open,omitempty"`     // what the analysis could not settle
	Searched   []string  `json:"searched,omitempty"` // what it looked for and did not find
	Stages     []Ended   `json:"stages"`

	Partial string `json:"partial,omitempty"` // why it is not whole; "": it is
}

// Ended is how a stage ended.
type Ended struct {
	Stage    string `json:"stage"`
	Status   Status `json:"status"`
	Reason   string `json:"reason,omitempty"`
	Attempts int    `json:"attempts"`
	Steps    int    `json:"steps"`
	Calls    int    `json:"calls"`
}

// Summarize makes the report of a pipeline that ended.
func Summarize(f *Findings, outcomes []Outcome) *Report {
	r := &Report{Findings: f.All(), Refused: f.Refused(), Dimensions: []string{}}
	if r.Findings == nil {
		r.Findings = []Finding{}
	}
	for _, o := range outcomes {
		e := Ended{Stage: o.Stage, Status: o.Status, Reason: o.Reason, Attempts: len(o.Results)}
		for _, result := range o.Results {
			e.Steps += result.Steps
			e.Calls += len(result.Tools)
		}
		r.Stages = append(r.Stages, e)
		if o.Stage == Analyze {
			r.Open, r.Searched = o.Handover.Open, o.Handover.Negative
		}
	}
	return r
}

// Markdown writes the report. Lines that begin with "- " under a finding are its evidence. footer is the last paragraph; "":
// there is none.
func (r *Report) Markdown(footer string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Findings in %s\n\n", r.Repository)
	fmt.Fprintf(&b, "%s in %s.\n", counted(len(r.Findings), "finding"), strings.Join(r.Dimensions, ", "))
	if r.Partial != "" {
		fmt.Fprintf(&b, "\nThis is partial: %s.\n", r.Partial)
	}
	for i, f := range r.Findings {
		fmt.Fprintf(&b, "\n## %d. %s\n\n", i+1, oneLine(f.Title))
		about := string(f.Importance)
		if f.Dimension != "" {
			about += ", " + f.Dimension
		}
		fmt.Fprintf(&b, "*%s*\n\n%s\n\n", oneLine(about), strings.TrimSpace(f.Claim))
		for _, c := range f.Evidence {
			fmt.Fprintf(&b, "- %s\n", c)
		}
	}
	section(&b, "Open", r.Open)
	var refused []string
	for _, one := range r.Refused {
		refused = append(refused, one.Title+": "+one.Reason)
	}
	section(&b, "Refused", refused)
	if footer != "" {
		fmt.Fprintf(&b, "\n---\n%s\n", footer)
	}
	return b.String()
}

func section(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", title)
	for _, l := range lines {
		fmt.Fprintf(b, "- %s\n", oneLine(l))
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
