package main

import (
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/evals/recall"
)

// recallFlags are how eval recall was typed.
type recallFlags struct {
	data          []string
	k             []int
	split, format string
	jobs          int
}

func newEvalRecall() *cobra.Command {
	var f recallFlags
	cmd := &cobra.Command{
		Use:   "recall",
		Short: "Find the turns of conversations that answer questions",
		Long: `recall asks questions about recorded conversations and prints how much of the evidence is among the first turns that are
found, by category, without a model: the index that conversations and memory are searched with, and BM25 on words and on
stems beside it. Histories in Chinese are part of foray and always asked about.

The data are JSON lines, one conversation a line, compressed or not:
  {"id","sessions":[{"date","turns":[{"dia_id","speaker","text","caption"}]}],"qa":[{"question","category_name","evidence"}]}`,
		Example: `  foray eval recall --data locomo.jsonl.gz --k 5,10,25
  foray eval recall --data locomo.jsonl.gz --split test --format json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.data, "data", nil, "`PATH`s of conversations (default: locomo.jsonl.gz in "+dataVariable+")")
	flags.IntSliceVar(&f.k, "k", []int{5, 10, 25}, "`NUMBER`s of turns that recall is taken at")
	flags.StringVar(&f.split, "split", "all", "`PART` of each file's conversations: dev, the first half; test, the rest; or all")
	flags.StringVar(&f.format, "format", "md", "print as `FORM`: md or json")
	flags.IntVar(&f.jobs, "jobs", runtime.GOMAXPROCS(0), "`NUMBER` of conversations that are asked about at a time")
	complete(cmd, "split", words(recall.Splits()))
	complete(cmd, "format", words(markdownOrJSON))
	return cmd
}

func (f *recallFlags) run(cmd *cobra.Command) error {
	for _, check := range []error{oneOf("split", f.split, recall.Splits()), oneOf("format", f.format, markdownOrJSON)} {
		if check != nil {
			return check
		}
	}
	slices.Sort(f.k)
	if f.jobs < 1 || len(f.k) == 0 || f.k[0] < 1 {
		return usage("foray eval recall --k 5,10,25", "--k %v and --jobs %d must be at least 1", f.k, f.jobs)
	}
	sources, skipped, err := f.sources(cmd)
	if err != nil {
		return err
	}
	options, clear := evalOptions(cmd.ErrOrStderr(), f.jobs, "asking")
	report, err := recall.Run(cmd.Context(), sources, recall.Config{
		Retrievers: recall.Retrievers(), K: slices.Compact(f.k), Split: f.split, Options: options, Now: time.Now,
	})
	clear()
	if err != nil {
		return &exit{code: exitPartial, err: err}
	}
	report.Skipped = skipped
	if f.format == "json" {
		return ui.JSON(cmd.OutOrStdout(), report)
	}
	return report.WriteMarkdown(cmd.OutOrStdout())
}

// sources returns the conversations that were named, if there are any, and those that are part of foray.
func (f *recallFlags) sources(cmd *cobra.Command) ([]*recall.Source, []string, error) {
	sources, skipped, err := recall.Load(cmd.Context(), recorded(cmd.ErrOrStderr(), f.data, "locomo.jsonl.gz")...)
	if err != nil {
		return nil, nil, usage("foray eval recall --help", "%w", err)
	}
	return sources, skipped, nil
}
