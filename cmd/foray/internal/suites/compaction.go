package suites

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/evals/compaction"
)

// compactionFlags are the flags of eval compaction.
type compactionFlags struct {
	Flags
	budgets                []int
	policy, split, counter string
	plot, plotted          string
}

// counters are the ways of counting tokens, the default first.
var counters = []string{"chars4", "foray"}

func newCompaction() *cobra.Command {
	var f compactionFlags
	cmd := &cobra.Command{
		Use:   "compaction",
		Short: "Replay recorded runs with several compaction policies",
		Long: `Replay recorded runs without a model. Before each recorded action, each policy
shows the request it would send; the action shows what that request should have
held. Print by policy and budget what each result shows at first sight, what
calls need and do not find, the cost with what must be read again, and validity.

Recordings are files of JSON lines, plain or compressed, or directories of such
files. Each file is recognized by its content:
  - one run a line, with calls as below or in OpenAI's form:
    {"id","source","task","messages":[{"role","content","name",
     "tool_call_id","tool_calls":[{"id","name","args"}]}]}
  - one run: messages in OpenAI's form, one a line or as a JSON array
  - the trace of a run (foray explore --trace FILE)
  - a session of Claude Code (~/.claude/projects/), Codex (~/.codex/sessions/)
    or pi (~/.pi/agent/sessions/)
  - what opencode export prints, or a trajectory in ATIF

The policies are:
` + cli.List(compaction.Policies()) + `.`,
		Example: `  foray eval compaction --data recordings/ --budget 8000,16000,24000
  foray eval compaction --policy ladder,codex --split test --format json
  foray eval compaction --data recordings/ --plot pictures`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	cli.NumbersFlag(cmd, &f.budgets, "budget", []int{8_000, 16_000, 24_000}, 500,
		"limit a request to these `NUMBERS` of tokens")
	flags.StringVar(&f.policy, "policy", "all", "replay with the policies `NAMES`")
	cli.ChoiceFlag(cmd, &f.split, "split", Splits[0], Splits,
		"use `PART` of the runs: dev (three quarters), test (the rest) or all")
	cli.ChoiceFlag(cmd, &f.counter, "counter", counters[0], counters,
		"count tokens with `NAME`: chars4 or foray")
	f.Define(cmd, "trajectories", "runs")
	f.DefineOut(cmd)
	flags.StringVar(&f.plot, "plot", "", "draw recall against cost, and windows over time, as SVG files in `DIR`")
	flags.StringVar(&f.plotted, "plot-trajectory", "",
		"draw the windows of the run `ID` (default: the run that lean compacts most)")
	cli.Complete(cmd, "policy", append(compaction.Policies(), "all"))
	return cmd
}

func (f *compactionFlags) run(cmd *cobra.Command) error {
	cfg, err := f.config()
	if err != nil {
		return err
	}
	paths := f.Recordings(cmd.ErrOrStderr(), "trajectories", ".")
	if paths == nil {
		return nil
	}
	recordings, err := compaction.Load(cmd.Context(), paths...)
	if err != nil {
		return cli.Usage("foray eval compaction --help", "%w", err)
	}
	if f.plotted != "" && !recordings.Has(f.plotted) {
		return cli.Usage("--plot-trajectory ID", "no run %q in the recordings", f.plotted)
	}
	options, clear := f.Options(cmd.ErrOrStderr(), "replaying")
	cfg.Options = options
	report, err := compaction.Run(cmd.Context(), recordings, cfg)
	clear()
	if err != nil {
		return &cli.Exit{Code: cli.ExitPartial, Err: err}
	}
	err = f.Print(cmd, report)
	if err == nil && f.plot != "" {
		err = f.draw(cmd.Context(), recordings, cfg, report)
	}
	if err == nil && len(report.Failed) > 0 {
		err = &cli.Exit{Code: cli.ExitPartial,
			Err: fmt.Errorf("%d of the runs failed; the first: %s", len(report.Failed), report.Failed[0])}
	}
	return err
}

// config checks the flags and returns what to run.
func (f *compactionFlags) config() (cfg compaction.Config, err error) {
	if err := f.checkPlot(); err != nil {
		return cfg, err
	}
	cfg = compaction.Config{Budgets: f.budgets, Counter: f.counter, Split: f.split, Now: time.Now}
	cfg.Policies, err = ChoosePolicies(f.policy, compaction.Policies())
	return cfg, err
}

// checkPlot checks the flags of plots before the replay starts.
func (f *compactionFlags) checkPlot() error {
	if f.plot == "" {
		if f.plotted != "" {
			return cli.Usage("--plot DIR", "--plot-trajectory needs --plot")
		}
		return nil
	}
	names := strings.Split(strings.ReplaceAll(f.policy, " ", ""), ",")
	if ladder := string(contextwindow.Ladder); !slices.Contains(names, "all") && !slices.Contains(names, ladder) {
		return cli.Usage("--policy "+f.policy+","+ladder, "--plot needs the policy %s, because it draws costs relative to it",
			ladder)
	}
	if info, err := os.Stat(f.plot); err == nil && !info.IsDir() {
		return cli.Usage("--plot pictures", "--plot %q is a file, not a directory", f.plot)
	}
	return nil
}

// draw writes the pictures of a report, each file atomically.
func (f *compactionFlags) draw(ctx context.Context, recordings *compaction.Recordings, cfg compaction.Config,
	r *compaction.Report) error {
	pictures := r.Plot()
	name, svg, err := recordings.Plot(ctx, cfg, f.plotted)
	if err != nil {
		return &cli.Exit{Code: cli.ExitPartial, Err: fmt.Errorf("drawing windows: %w", err)}
	}
	if name == "" && f.plotted != "" {
		return cli.Usage("--budget 8000", "no budget applies to the run %q: the run is too small, or its prompt too large",
			f.plotted)
	}
	if name != "" {
		pictures[name] = svg
	}
	if len(pictures) == 0 {
		return &cli.Exit{Code: cli.ExitPartial, Err: errors.New("nothing to draw: the budgets apply to no run"),
			Hint: "--budget 8000"}
	}
	if err := os.MkdirAll(f.plot, 0o777); err != nil {
		return &cli.Exit{Code: cli.ExitPartial, Err: fmt.Errorf("writing pictures: %w", err),
			Hint: "--plot DIR in a writable directory"}
	}
	for name, svg := range pictures {
		if err := cli.Replace(filepath.Join(f.plot, name), string(svg), 0o666); err != nil {
			return &cli.Exit{Code: cli.ExitPartial, Err: fmt.Errorf("writing pictures: %w", err),
				Hint: "--plot DIR in a writable directory"}
		}
	}
	return nil
}
