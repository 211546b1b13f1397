package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/evals/tokens"
)

func newEvalTokens() *cobra.Command {
	var data []string
	var format string
	cmd := &cobra.Command{
		Use:   "tokens",
		Short: "Compare the estimate of tokens with what providers counted",
		Long: `tokens sums up how the prompts of recorded sessions grew, and compares the estimate with what the providers counted, by
model: alone, and as a window counts that is told the provider's figure after each request. For the models of OpenAI,
which have no counts here, the same texts are counted by the vocabularies that it publishes.

The data are JSON lines, compressed or not:
  {"model","session","delta_tokens","added":["text"]}`,
		Example: `  foray eval tokens --data token_calibration.jsonl.gz
  foray eval tokens --format json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := oneOf("format", format, markdownOrJSON); err != nil {
				return err
			}
			paths := recorded(cmd.ErrOrStderr(), data, "token_calibration.jsonl.gz")
			if paths == nil {
				return nil
			}
			return countTokens(cmd, paths, format)
		},
	}
	cmd.Flags().StringSliceVar(&data, "data", nil, "`FILE`s of counted prompts (default: token_calibration.jsonl.gz in "+dataVariable+")")
	cmd.Flags().StringVar(&format, "format", "md", "print as `FORM`: md or json")
	complete(cmd, "format", words(markdownOrJSON))
	return cmd
}

func countTokens(cmd *cobra.Command, paths []string, format string) error {
	sessions, skipped, err := tokens.Load(cmd.Context(), paths...)
	if err != nil {
		return usage("foray eval tokens --help", "%w", err)
	}
	exact, err := tokens.Exact(sessions)
	if err != nil {
		return &exit{code: exitPartial, err: err}
	}
	sessions = append(sessions, exact...)
	options, clear := evalOptions(cmd.ErrOrStderr(), 1, "counting")
	report, err := tokens.Run(cmd.Context(), sessions, options, time.Now)
	clear()
	if err != nil {
		return &exit{code: exitPartial, err: err}
	}
	report.Skipped = skipped
	if format == "json" {
		return ui.JSON(cmd.OutOrStdout(), report)
	}
	return report.WriteMarkdown(cmd.OutOrStdout())
}
