package insight

import (
	"fmt"
	"strings"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/pipelines"
)

// The stages of [Run].
const (
	Analyze = "analyze"
	produce = "produce"
)

// A Report is what [Run] found, for people and programs.
type Report struct {
	Repository string              `json:"repository"` // for the heading; set by the caller
	Revision   string              `json:"revision,omitempty"`
	Dimensions []string            `json:"dimensions"`
	Findings   []pipelines.Finding `json:"findings"`
	Refused    []rejection         `json:"refused,omitempty"`
	Open       []string            `json:"open,omitempty"`     // what the analysis could not settle
	Searched   []string            `json:"searched,omitempty"` // searches that found nothing
	Stages     []stageReport       `json:"stages"`
	Partial    string              `json:"partial,omitempty"` // why it is incomplete; the caller may know more reasons

	Outcomes []pipelines.Outcome `json:"-"` // of the stages
}

// A stageReport sums up a stage.
type stageReport struct {
	Stage    string           `json:"stage"`
	Status   pipelines.Status `json:"status"`
	Reason   string           `json:"reason,omitempty"`
	Attempts int              `json:"attempts"`
	Steps    int              `json:"steps"`
	Calls    int              `json:"calls"`
}

func (f *findings) report(dimensions []string, outcomes []pipelines.Outcome) *Report {
	r := &Report{Dimensions: dimensions, Findings: f.all(), Refused: f.refusals(), Outcomes: outcomes}
	if r.Findings == nil {
		r.Findings = []pipelines.Finding{}
	}
	for _, o := range outcomes {
		s := stageReport{Stage: o.Stage, Status: o.Status, Reason: o.Reason, Attempts: len(o.Results)}
		for _, result := range o.Results {
			s.Steps += result.Steps
			s.Calls += len(result.Tools)
		}
		r.Stages = append(r.Stages, s)
		if o.Stage == Analyze {
			r.Open, r.Searched = o.Handover.Open, o.Handover.Negative
		}
	}
	return r
}

// Markdown writes the report. The list under a finding is its evidence. footer, unless empty, is the last paragraph.
func (r *Report) Markdown(footer string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Findings in %s\n\n", r.Repository)
	fmt.Fprintf(&b, "%s in %s.\n", line.Count(len(r.Findings), "finding"), strings.Join(r.Dimensions, ", "))
	if r.Partial != "" {
		fmt.Fprintf(&b, "\nThis report is incomplete: %s.\n", r.Partial)
	}
	for i, f := range r.Findings {
		fmt.Fprintf(&b, "\n## %d. %s\n\n", i+1, line.Flat(f.Title))
		about := f.Importance
		if f.Dimension != "" {
			about += ", " + f.Dimension
		}
		fmt.Fprintf(&b, "*%s*\n\n%s\n\n", line.Flat(about), strings.TrimSpace(f.Claim))
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
		fmt.Fprintf(b, "- %s\n", line.Flat(l))
	}
}
