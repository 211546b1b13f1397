package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/evals/tokens"
)

// tokenData is the default recording.
const tokenData = "token_calibration.jsonl.gz"

func newEvalTokens() *cobra.Command {
	var f suiteFlags
	cmd := &cobra.Command{
		Use:   "tokens",
		Short: "Compare token estimates with the counts of providers",
		Long: `Compare foray's token estimate with the counts of providers, for each model:
the estimate alone, and the estimate of a window that learns the provider's
count after each request.

A build with -tags vocabularies (12 MB larger) also counts the same texts as
OpenAI's models would. To get one, run:
  go install -tags vocabularies
    ` + installPath + `

The data are JSON lines, plain or compressed:
  {"model","session","delta_tokens","added":["text"]}`,
		Example: `  foray eval tokens --data token_calibration.jsonl.gz
  foray eval tokens --format json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			paths := recorded(cmd.ErrOrStderr(), f.data, tokenData)
			if paths == nil {
				return nil
			}
			return countTokens(cmd, &f, paths)
		},
	}
	f.jobs = 1
	f.define(cmd, tokenData, "")
	return cmd
}

// countTokens prints the report on the sessions of paths.
func countTokens(cmd *cobra.Command, f *suiteFlags, paths []string) error {
	sessions, skipped, err := tokens.Load(cmd.Context(), paths...)
	if err != nil {
		return usage("foray eval tokens --help", "%w", err)
	}
	exact, err := tokens.Exact(sessions)
	switch {
	case errors.Is(err, tokens.ErrNoVocabularies):
		fmt.Fprintf(cmd.ErrOrStderr(), "foray: skipped: OpenAI's own counts: %v\n", err)
		fmt.Fprintln(cmd.ErrOrStderr(), "foray: hint: go install -tags vocabularies "+installPath)
	case err != nil:
		return &exit{code: exitPartial, err: err}
	}
	sessions = append(sessions, exact...)
	options, clear := f.options(cmd.ErrOrStderr(), "counting")
	report, err := tokens.Run(cmd.Context(), sessions, options, time.Now)
	clear()
	if err != nil {
		return &exit{code: exitPartial, err: err}
	}
	report.Skipped = skipped
	return f.print(cmd, report)
}
