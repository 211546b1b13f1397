package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/evals"
)

func newEval() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval",
		Short: "Measure compaction, token counting, recall and localization",
		Long: `eval runs the suites that measure how a window is compacted, how tokens are counted, how well what was said is found
again, and how well the code is found that an issue is about. Recordings are not part of foray: the suites take a path, or the folder that FORAY_DATA names, and say so when
there is none.`,
		Example: `  foray eval compaction --data recordings/ --budget 16000
  foray eval tokens --data token_calibration.jsonl.gz
  foray eval recall --data locomo.jsonl.gz --k 5,10,25
  foray eval localize --data localize_issues.jsonl.gz --repos mirrors/
  foray eval fuzz --ops 100000`,
		RunE: group,
	}
	cmd.AddCommand(newEvalCompaction(), newEvalTokens(), newEvalRecall(), newEvalLocalize(), newEvalFuzz())
	return cmd
}

// dataVariable names the folder of recordings for all suites.
const dataVariable = "FORAY_DATA"

// recorded returns the paths that were given, else the first of the names that is in the folder of recordings, and says
// when there is none.
func recorded(w io.Writer, given []string, names ...string) []string {
	if len(given) > 0 {
		return given
	}
	dir := os.Getenv(dataVariable)
	if dir == "" {
		fmt.Fprintf(w, "foray: skipped: no recordings; name them with --data or %s\n", dataVariable)
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

// evalOptions are the workers of a suite and its bar, which is drawn when w is a terminal.
func evalOptions(w io.Writer, jobs int, label string) (o *evals.Options, clear func()) {
	o, clear = &evals.Options{Jobs: jobs}, func() {}
	if columns := ui.Columns(w); columns != nil {
		o.Progress, clear = evals.Bar(w, columns(), label)
	}
	return o, clear
}
