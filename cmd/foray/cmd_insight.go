package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent"
	guide "github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	insights "github.com/forayhq/foray/pipelines/insight"
)

// insightFlags are the flags of insight.
type insightFlags struct {
	modelFlags
	repoFlags
	progressFlags
	dimensions            []string
	maxFindings, maxSteps int
	timeout               time.Duration
	format, out           string
}

const (
	defaultFindings = 10
	minInsightSteps = 3 // of a stage: to look, to look closer, to answer

	// rulesTime bounds a run without a model. Trees of 100,000 files take a minute; a hostile one never ends.
	rulesTime = 5 * time.Minute
)

func newInsight() *cobra.Command {
	f := &insightFlags{}
	cmd := &cobra.Command{
		Use:   "insight [flags]",
		Short: "Find what maintainers of a directory should know",
		Long: `Find defects, risks and facts that the maintainers of a source tree should know,
by dimension: ` + strings.Join(insights.Dimensions(), ", ") + `.

insight works in two stages: it analyzes the tree, then submits each finding.
A finding has a title, a claim, an importance and the lines that show it.
insight reads these lines again, and rejects findings without evidence and
duplicates.

Without --model and FORAY_MODEL it works by rules: no language model, no
network, no key. The rules know Go, Python, JavaScript, TypeScript and Rust.
Findings of high importance come first. One that says "maybe on purpose" is less
important and gives the reason: it is in tests, tooling or a sample, or an
option changes it.

Exit codes: 0 found, 1 nothing found, 2 bad usage, 3 partial (a limit, a signal
or an error ended the run early).`,
		Example: `  foray insight -o findings.md
  foray insight --repo ../service --dimension errors,concurrency
  foray insight --repo service.git --rev v1.2.0 --format json -o findings.json
  OPENAI_API_KEY=… foray insight --model openai/gpt-4.1 --max-cost 1`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.Usage("--dimension "+cli.Suggest(args[0], insights.Dimensions()),
					"foray insight takes no arguments, not even %.80q", args[0])
			}
			return runInsight(cmd, f)
		},
	}
	f.define(cmd)
	return cmd
}

func (f *insightFlags) define(cmd *cobra.Command) {
	f.modelFlags.define(cmd)
	f.repoFlags.define(cmd, true)
	cli.ChoicesFlag(cmd, &f.dimensions, "dimension", insights.Dimensions(),
		"look for `NAME` only (repeatable; default: all dimensions)")
	cli.NumberFlag(cmd, &f.maxFindings, "max-findings", defaultFindings, 1, "stop at `N` findings")
	cli.NumberFlag(cmd, &f.maxSteps, "max-steps", defaultSteps, minInsightSteps,
		"ask the model at most `N` times in each stage")
	cli.TimeoutFlag(cmd, &f.timeout, 0, "stop each stage after half of `DURATION`, such as 90s "+
		"(default: 5m without a model, else unlimited)")
	cli.FormatFlag(cmd, &f.format, cli.MarkdownOrJSON)
	cli.OutputFlag(cmd, &f.out)
	f.progressFlags.define(cmd)
	cli.InGroup(cmd, cli.RunGroup, "dimension", "max-findings", "max-steps", "timeout")
	cli.InGroup(cmd, cli.OutputGroup, "format", "output")
}

// runInsight runs the command: open the tree, choose the model, run the pipeline, print.
func runInsight(cmd *cobra.Command, f *insightFlags) error {
	if err := cmp.Or(f.progressFlags.check(), f.modelFlags.check(cmd)); err != nil {
		return err
	}
	if err := cli.DistinctFiles(cli.SideFile{Flag: "record", Path: f.record}, cli.SideFile{Flag: "replay", Path: f.replay},
		cli.SideFile{Flag: "output", Path: f.out}); err != nil {
		return err
	}
	root, err := openFiles(cmd.Context(), &f.repoFlags)
	if err != nil {
		return err
	}
	defer root.Close()
	p := ui.NewProgress(cmd.ErrOrStderr(), f.quiet, f.verbose)
	choice, err := chooseModel(cmd.Context(), &f.modelFlags, p.Notice)
	if err != nil {
		return err
	}
	out := cli.Output{Path: f.out, Std: cmd.OutOrStdout()}
	if err := out.Check(); err != nil {
		return err
	}
	if choice.rules && choice.played == nil {
		choice.model = insights.Rules()
	}
	if err := choice.startRecording(f.record); err != nil {
		return err
	}
	if choice.rules {
		f.timeout = cmp.Or(f.timeout, rulesTime)
		p.Notice(rulesNotice)
	}
	x := &inspection{flags: f, root: root, choice: choice}
	runErr := x.run(cmd.Context(), p)
	p.Close()
	choice.endRecording(p.Notice)
	if runErr != nil && x.total.Steps == 0 && cmd.Context().Err() == nil {
		return choice.explain(cmd.Context(), runErr, &x.total)
	}
	o := x.outcome(runErr)
	if err := out.Write(o.render(f.format)); err != nil {
		return err
	}
	return x.end(cmd.Context(), o, runErr)
}

// An inspection is one run of insight.
type inspection struct {
	flags  *insightFlags
	root   *guide.Tree
	choice *choice
	report *insights.Report // nil if the run could not begin
	steps  []agent.Step     // of the analysis
	total  agent.Result     // of all attempts
}

// run runs the pipeline and shows its progress. It leaves a report in x even with an error.
func (x *inspection) run(ctx context.Context, p *ui.Progress) error {
	f := x.flags
	p.Begin(f.maxSteps, x.choice.name())
	var err error
	x.report, err = insights.Run(ctx, x.root.Agent(x.choice.model, nil), &insights.Options{
		Dimensions: f.dimensions, Most: f.maxFindings, Steps: f.maxSteps, Time: f.timeout / 2,
		Observe: func(e agent.Event) { x.observe(e, p) },
	})
	x.sum()
	return err
}

// observe shows an event, names each stage that begins, and keeps the steps of the analysis.
func (x *inspection) observe(e agent.Event, p *ui.Progress) {
	switch e := e.(type) {
	case agent.RunStarted:
		p.Detail("stage " + e.Agent)
	case agent.StepFinished:
		if e.Agent == insights.Analyze {
			x.steps = append(x.steps, e.Step)
		}
	}
	p.Show(e)
}

// sum adds up the results of all attempts.
func (x *inspection) sum() {
	t := &x.total
	if x.report == nil {
		return
	}
	for _, o := range x.report.Outcomes {
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

// An insightOutcome is what insight prints.
type insightOutcome struct {
	*insights.Report
	Warnings []string `json:"warnings,omitempty"`
	Run      runFacts `json:"run"`
	stop     agent.Stop
}

// outcome completes the report of the pipeline.
func (x *inspection) outcome(runErr error) *insightOutcome {
	report := x.report
	report.Repository, report.Revision = filepath.Base(x.root.Dir), x.root.Revision
	o := &insightOutcome{Report: report, Warnings: x.total.Warnings, Run: runFactsOf(&x.total, x.choice, x.root.Revision)}
	o.Run.assess(x.steps, x.flags.maxSteps)
	if report.Partial != "" {
		o.stop = agent.TimeLimit
	}
	for _, one := range report.Outcomes {
		for _, r := range one.Results {
			if why := guide.WhyPartial(r); why != "" && report.Partial == "" {
				report.Partial, o.stop = "stage "+one.Stage+": "+why, r.Stop
			}
		}
	}
	switch {
	case report.Partial != "":
	case runErr != nil:
		report.Partial, o.stop = runErr.Error(), agent.Failed
	case !x.choice.rules && len(x.total.Tools) == 0: // "0 findings" would say that it looked
		report.Partial, o.stop = "the model called no tool, so it read nothing", stopUnusable
	}
	if lack := x.root.Partial(); lack != nil {
		report.Partial = strings.TrimPrefix(report.Partial+"; "+lack.Message, "; ")
	}
	return o
}

// render writes the findings as Markdown or JSON.
func (o *insightOutcome) render(format string) string {
	if format == "json" {
		return cli.JSONText(o)
	}
	return o.Markdown(o.Run.footer())
}

// end returns how the command ends once its findings are written.
func (x *inspection) end(ctx context.Context, o *insightOutcome, runErr error) error {
	switch {
	case runErr != nil && ctx.Err() == nil:
		return x.choice.explain(ctx, runErr, &x.total)
	case o.Partial != "":
		return &cli.Exit{Code: cli.ExitPartial, Err: fmt.Errorf("the findings are partial: %s", o.Partial),
			Hint: cmp.Or(remedy(x.root), x.choice.more(o.stop, x.flags.maxSteps, x.flags.timeout))}
	case len(o.Findings) == 0:
		return &cli.Exit{Code: cli.ExitNothing}
	}
	return nil
}
