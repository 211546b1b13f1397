package suites

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/harness"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/internal/line"
)

// Commands returns the commands of the suites that ask no model and embed nothing, to be added to foray eval.
func Commands() []*cobra.Command {
	return []*cobra.Command{newCompaction(), newTokens(), newFuzz()}
}

// DataVariable names the directory of the recordings.
const DataVariable = "FORAY_DATA"

// Flags are the flags that suites share.
type Flags struct {
	Data        []string
	Jobs        int
	Format, Out string
}

// Define defines --format. It adds --data if data names the default recordings, and --jobs if what names the work.
func (f *Flags) Define(cmd *cobra.Command, data, what string) {
	if data != "" {
		cmd.Flags().StringSliceVar(&f.Data, "data", nil,
			"read the recordings `PATHS` (default: "+data+" in $"+DataVariable+")")
	}
	if what != "" {
		cli.NumberFlag(cmd, &f.Jobs, "jobs", runtime.GOMAXPROCS(0), 1, "run `N` "+what+" in parallel")
		cmd.Flags().Lookup("jobs").DefValue = "one a processor"
	}
	cli.FormatFlag(cmd, &f.Format, cli.MarkdownOrJSON)
}

// DefineOut defines --out, for a suite whose report has results.
func (f *Flags) DefineOut(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Out, "out", "",
		"also keep each case in `DIR`, for foray eval report, show, compare and gate")
	cmd.PreRunE = func(*cobra.Command, []string) error { return harness.CheckFolder(f.Out) }
}

// Splits are the parts of the data of a suite.
var Splits = []string{"dev", "test", "all"}

// ChoosePolicies splits the list of --policy and refuses names that are not known.
func ChoosePolicies(list string, known []string) ([]string, error) {
	var chosen []string
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if name != "all" && !slices.Contains(known, name) {
			return nil, cli.Usage("--policy "+cli.Suggest(list, known), "unknown policy %q; available: %s", name,
				strings.Join(known, ", "))
		}
		chosen = append(chosen, name)
	}
	return chosen, nil
}

// A suiteReport is the result of a suite.
type suiteReport interface{ WriteMarkdown(io.Writer) error }

// Print prints a report as --format says.
func (f *Flags) Print(cmd *cobra.Command, r suiteReport) error {
	if err := cli.PrintAs(cmd, f.Format, r, r.WriteMarkdown); err != nil || f.Out == "" {
		return err
	}
	return harness.Keep(cmd, f.Out, r.(interface{ Results() *trial.Results }).Results())
}

// Recordings returns the paths given with --data, else the first of names that exists in the directory that
// FORAY_DATA names. If it finds none, it prints a notice and returns nil.
func (f *Flags) Recordings(w io.Writer, names ...string) []string {
	if len(f.Data) > 0 {
		return f.Data
	}
	dir := os.Getenv(DataVariable)
	if dir == "" {
		fmt.Fprintf(w, "foray: skipped: no recordings; name them with --data, or their directory with %s\n", DataVariable)
		return nil
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return []string{path}
		}
	}
	fmt.Fprintf(w, "foray: skipped: no %s in %s\n", names[0], line.Printable(dir))
	return nil
}

// Options returns the options of a suite. On a terminal they draw a progress bar; clear removes it.
func (f *Flags) Options(w io.Writer, label string) (o *evals.Options, clear func()) {
	o, clear = &evals.Options{Jobs: f.Jobs}, func() {}
	if columns := ui.Columns(w); columns != nil {
		o.Progress, clear = ui.Bar(w, columns(), label)
	}
	return o, clear
}
