package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/evals/fuzz"
)

func newEvalFuzz() *cobra.Command {
	var f suiteFlags
	var operations int
	var seed uint64
	cmd := &cobra.Command{
		Use:   "fuzz",
		Short: "Play random operations on windows",
		Long: `Play random operations on windows of every profile, with budgets from 500 to
200,000 tokens, and count broken invariants: a request over its budget, a call
without its result, a dangling pointer, an incomplete prompt, a log that does
not load to the same bytes.

Exit codes: 0 no invariant is broken, 1 one is, 2 bad usage, 3 an error.`,
		Example: `  foray eval fuzz --ops 100000
  foray eval fuzz --ops 1 --seed 42`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			options, clear := f.options(cmd.ErrOrStderr(), "fuzzing")
			report, err := fuzz.Run(cmd.Context(), operations, seed, options, time.Now)
			clear()
			if err != nil {
				return &exit{code: exitPartial, err: err}
			}
			if err := f.print(cmd, report); err != nil {
				return err
			}
			if n := len(report.Violations); n > 0 {
				return &exit{code: exitViolated, err: fmt.Errorf("%d windows broke an invariant", n)}
			}
			return nil
		},
	}
	numberFlag(cmd, &operations, "ops", 10_000, 1, "play at least `N` operations")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "draw the operations from the seed `N`")
	f.define(cmd, "", "windows")
	return cmd
}

// exitViolated is the exit code of a suite that found a broken invariant.
const exitViolated = 1
