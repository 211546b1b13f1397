package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory"
	"github.com/forayhq/foray/pipelines"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/recall"
)

// An inspection is one run of insight: a tree and a model.
type inspection struct {
	flags    *insightFlags
	root     *tree
	choice   *choice
	findings *pipelines.Findings
	outcomes []pipelines.Outcome
	steps    []agent.Step // of the analysis
	total    agent.Result // of all attempts: what they took
}

// insightCalls is how many calls the rules make in one step: they ask for all that they can use at once.
const insightCalls = 32

// run runs the pipeline and shows its progress. What there is stands in x, also beside an error.
func (x *inspection) run(ctx context.Context, p *progress) error {
	f := x.flags
	base := agent.Config{Model: x.choice.model, Tools: x.root.tools(codebase.Options{JSON: x.choice.rules, AllowSecrets: f.allowSecrets})}
	base.Tools = without(base.Tools, "report")
	working := memory.NewWorking()
	scope := working.Open()
	defer scope.Close()
	budget := contextwindow.BudgetOf(planWindow, contextwindow.Off)
	if x.choice.rules {
		base.Limits.CallsPerStep = insightCalls
	} else {
		base.Tools = append(base.Tools, recall.ReadWorkingMemory(working))
		budget = budgetOf(x.choice.model.Info(), contextwindow.Lean)
	}
	x.findings = pipelines.NewFindings(x.source(), f.maxFindings)
	stages, err := pipelines.Insight(base, x.findings, pipelines.InsightOptions{
		Dimensions: f.dimensions, Most: f.maxFindings, Steps: f.maxSteps, Time: f.timeout / 2, Scope: scope.ID(),
		Observe: func(e agent.Event) { x.observe(e, p) },
	})
	if err != nil {
		return err
	}
	p.begin(f.maxSteps, x.choice.name())
	window := contextwindow.New(budget, &contextwindow.Options{Store: scope})
	x.outcomes, err = pipelines.Run(ctx, window, x.root.Dir(), stages...)
	x.sum()
	return err
}

// observe shows an event, with its stage where that begins, and keeps the steps of the analysis.
func (x *inspection) observe(e agent.Event, p *progress) {
	switch e := e.(type) {
	case agent.Started:
		p.detail("stage " + e.Agent)
	case agent.Stepped:
		if e.Agent == pipelines.Analyze {
			x.steps = append(x.steps, e.Step)
		}
	}
	p.show(e)
}

// sum adds up what the attempts took.
func (x *inspection) sum() {
	t := &x.total
	for _, o := range x.outcomes {
		for _, r := range o.Results {
			t.Steps += r.Steps
			t.Usage = t.Usage.Add(r.Usage)
			t.Tools = append(t.Tools, r.Tools...)
			t.Duration += r.Duration
			t.Warnings = append(t.Warnings, r.Warnings...)
			t.Stop = r.Stop
		}
	}
}

func without(all []tools.Tool, name string) []tools.Tool {
	var kept []tools.Tool
	for _, t := range all {
		if t.Name != name {
			kept = append(kept, t)
		}
	}
	return kept
}

// source reads cited lines by the tool that the model reads with, so that both see the same files and lines. Absolute paths
// are refused: a report does not name the host's directories, and two spellings of a path would be two places.
func (x *inspection) source() pipelines.Source {
	var read tools.Tool
	for _, t := range codebase.Tools(x.root.FS(), &codebase.Options{Dir: x.root.Dir(), AllowSecrets: x.flags.allowSecrets}) {
		if t.Name == "read_file" {
			read = t
		}
	}
	return func(ctx context.Context, path string, start, end int) ([]string, int, error) {
		if filepath.IsAbs(path) {
			return nil, 0, errors.New("its path is not from the root, as list_dir prints it")
		}
		args, err := json.Marshal(map[string]any{"path": path, "start_line": start, "end_line": end})
		if err != nil {
			return nil, 0, err
		}
		value, err := read.Call(ctx, args)
		if err != nil {
			return nil, 0, err
		}
		files, ok := value.(*codebase.FileResult)
		if !ok || len(files.Items) != 1 {
			return nil, 0, fmt.Errorf("%s cannot be read", path)
		}
		return files.Items[0].Lines, files.Items[0].TotalLines, nil
	}
}

// An insightOutcome is what insight prints.
type insightOutcome struct {
	*pipelines.Report
	Warnings []string `json:"warnings,omitempty"`
	Run      runFacts `json:"run"`
	stop     agent.Stop
}

// outcome takes what the pipeline gave.
func (x *inspection) outcome(runErr error) *insightOutcome {
	report := pipelines.Summarize(x.findings, x.outcomes)
	report.Repository, report.Revision = filepath.Base(x.root.Dir()), x.root.revision
	if report.Dimensions = x.flags.dimensions; len(report.Dimensions) == 0 {
		report.Dimensions = pipelines.Dimensions()
	}
	asked := exploration{flags: &exploreFlags{maxSteps: x.flags.maxSteps}, root: x.root, choice: x.choice, steps: x.steps}
	o := &insightOutcome{Report: report, Warnings: x.total.Warnings, Run: asked.facts(&x.total)}
	for _, one := range x.outcomes {
		for _, r := range one.Results {
			if why := partial(r); why != "" && report.Partial == "" {
				report.Partial, o.stop = "stage "+one.Stage+": "+why, r.Stop
			}
		}
	}
	if runErr != nil && report.Partial == "" {
		report.Partial, o.stop = runErr.Error(), agent.Failed
	}
	return o
}

// render writes the findings in a form.
func (o *insightOutcome) render(format string) string {
	if format != "json" {
		return printable(o.Markdown(o.Run.footer()))
	}
	raw, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		panic(err) // plain data: numbers are finite, strings are strings
	}
	return string(raw) + "\n"
}

// end is how the command ends after its findings are written.
func (x *inspection) end(ctx context.Context, o *insightOutcome, runErr error) error {
	switch {
	case runErr != nil && ctx.Err() == nil:
		return x.choice.explain(ctx, runErr, &x.total)
	case o.Partial != "":
		asked := exploration{flags: &exploreFlags{maxSteps: x.flags.maxSteps, timeout: x.flags.timeout}, choice: x.choice}
		return &exit{code: exitPartial, err: fmt.Errorf("the findings are partial: %s", o.Partial), hint: asked.more(o.stop)}
	case len(o.Findings) == 0:
		return &exit{code: exitNothing}
	}
	return nil
}
