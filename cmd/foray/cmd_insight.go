package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent"
	guide "github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	insights "github.com/forayhq/foray/pipelines/insight"
)

// insightFlags are the flags of insight as they were typed.
type insightFlags struct {
	modelFlags
	repo, rev             string
	dimensions            []string
	maxFindings, maxSteps int
	timeout               time.Duration
	format, out           string
	allowSecrets          bool
	quiet, verbose        bool
}

var insightFormats = []string{"md", "json"}

// defaultFindings is how many findings are taken when --max-findings is not given.
const defaultFindings = 10

func newInsight() *cobra.Command {
	f := &insightFlags{}
	cmd := &cobra.Command{
		Use:   "insight [flags]",
		Short: "Find what is worth knowing about the code in a directory",
		Long: `insight looks for what the maintainers of a tree would want to know, by dimension:
` + strings.Join(insights.Dimensions(), ", ") + `.
It runs a pipeline of two stages: an analysis, which a gate holds to findings with evidence, and the handing in of what
stands of it. Each finding has a title, a claim, its importance and the lines that show it, which are read again before it
is taken; one that was handed in before is refused.

Without --model and FORAY_MODEL it works by rules: no language model, no network, no key. They know signs in lines of Go,
Python, JavaScript, TypeScript and Rust, and say nothing where they are not sure.

Exit codes: 0 found, 1 nothing found, 2 bad usage, 3 partial (a limit, a signal or an error came first).`,
		Example: `  foray insight -o findings.md
  foray insight --repo ../service --dimension errors --dimension concurrency
  foray insight --repo service.git --rev v1.2.0 --format json -o findings.json
  OPENAI_API_KEY=… foray insight --model openai/gpt-4.1 --max-cost 1 --dimension security`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return insight(cmd, f) },
	}
	f.define(cmd)
	return cmd
}

func (f *insightFlags) define(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	f.modelFlags.define(cmd)
	flags.StringVar(&f.repo, "repo", ".", "look at `DIR`")
	flags.StringVar(&f.rev, "rev", "", "look at the commit `REV`, not the files as they are; default of a bare repository: HEAD")
	flags.StringSliceVar(&f.dimensions, "dimension", nil, "look for `NAME`, which may be repeated: "+strings.Join(insights.Dimensions(), ", ")+"; default: all")
	flags.IntVar(&f.maxFindings, "max-findings", defaultFindings, "take at most `N` findings")
	flags.IntVar(&f.maxSteps, "max-steps", defaultSteps, "ask the model at most `N` times in each stage")
	flags.DurationVar(&f.timeout, "timeout", 0, "stop after this `DURATION`, half of it for each stage, and report what there is; default: none")
	flags.BoolVar(&f.allowSecrets, "allow-secrets", false, "read files with a secret's name, and do not redact tokens")
	flags.StringVar(&f.format, "format", "md", "write the findings as `FORM`: md or json")
	flags.StringVarP(&f.out, "output", "o", "", "write the findings to `FILE`, whole or not at all")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print no progress")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "print a line for each tool call")
	inGroup(cmd, runGroup, "repo", "rev", "dimension", "max-findings", "max-steps", "timeout", "allow-secrets")
	inGroup(cmd, outputGroup, "format", "output", "quiet", "verbose")
	cmd.SetUsageFunc(groupedUsage)
	complete(cmd, "format", words(insightFormats))
	complete(cmd, "dimension", words(insights.Dimensions()))
	if err := cmd.MarkFlagDirname("repo"); err != nil {
		panic(err) // a flag that is not defined above
	}
}

// check refuses values of flags that cannot work, before anything is opened.
func (f *insightFlags) check(cmd *cobra.Command) error {
	if err := oneOf("format", f.format, insightFormats); err != nil {
		return err
	}
	for i, d := range f.dimensions {
		f.dimensions[i] = strings.TrimSpace(d)
		if err := oneOf("dimension", f.dimensions[i], insights.Dimensions()); err != nil {
			return err
		}
	}
	f.dimensions = slices.Compact(slices.Sorted(slices.Values(f.dimensions)))
	switch {
	case f.maxFindings < 1:
		return usage("--max-findings 10", "--max-findings %d is below 1", f.maxFindings)
	case f.maxSteps < leastInsightSteps:
		return usage("--max-steps 12", "--max-steps %d is below %d", f.maxSteps, leastInsightSteps)
	case f.timeout < 0, f.timeout == 0 && cmd.Flags().Changed("timeout"):
		return usage("--timeout 90s", "--timeout %v is not above zero", f.timeout)
	case f.quiet && f.verbose:
		return usage("--verbose", "--quiet and --verbose exclude each other")
	}
	if err := f.modelFlags.check(cmd); err != nil {
		return err
	}
	files := exploreFlags{modelFlags: f.modelFlags, out: f.out}
	return files.checkFiles()
}

// leastInsightSteps is how many steps a stage needs at least: to look, to look closer, to answer.
const leastInsightSteps = 3

// insight is the command: open the tree, choose the model, run the pipeline, print.
func insight(cmd *cobra.Command, f *insightFlags) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	root, err := openTree(cmd.Context(), f.repo, f.rev, f.allowSecrets)
	if err != nil {
		return err
	}
	defer root.Close()
	p := ui.NewProgress(cmd.ErrOrStderr(), f.quiet, f.verbose)
	choice, err := chooseModel(&f.modelFlags, p.Notice)
	if err != nil {
		return err
	}
	out := sink{path: f.out, std: cmd.OutOrStdout()}
	if err := out.check(); err != nil {
		return err
	}
	if err := choice.forInsight(f, p); err != nil {
		return err
	}
	x := &inspection{flags: f, root: root, choice: choice}
	runErr := x.run(cmd.Context(), p)
	p.Close()
	if err := choice.recorded.close(); err != nil {
		p.Notice("warning: the recording is not whole: " + err.Error())
	}
	if runErr != nil && x.total.Steps == 0 && cmd.Context().Err() == nil {
		return choice.explain(cmd.Context(), runErr, &x.total)
	}
	o := x.outcome(runErr)
	if err := out.write(o.render(f.format)); err != nil {
		return err
	}
	return x.end(cmd.Context(), o, runErr)
}

// forInsight opens the recording and puts the rules for insight in the place of those that explore.
func (c *choice) forInsight(f *insightFlags, p *ui.Progress) error {
	recording, err := ownFile{"record", f.record, "recording", "run.rec"}.open()
	if err != nil {
		return err
	}
	if c.rules && c.played == nil {
		c.model = insights.Rules(insightCalls)
	}
	c.record(recording)
	if c.rules {
		p.Notice("offline planner: rules, no language model")
	}
	return nil
}

// An inspection is one run of insight: a tree and a model.
type inspection struct {
	flags  *insightFlags
	root   *guide.Tree
	choice *choice
	report *insights.Report // nil: it could not begin
	steps  []agent.Step     // of the analysis
	total  agent.Result     // of all attempts: what they took
}

// insightCalls is how many calls the rules make in one step: they ask for all that they can use at once.
const insightCalls = 32

// run runs the pipeline and shows its progress. The report is in x, also beside an error.
func (x *inspection) run(ctx context.Context, p *ui.Progress) error {
	f := x.flags
	base := x.root.Agent(x.choice.model, nil)
	if x.choice.rules {
		base.Limits.CallsPerStep = insightCalls
	}
	p.Begin(f.maxSteps, x.choice.name())
	var err error
	x.report, err = insights.Run(ctx, base, &insights.Options{
		Dimensions: f.dimensions, Most: f.maxFindings, Steps: f.maxSteps, Time: f.timeout / 2,
		Observe: func(e agent.Event) { x.observe(e, p) },
	})
	x.sum()
	return err
}

// observe shows an event, with its stage where that begins, and keeps the steps of the analysis.
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

// sum adds up what the attempts took.
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

// outcome takes what the pipeline gave.
func (x *inspection) outcome(runErr error) *insightOutcome {
	report := x.report
	report.Repository, report.Revision = filepath.Base(x.root.Dir), x.root.Revision
	asked := exploration{flags: &exploreFlags{maxSteps: x.flags.maxSteps}, root: x.root, choice: x.choice, steps: x.steps}
	o := &insightOutcome{Report: report, Warnings: x.total.Warnings, Run: asked.facts(&x.total)}
	for _, one := range report.Outcomes {
		for _, r := range one.Results {
			if why := guide.WhyPartial(r); why != "" && report.Partial == "" {
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
		return ui.Printable(o.Markdown(o.Run.footer()))
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

// noArguments refuses what is typed behind the flags.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("--dimension "+nearest(args[0], insights.Dimensions()), "insight takes no arguments, but %q was typed", args[0])
	}
	return nil
}
