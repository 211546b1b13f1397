package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/evals/fuzz"
	"github.com/forayhq/foray/evals/recall"
	"github.com/forayhq/foray/evals/tokens"
)

func newEval() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval",
		Short: "Measure compaction, token estimates, recall and localization",
		Long: `Run the suites that measure foray. They need recordings, which are not part of
foray: name them with --data, or their directory with ` + dataVariable + `. Without
recordings a suite prints a notice and ends.`,
		Example: `  foray eval compaction --data recordings/ --budget 16000
  foray eval canaries --policy lean,ladder
  foray eval tokens --data token_calibration.jsonl.gz
  foray eval recall --data locomo.jsonl.gz --k 5,10,25
  foray eval localize --data localize_issues.jsonl.gz --repos mirrors/
  foray eval fuzz --ops 100000`,
		Args: cobra.ArbitraryArgs,
		RunE: group,
	}
	cmd.AddCommand(newEvalCompaction(), newEvalCanaries(), newEvalTokens(), newEvalRecall(), newEvalLocalize(), newEvalFuzz())
	return cmd
}

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
	// Some conversations are part of foray, so no recordings are no error.
	sources, skipped, err := recall.Load(cmd.Context(), findRecordings(cmd.ErrOrStderr(), f.data, recallData)...)
	if err != nil {
		return usage("foray eval recall --help", "%w", err)
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
			paths := findRecordings(cmd.ErrOrStderr(), f.data, tokenData)
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
not load to the same bytes, reasoning that a service refuses because something
before it changed.

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

// dataVariable names the directory of the recordings.
const dataVariable = "FORAY_DATA"

// suiteFlags are the flags that suites share.
type suiteFlags struct {
	data   []string
	jobs   int
	format string
}

// define defines --format. It adds --data if data names the default recordings, and --jobs if what names the work.
func (f *suiteFlags) define(cmd *cobra.Command, data, what string) {
	if data != "" {
		cmd.Flags().StringSliceVar(&f.data, "data", nil,
			"read the recordings `PATHS` (default: "+data+" in $"+dataVariable+")")
	}
	if what != "" {
		numberFlag(cmd, &f.jobs, "jobs", runtime.GOMAXPROCS(0), 1, "run `N` "+what+" in parallel")
	}
	formatFlag(cmd, &f.format, markdownOrJSON)
}

// A suiteReport is the result of a suite.
type suiteReport interface{ WriteMarkdown(io.Writer) error }

// print prints a report as --format says.
func (f *suiteFlags) print(cmd *cobra.Command, r suiteReport) error {
	return printAs(cmd, f.format, r, r.WriteMarkdown)
}

// findRecordings returns the paths given with --data, else the first of names that exists in the directory that
// FORAY_DATA names. If it finds none, it prints a notice and returns nil.
func findRecordings(w io.Writer, given []string, names ...string) []string {
	if len(given) > 0 {
		return given
	}
	dir := os.Getenv(dataVariable)
	if dir == "" {
		fmt.Fprintf(w, "foray: skipped: no recordings; name them with --data, or their directory with %s\n", dataVariable)
		return nil
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return []string{path}
		}
	}
	fmt.Fprintf(w, "foray: skipped: no %s in %s\n", names[0], ui.Printable(dir))
	return nil
}

// options returns the options of a suite. On a terminal they draw a progress bar; clear removes it.
func (f *suiteFlags) options(w io.Writer, label string) (o *evals.Options, clear func()) {
	o, clear = &evals.Options{Jobs: f.jobs}, func() {}
	if columns := ui.Columns(w); columns != nil {
		o.Progress, clear = evals.Bar(w, columns(), label)
	}
	return o, clear
}
