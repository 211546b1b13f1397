package main

import (
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/evals/recall"
)

// recallFlags are the flags of eval recall.
type recallFlags struct {
	suiteFlags
	k     []int
	split string
}

// recallData is the default recording.
const recallData = "locomo.jsonl.gz"

func newEvalRecall() *cobra.Command {
	var f recallFlags
	cmd := &cobra.Command{
		Use:   "recall",
		Short: "Find the turns of conversations that answer questions",
		Long: `Ask questions about recorded conversations, and print how much of the evidence
is among the first K turns found, by category and without a model: with the
index that conversations and memory use, and with BM25 on words and on stems.
Some conversations in Chinese are part of foray and always included.

The data are JSON lines, one conversation a line, plain or compressed:
  {"id","sessions":[{"date","turns":[{"dia_id","speaker","text","caption"}]}],
   "qa":[{"question","category_name","evidence"}]}`,
		Example: `  foray eval recall --data locomo.jsonl.gz --k 5,10,25
  foray eval recall --data locomo.jsonl.gz --split test --format json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	numbersFlag(cmd, &f.k, "k", []int{5, 10, 25}, 1, "measure recall among these `NUMBERS` of turns")
	choiceFlag(cmd, &f.split, "split", "all", recall.Splits(),
		"use `PART` of the conversations: dev (the first half of each file), test (the rest) or all")
	f.define(cmd, recallData, "conversations")
	return cmd
}

func (f *recallFlags) run(cmd *cobra.Command) error {
	slices.Sort(f.k)
	sources, skipped, err := f.sources(cmd)
	if err != nil {
		return err
	}
	options, clear := f.options(cmd.ErrOrStderr(), "asking")
	report, err := recall.Run(cmd.Context(), sources, recall.Config{
		Retrievers: recall.Retrievers(), K: slices.Compact(f.k), Split: f.split, Options: options, Now: time.Now,
	})
	clear()
	if err != nil {
		return &exit{code: exitPartial, err: err}
	}
	report.Skipped = skipped
	return f.print(cmd, report)
}

// sources returns the recorded conversations, if any, and those that are part of foray.
func (f *recallFlags) sources(cmd *cobra.Command) ([]*recall.Source, []string, error) {
	sources, skipped, err := recall.Load(cmd.Context(), recorded(cmd.ErrOrStderr(), f.data, recallData)...)
	if err != nil {
		return nil, nil, usage("foray eval recall --help", "%w", err)
	}
	return sources, skipped, nil
}
