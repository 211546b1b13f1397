package suites

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/evals/fuzz"
)

func newFuzz() *cobra.Command {
	var f Flags
	var operations int
	var seed uint64
	cmd := &cobra.Command{
		Use:   "fuzz",
		Short: "Play random operations on windows",
		Long: `Play random operations on windows of every profile, with budgets from 500 to
200,000 tokens, and count broken invariants: a request over its budget, a call
without its result, a dangling pointer, an incomplete prompt, a log that does
not load to the same bytes, reasoning that a service refuses because something
before it changed.

Exit codes: 0 no invariant is broken, 2 bad usage, 3 one is, or an error.`,
		Example: `  foray eval fuzz --ops 100000
  foray eval fuzz --ops 1 --seed 42`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			options, clear := f.Options(cmd.ErrOrStderr(), "fuzzing")
			report, err := fuzz.Run(cmd.Context(), operations, seed, options, time.Now)
			clear()
			if err != nil {
				return &cli.Exit{Code: cli.ExitPartial, Err: err}
			}
			if err := f.Print(cmd, report); err != nil {
				return err
			}
			if n := len(report.Violations); n > 0 {
				return &cli.Exit{Code: cli.ExitPartial, Err: fmt.Errorf("%d windows broke an invariant", n)}
			}
			return nil
		},
	}
	cli.NumberFlag(cmd, &operations, "ops", 10_000, 1, "play at least `N` operations")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "draw the operations from the seed `N`")
	f.Define(cmd, "", "windows")
	return cmd
}
