package harness

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/evals/trial"
)

// CheckFolder makes a folder for results, and refuses one that cannot take them. An empty name passes.
func CheckFolder(dir string) error {
	if dir == "" {
		return nil
	}
	if err := trial.MakeFolder(dir); err != nil {
		return cli.Usage("--out with a new folder", "%w", err)
	}
	return nil
}

// Keep writes results that a suite made to a folder, with all that foray eval run leaves there.
func Keep(cmd *cobra.Command, dir string, results *trial.Results) error {
	if results.Len() == 0 {
		cli.Notice(cmd, "nothing to keep in %s", dir)
		return nil
	}
	err := trial.Record(dir, cli.Version(), results)
	if err == nil {
		var info *trial.Info
		if info, err = trial.ReadInfo(dir); err == nil {
			err = writeExtras(cmd.Context(), dir, info.Subjects)
		}
	}
	if errors.Is(err, trial.ErrExists) || errors.Is(err, os.ErrPermission) {
		return cli.Usage("--out with a new folder", "%w", err)
	}
	if err != nil {
		return &cli.Exit{Code: cli.ExitPartial, Err: err}
	}
	cli.Notice(cmd, "results in %s, for foray eval show, report, compare and gate", dir)
	return nil
}
