package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/evals/page"
	"github.com/forayhq/foray/evals/trial"
)

// newReport returns foray eval report.
func newReport() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "Write the report of a run as one HTML file",
		Long: `Write the report of a folder that foray eval run --out wrote: one HTML file that
works from disk and requests nothing. It shows each subject's totals, every
trial with the verdicts on it, and for each trial the timeline, the window over
time, every request as it was sent and what was evicted. eval run writes it when
it ends; write it again after the run was killed, or with a newer foray.

Exit codes: 0 done, 2 bad usage, 3 an error.`,
		Example: `  foray eval report results/
  foray eval report results/ -o page.html`,
		Args: oneResults,
		RunE: func(cmd *cobra.Command, args []string) error { return writeReport(cmd, args[0], output) },
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FILE` atomically, - for standard output "+
		"(default: report.html in DIR)")
	return cmd
}

// writeReport writes the report, and prints where it is.
func writeReport(cmd *cobra.Command, dir, path string) error {
	if _, err := trial.ReadInfo(dir); err != nil {
		return noRun(err)
	}
	var err error
	switch path {
	case "-":
		err = page.Write(cmd.Context(), dir, cmd.OutOrStdout())
	case "":
		path = filepath.Join(dir, page.File)
		err = writeExtra(cmd.Context(), dir, path, page.Write)
	default:
		if err := (cli.Output{Path: path, Name: page.File}).Check(); err != nil {
			return err
		}
		err = replaceWith(path, func(w io.Writer) error { return page.Write(cmd.Context(), dir, w) })
	}
	switch {
	case errors.Is(err, context.Canceled):
		return &cli.Exit{Code: cli.ExitPartial, Err: err}
	case errors.Is(err, trial.ErrNoRun):
		return noRun(err)
	case err != nil:
		return &cli.Exit{Code: cli.ExitPartial, Err: fmt.Errorf("writing the report: %w", err),
			Hint: "-o FILE in a writable directory"}
	case path != "-":
		_, err = fmt.Fprintln(cmd.OutOrStdout(), path)
	}
	return err
}
