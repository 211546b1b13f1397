package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/evals/compaction"
	"github.com/forayhq/foray/evals/compaction/plot"
	"github.com/forayhq/foray/evals/compaction/recording"
)

// compactionFlags are how eval compaction was typed.
type compactionFlags struct {
	data                           []string
	budgets                        []int
	policy, split, format, counter string
	plot, plotted                  string
	jobs                           int
}

func newEvalCompaction() *cobra.Command {
	var f compactionFlags
	cmd := &cobra.Command{
		Use:   "compaction",
		Short: "Play recorded runs through policies of compaction",
		Long: `compaction plays recorded runs again, without a model: before each message of the assistant every policy shows what it
would send, and the recorded message says what that should have held. It prints what the views held, what they cost, and
whether they could be sent, by policy and budget.

Recordings are files of JSON lines, one run a line, or folders of such files, compressed or not:
  {"id","source","task","messages":[{"role","content","tool_calls":[{"id","name","args"}],"tool_call_id","name"}]}

Policies are ` + strings.Join(policyNames(), ", ") + `.`,
		Example: `  foray eval compaction --data recordings/ --budget 8000,16000,24000
  foray eval compaction --policy ladder,codex --split test --format json
  foray eval compaction --data recordings/ --plot pictures`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.data, "data", nil, "`PATH`s of recordings (default: trajectories in "+dataVariable+")")
	flags.IntSliceVar(&f.budgets, "budget", []int{8_000, 16_000, 24_000}, "`TOKENS` of a whole request, one budget or more")
	flags.StringVar(&f.policy, "policy", "all", "`NAME`s of policies, or all")
	flags.StringVar(&f.split, "split", string(compaction.Dev), "`PART` of the runs: dev, three quarters; test, the rest; or all")
	flags.StringVar(&f.counter, "counter", recording.Counters()[0].Name, "count tokens by `NAME`: chars4 or foray")
	flags.StringVar(&f.format, "format", "md", "print as `FORM`: md or json")
	flags.IntVar(&f.jobs, "jobs", runtime.GOMAXPROCS(0), "`NUMBER` of runs that are played at a time")
	flags.StringVar(&f.plot, "plot", "", "draw recall against cost, and windows over time, as SVG files in `DIR`")
	flags.StringVar(&f.plotted, "plot-trajectory", "", "draw the windows of the run `ID` (default: the one that lean compacts most)")
	complete(cmd, "policy", words(append(policyNames(), "all")))
	complete(cmd, "split", words(splitNames()))
	complete(cmd, "counter", words(counterNames()))
	complete(cmd, "format", words(markdownOrJSON))
	return cmd
}

func (f *compactionFlags) run(cmd *cobra.Command) error {
	cfg, err := f.config()
	if err != nil {
		return err
	}
	paths := recorded(cmd.ErrOrStderr(), f.data, "trajectories", ".")
	if paths == nil {
		return nil
	}
	collection, err := recording.Load(cmd.Context(), paths...)
	if err != nil {
		return usage("foray eval compaction --help", "%w", err)
	}
	if f.plotted != "" && collection.Find(f.plotted) == nil {
		return usage("--plot-trajectory ID", "there is no run %q in the recordings", f.plotted)
	}
	options, clear := evalOptions(cmd.ErrOrStderr(), f.jobs, "playing")
	cfg.Options = options
	report, err := compaction.Run(cmd.Context(), collection, cfg)
	clear()
	if err != nil {
		return &exit{code: exitPartial, err: err}
	}
	if f.format == "json" {
		err = ui.JSON(cmd.OutOrStdout(), report)
	} else {
		err = report.WriteMarkdown(cmd.OutOrStdout())
	}
	if err == nil && f.plot != "" {
		err = f.draw(cmd.Context(), collection, cfg, report)
	}
	if err == nil && len(report.Failed) > 0 {
		err = &exit{code: exitPartial, err: fmt.Errorf("%d of the runs could not be played; the first: %s", len(report.Failed), report.Failed[0])}
	}
	return err
}

// config checks the flags.
func (f *compactionFlags) config() (compaction.Config, error) {
	var cfg compaction.Config
	for _, check := range []error{
		oneOf("split", f.split, splitNames()), oneOf("counter", f.counter, counterNames()), oneOf("format", f.format, markdownOrJSON),
	} {
		if check != nil {
			return cfg, check
		}
	}
	for _, b := range f.budgets {
		if b < 500 {
			return cfg, usage("--budget 500", "--budget %d is less than 500 tokens", b)
		}
	}
	if f.jobs < 1 {
		return cfg, usage("--jobs 1", "--jobs %d is less than 1", f.jobs)
	}
	if err := f.canDraw(); err != nil {
		return cfg, err
	}
	policies, err := compaction.Choose(f.policy)
	if err != nil {
		return cfg, usage("--policy "+nearest(f.policy, policyNames()), "%w; there are %s", err, strings.Join(policyNames(), ", "))
	}
	cfg = compaction.Config{Budgets: f.budgets, Policies: policies, Split: compaction.Split(f.split), Now: time.Now}
	for _, c := range recording.Counters() {
		if c.Name == f.counter {
			cfg.Counter = &c
		}
	}
	return cfg, nil
}

func policyNames() []string {
	var names []string
	for _, p := range compaction.Policies() {
		names = append(names, p.Name)
	}
	return names
}

func splitNames() []string {
	var names []string
	for _, s := range compaction.Splits() {
		names = append(names, string(s))
	}
	return names
}

func counterNames() []string {
	var names []string
	for _, c := range recording.Counters() {
		names = append(names, c.Name)
	}
	return names
}

// canDraw checks, before anything is played, whether pictures can be drawn and where they go.
func (f *compactionFlags) canDraw() error {
	if f.plot == "" {
		if f.plotted != "" {
			return usage("--plot DIR", "--plot-trajectory draws nothing without --plot")
		}
		return nil
	}
	names := strings.Split(strings.ReplaceAll(f.policy, " ", ""), ",")
	if ladder := string(contextwindow.Ladder); !slices.Contains(names, "all") && !slices.Contains(names, ladder) {
		return usage("--policy "+f.policy+","+ladder, "--plot draws costs relative to the policy %s, which is not played", ladder)
	}
	if info, err := os.Stat(f.plot); err == nil && !info.IsDir() {
		return usage("--plot pictures", "--plot %q is a file, not a directory", f.plot)
	}
	return nil
}

// draw writes the pictures of a report. Each file appears whole or not at all.
func (f *compactionFlags) draw(ctx context.Context, c *recording.Collection, cfg compaction.Config, r *compaction.Report) error {
	pictures := plot.Recall(r)
	line, err := compaction.Follow(ctx, c, cfg, f.plotted)
	if err != nil {
		return &exit{code: exitPartial, err: fmt.Errorf("drawing windows: %w", err)}
	}
	if line == nil && f.plotted != "" {
		return usage("--budget 8000", "the run %q counts at none of the budgets: it is smaller, or its prompt is too large", f.plotted)
	}
	if line != nil {
		pictures = append(pictures, plot.Windows(line))
	}
	if len(pictures) == 0 {
		return &exit{code: exitPartial, err: errors.New("there is nothing to draw: no run counts at the budgets"), hint: "--budget 8000"}
	}
	if err := os.MkdirAll(f.plot, 0o777); err != nil {
		return &exit{code: exitPartial, err: fmt.Errorf("writing pictures: %w", err), hint: "--plot DIR in a directory that can be written"}
	}
	for _, p := range pictures {
		if err := replace(filepath.Join(f.plot, p.Name), string(p.SVG), 0o666); err != nil {
			return &exit{code: exitPartial, err: fmt.Errorf("writing pictures: %w", err), hint: "--plot DIR in a directory that can be written"}
		}
	}
	return nil
}
