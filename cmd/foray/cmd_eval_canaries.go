package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/evals/canaries"
)

// canariesFlags are the flags of eval canaries.
type canariesFlags struct {
	suiteFlags
	budgets, windows []int
	policy, split    string
	noise            string
	sessions         int
	seed             uint64
}

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

The policies are:
` + indent(wrap(canaryPolicies(), 78)) + `.`,
		Example: `  foray eval canaries --policy lean --split dev
  foray eval canaries --budget 8000 --windows 10 --noise build.log
  foray eval canaries --policy lean,ladder --format json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	numbersFlag(cmd, &f.budgets, "budget", []int{8_000, 16_000}, 2_000, "limit a request to these `NUMBERS` of tokens")
	numbersFlag(cmd, &f.windows, "windows", []int{3, 10, 30}, 2, "generate sessions that fill these `NUMBERS` of budgets")
	flags.StringVar(&f.policy, "policy", "lean,ladder,"+canaries.Policies()[0].Name, "play the policies `NAMES`, or all")
	flags.StringVar(&f.noise, "noise", "", "fill sessions from the text `FILE`, plain or .gz (default: text of foray)")
	choiceFlag(cmd, &f.split, "split", string(canaries.Dev), names(canaries.Splits()),
		"plant `PART` of the sentences: dev (one half), test (the other half) or all")
	numberFlag(cmd, &f.sessions, "sessions", 3, 1, "generate `N` sessions of each length, language and budget")
	flags.Uint64Var(&f.seed, "seed", 1, "generate from the seed `N`")
	f.define(cmd, "", "sessions")
	complete(cmd, "policy", append(canaryPolicies(), "all"))
	return cmd
}

func canaryPolicies() []string {
	return namesBy(canaries.Policies(), func(p canaries.Policy) string { return p.Name })
}

func (f *canariesFlags) run(cmd *cobra.Command) error {
	policies, err := canaries.Choose(f.policy)
	if err != nil {
		return usage("--policy "+suggest(f.policy, canaryPolicies()), "%w; available: %s", err,
			strings.Join(canaryPolicies(), ", "))
	}
	noise, err := canaries.LoadNoise(f.noise)
	if err != nil {
		return usage("--noise with a FILE of text", "%w", err)
	}
	options, clear := f.options(cmd.ErrOrStderr(), "playing")
	report, err := canaries.Run(cmd.Context(), canaries.Config{
		Budgets: f.budgets, Policies: policies, Windows: f.windows, Sessions: f.sessions,
		Split: canaries.Split(f.split), Seed: f.seed, Noise: noise, Options: options,
	})
	clear()
	if err != nil {
		return &exit{code: exitPartial, err: err}
	}
	err = f.print(cmd, report)
	if n := len(report.Failed); err == nil && n > 0 {
		err = &exit{code: exitPartial, err: fmt.Errorf("%d sessions failed; the first: %s", n, report.Failed[0])}
	}
	return err
}
