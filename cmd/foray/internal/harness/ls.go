package harness

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/internal/line"
)

// runsFolder is where runs are kept by default.
const runsFolder = "foray-evals"

func newList() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "ls [DIR]",
		Short: "List the runs of task sets",
		Long: `List the runs below DIR (default: ` + runsFolder + `), the newest last: when each
started (UTC), its task set, its subjects, how many of its trials have finished,
and how many passed.

Exit codes: 0 runs were found, 1 there are no runs, 2 bad usage, 3 an error.`,
		Example: `  foray eval ls
  foray eval ls /tmp/runs --format json`,
		Args: cli.Arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := runsFolder
			if len(args) > 0 {
				dir = args[0]
			}
			runs, unread, err := findRuns(dir)
			for _, problem := range unread {
				cli.Notice(cmd, "left out: %v", problem)
			}
			if err != nil {
				return err
			}
			return cli.PrintAs(cmd, format, runs, func(w io.Writer) error { return writeRuns(w, runs) })
		},
	}
	cli.FormatFlag(cmd, &format, cli.TextOrJSON)
	return cmd
}

// findRuns returns the totals of the runs in the folders below dir, or of dir itself, the oldest first, and what is
// wrong with those that cannot be read.
func findRuns(dir string) (runs []*trial.Summary, unread []error, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, cli.Usage("foray eval ls DIR", "reading the runs: %w", err)
	}
	if _, err := trial.ReadInfo(dir); !errors.Is(err, trial.ErrNoRun) {
		s, err := trial.Summarize(dir)
		if err != nil {
			return nil, nil, &cli.Exit{Code: cli.ExitPartial, Err: err}
		}
		return []*trial.Summary{s}, nil, nil
	}
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		if s, err := trial.Summarize(at); err == nil {
			runs = append(runs, s)
		} else if info, failed := os.Stat(at); failed == nil && info.IsDir() && !errors.Is(err, trial.ErrNoRun) {
			unread = append(unread, err)
		}
	}
	switch {
	case len(runs) == 0 && len(unread) > 0:
		return nil, unread, &cli.Exit{Code: cli.ExitPartial, Err: fmt.Errorf("no run in %s can be read", dir)}
	case len(runs) == 0:
		return nil, nil, &cli.Exit{Code: cli.ExitNothing, Err: fmt.Errorf("no runs in %s", dir),
			Hint: "foray eval run smoke"}
	}
	slices.SortStableFunc(runs, func(a, b *trial.Summary) int { return a.Info.Started.Compare(b.Info.Started) })
	return runs, unread, nil
}

// writeRuns writes a line for each subject of each run.
func writeRuns(w io.Writer, runs []*trial.Summary) error {
	rows := [][]string{{"STARTED", "SET", "SUBJECT", "TRIALS", "PASSED", "DIR"}}
	for _, s := range runs {
		of := s.Info.Tasks * s.Info.Trials
		for _, t := range s.Subjects {
			rows = append(rows, []string{s.Info.Started.UTC().Format("2006-01-02 15:04"), s.Info.Set, t.Subject,
				line.Number(t.Trials) + " of " + line.Number(of), share(t.Passed, t.Trials), s.Dir})
		}
	}
	return ui.Table(w, "", rows)
}

// share writes a part of a whole as a percentage.
func share(n, of int) string {
	if of == 0 {
		return "–"
	}
	return line.Percent(float64(n) / float64(of))
}
