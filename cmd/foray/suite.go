package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/evals"
)

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
