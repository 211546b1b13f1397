package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/suites"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/evals/canaries"
)

// canariesFlags are the flags of eval canaries.
type canariesFlags struct {
	suites.Flags
	modelFlags       // of --ask, which is its model
	budgets, windows []int
	languages        []string
	policy, split    string
	noise            string
	sessions, gaps   int
	seed             uint64
	transcripts      string
}

// Defaults of eval canaries: of the measure, and with a model to ask.
var (
	canaryBudgets, canaryWindows = []int{8_000, 16_000}, []int{3, 10, 30}
	askBudgets, askWindows       = []int{6_000, 12_000}, []int{10}
)

func newEvalCanaries() *cobra.Command {
	var f canariesFlags
	cmd := &cobra.Command{
		Use:   "canaries",
		Short: "Count what a window still shows of what people said",
		Long: `Plant sentences in generated sessions, and look for them in the views of a
policy: rules, preferences, decisions, facts, corrections, to-dos, deadlines and
changed states, in English, Chinese and German, said in a short message, beside
or inside a paste, in a tool's result, or by the assistant. Between them lies
real text: foray's own documentation, code and logs, or the file --noise names.

Print by policy and budget how many sentences are alive at the end, how often
the view shows a superseded value as if it held, and how often it marks one as
replaced that is not.

With --ask, a model fills gaps in the user's sentences: after the view, after a
list of nothing but these sentences, and after nothing. Then the defaults are
--budget 6000,12000 --windows 10 --policy lean --language en.

The policies are:
` + cli.List(canaries.Policies()) + `.`,
		Example: `  foray eval canaries --policy lean --split dev
  foray eval canaries --budget 8000 --windows 10 --noise build.log
  foray eval canaries --policy lean,ladder --format json
  foray eval canaries --ask ollama/qwen3 --gaps 20 --transcripts gaps.txt`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	cli.NumbersFlag(cmd, &f.budgets, "budget", canaryBudgets, 2_000, "limit a request to these `NUMBERS` of tokens")
	cli.NumbersFlag(cmd, &f.windows, "windows", canaryWindows, 2, "generate sessions that fill these `NUMBERS` of budgets")
	flags.StringVar(&f.policy, "policy", "lean,ladder,"+canaries.Policies()[0], "play the policies `NAMES`, or all")
	flags.StringVar(&f.noise, "noise", "", "fill sessions from the text `FILE`, plain or .gz (default: text of foray)")
	cli.ChoicesFlag(cmd, &f.languages, "language", canaries.Languages(),
		"speak `LANGUAGE` only: "+cli.Either(canaries.Languages())+" (repeatable; default: all)")
	cli.ChoiceFlag(cmd, &f.split, "split", suites.Splits[0], suites.Splits,
		"plant `PART` of the sentences: dev (one half), test (the other half) or all")
	cli.NumberFlag(cmd, &f.sessions, "sessions", 3, 1, "generate `N` sessions of each length, language and budget")
	flags.Uint64Var(&f.seed, "seed", 1, "generate from the seed `N`")
	f.Flags.Define(cmd, "", "sessions")
	f.DefineOut(cmd)
	f.defineNamed(cmd, "ask", "let the model `PROVIDER/NAME` fill gaps")
	cli.NumberFlag(cmd, &f.gaps, "gaps", 30, 1, "with --ask, ask `N` gaps at each budget")
	flags.StringVar(&f.transcripts, "transcripts", "", "with --ask, write what the model saw and answered to `FILE`")
	cli.InGroup(cmd, cli.ModelGroup, "gaps", "transcripts")
	cli.Complete(cmd, "policy", append(canaries.Policies(), "all"))
	return cmd
}

func (f *canariesFlags) run(cmd *cobra.Command) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	policies, err := suites.ChoosePolicies(f.policy, canaries.Policies())
	if err != nil {
		return err
	}
	cfg := canaries.Config{
		Budgets: f.budgets, Policies: policies, Windows: f.windows, Languages: f.languages, Sessions: f.sessions,
		Split: f.split, Seed: f.seed,
	}
	if err := cfg.LoadNoise(f.noise); err != nil {
		return cli.Usage("--noise with a FILE of text", "%w", err)
	}
	if err := cfg.Check(); err != nil {
		return cli.Usage("--windows 10", "%w", err)
	}
	if f.model != "" {
		return f.ask(cmd, cfg)
	}
	options, clear := f.Flags.Options(cmd.ErrOrStderr(), "playing")
	cfg.Options = options
	report, err := canaries.Run(cmd.Context(), cfg)
	clear()
	if err != nil {
		return &cli.Exit{Code: cli.ExitPartial, Err: err}
	}
	err = f.Print(cmd, report)
	if n := len(report.Failed); err == nil && n > 0 {
		err = &cli.Exit{Code: cli.ExitPartial, Err: fmt.Errorf("%d sessions failed; the first: %s", n, report.Failed[0])}
	}
	return err
}

// check refuses flags that only make sense with --ask, and sets its defaults.
func (f *canariesFlags) check(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	if f.model == "" {
		for _, name := range []string{"base-url", "allow-http", "window", "gaps", "transcripts"} {
			if given(name) {
				return cli.Usage("--ask PROVIDER/NAME", "--%s needs --ask", name)
			}
		}
		return nil
	}
	if f.Out != "" {
		return cli.Usage("--out without --ask", "--out keeps planted sentences, not the gaps of --ask")
	}
	if !given("budget") {
		f.budgets = askBudgets
	}
	if !given("windows") {
		f.windows = askWindows
	}
	if !given("policy") {
		f.policy = string(contextwindow.Lean)
	}
	if !given("language") {
		f.languages = canaries.Languages()[:1]
	}
	return nil
}

// ask lets a model fill gaps. A run that breaks off prints what was answered until then.
func (f *canariesFlags) ask(cmd *cobra.Command, cfg canaries.Config) (err error) {
	say := cli.NoticesTo(cmd.ErrOrStderr())
	c, err := chooseModel(cmd.Context(), &f.modelFlags, say)
	if wrong := (*cli.Exit)(nil); errors.As(err, &wrong) {
		wrong.Hint = strings.ReplaceAll(wrong.Hint, "--model ", "--ask ")
	}
	if err != nil {
		return err
	}
	if c.rules {
		return cli.Usage("--ask ollama/NAME", "--ask needs a language model, not the heuristic explorer")
	}
	file, err := cli.SideFile{Flag: "transcripts", Path: f.transcripts, What: "transcripts", Suggested: "gaps.txt"}.Open()
	if err != nil {
		return err
	}
	var transcripts io.Writer
	if file != nil {
		transcripts = file
		defer func() { err = errors.Join(err, file.Close()) }()
	}
	cfg.Model, cfg.Gaps, cfg.Say, cfg.Transcripts = c.model, f.gaps, say, transcripts
	report, askErr := canaries.Ask(cmd.Context(), cfg)
	if report != nil {
		if err := f.Print(cmd, report); err != nil {
			return err
		}
	}
	if askErr != nil {
		return &cli.Exit{Code: cli.ExitPartial, Err: askErr}
	}
	return nil
}
