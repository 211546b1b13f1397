package harness

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/evals/trial"
)

// CheckFolder refuses a folder for results that holds some already. An empty name passes.
func CheckFolder(dir string) error {
	if dir == "" {
		return nil
	}
	_, err := trial.ReadInfo(dir)
	if errors.Is(err, trial.ErrNoRun) {
		return nil
	}
	if err == nil {
		err = trial.ErrExists
	}
	return cli.Usage("--out with a new folder", "--out %s: %w", dir, err)
}

// Keep writes results that a suite made to a folder, with all that foray eval run leaves there. Foray is its version.
func Keep(cmd *cobra.Command, dir, foray string, results *trial.Results) error {
	err := trial.Record(dir, foray, results)
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
