package main

import (
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/evals/fuzz"
)

func newEvalFuzz() *cobra.Command {
	var operations, jobs int
	var seed uint64
	var format string
	cmd := &cobra.Command{
		Use:   "fuzz",
		Short: "Play random operations on windows",
		Long: `fuzz plays random operations on windows of every profile, with budgets from 500 to 200,000 tokens, and counts what breaks
an invariant: a request over its budget, a call without its result, a pointer that leads nowhere, a prompt that is not
whole, a log that does not load to the same bytes. It ends with the exit status 1 if there is one.`,
		Example: `  foray eval fuzz --ops 100000
  foray eval fuzz --ops 1 --seed 42`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := oneOf("format", format, markdownOrJSON); err != nil {
				return err
			}
			if operations < 1 || jobs < 1 {
				return usage("foray eval fuzz --ops 10000", "--ops %d and --jobs %d must be at least 1", operations, jobs)
			}
			options, clear := evalOptions(cmd.ErrOrStderr(), jobs, "fuzzing")
			report, err := fuzz.Run(cmd.Context(), operations, seed, options, time.Now)
			clear()
			if err != nil {
				return &exit{code: exitPartial, err: err}
			}
			return printFuzz(cmd, report, format)
		},
	}
	cmd.Flags().IntVar(&operations, "ops", 10_000, "play at least `NUMBER` operations")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "`NUMBER` that the operations are drawn from")
	cmd.Flags().IntVar(&jobs, "jobs", runtime.GOMAXPROCS(0), "`NUMBER` of windows that are played at a time")
	cmd.Flags().StringVar(&format, "format", "md", "print as `FORM`: md or json")
	complete(cmd, "format", words(markdownOrJSON))
	return cmd
}

func printFuzz(cmd *cobra.Command, report *fuzz.Report, format string) error {
	write := report.WriteMarkdown
	if format == "json" {
		write = func(w io.Writer) error { return ui.JSON(w, report) }
	}
	if err := write(cmd.OutOrStdout()); err != nil {
		return err
	}
	if n := len(report.Violations); n > 0 {
		return &exit{code: exitViolated, err: fmt.Errorf("%d windows broke an invariant", n)}
	}
	return nil
}

// exitViolated is the exit code of a suite that found a promise broken.
const exitViolated = 1
