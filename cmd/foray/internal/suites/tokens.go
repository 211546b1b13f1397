package suites

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/evals/tokens"
)

// tokenData is the default recording.
const tokenData = "token_calibration.jsonl.gz"

func newTokens() *cobra.Command {
	var f Flags
	cmd := &cobra.Command{
		Use:   "tokens",
		Short: "Compare token estimates with the counts of providers",
		Long: `Compare foray's token estimate with the counts of providers, for each model:
the estimate alone, and the estimate of a window that learns the provider's
count after each request.

A build with -tags vocabularies (12 MB larger) also counts the same texts as
OpenAI's models would. To get one, run:
  go install -tags vocabularies \
    ` + cli.InstallPath + `

The data are JSON lines, plain or compressed:
  {"model","session","delta_tokens","added":["text"]}`,
		Example: `  foray eval tokens --data token_calibration.jsonl.gz
  foray eval tokens --format json`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			paths := f.Recordings(cmd.ErrOrStderr(), tokenData)
			if paths == nil {
				return nil
			}
			return countTokens(cmd, &f, paths)
		},
	}
	f.Jobs = 1
	f.Define(cmd, tokenData, "")
	return cmd
}

// countTokens prints the report on the sessions of paths.
func countTokens(cmd *cobra.Command, f *Flags, paths []string) error {
	sessions, skipped, err := tokens.Load(cmd.Context(), paths...)
	if err != nil {
		return cli.Usage("foray eval tokens --help", "%w", err)
	}
	exact, err := tokens.Exact(sessions)
	switch {
	case errors.Is(err, tokens.ErrNoVocabularies):
		fmt.Fprintf(cmd.ErrOrStderr(), "foray: skipped: OpenAI's own counts: %v\n", err)
		fmt.Fprintln(cmd.ErrOrStderr(), "foray: hint: go install -tags vocabularies "+cli.InstallPath)
	case err != nil:
		return &cli.Exit{Code: cli.ExitPartial, Err: err}
	}
	sessions = append(sessions, exact...)
	options, clear := f.Options(cmd.ErrOrStderr(), "counting")
	report, err := tokens.Run(cmd.Context(), sessions, options, time.Now)
	clear()
	if err != nil {
		return &cli.Exit{Code: cli.ExitPartial, Err: err}
	}
	report.Skipped = skipped
	return f.Print(cmd, report)
}
