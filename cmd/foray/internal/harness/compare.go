package harness

import (
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/evals/compare"
)

// compareFlags are the flags of eval compare.
type compareFlags struct {
	subjects []string
	format   string
}

// newCompare returns foray eval compare.
func newCompare() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare [flags] DIR...",
		Short: "Say which subject is better, and how sure that is",
		Long: `Compare the subjects of one or more folders that foray eval run --out wrote,
or .eval files of Inspect. Each subject is compared with the first; a subject
found in several folders is compared with its own results in the first.

Trials are paired by task and number. Only those that every subject has count,
and only of tasks that did not change between the folders; warnings say what was
left out. Trials that failed because of the provider, a check or the harness
count as not passed.

The report begins with whether each difference is real: McNemar's exact test
with one trial of each task, else a permutation test by task. Intervals are
Wilson's for one rate, and from a bootstrap over tasks for differences. With
several trials it has pass@k (one of k passes) and pass^k (all of k pass).`,
		Example: `  foray eval compare before/ after/
  foray eval compare results/ --subject rules,lean
  foray eval compare results/ other.eval --format json`,
		Args: needsResults,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	subjectsFlag(cmd, &f.subjects, "compare `NAMES` only, the first with the others (repeatable; default: all)")
	cli.FormatFlag(cmd, &f.format, cli.MarkdownOrJSON)
	return cmd
}

func subjectsFlag(cmd *cobra.Command, to *[]string, usage string) {
	cmd.Flags().StringSliceVar(to, "subject", nil, usage)
}

// needsResults refuses a command line without a folder of results.
func needsResults(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cli.Usage(cmd.CommandPath()+" results/", "name the folder that foray eval run --out wrote")
	}
	return nil
}

// oneResults refuses a command line without exactly one folder of results.
func oneResults(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return cli.Usage(cmd.CommandPath()+" "+cli.Quote(args[0]), "%s takes one folder, not %d", cmd.CommandPath(),
			len(args))
	}
	return needsResults(cmd, args)
}

func (f *compareFlags) run(cmd *cobra.Command, args []string) error {
	all, err := loadResults(cmd, args)
	if err != nil {
		return err
	}
	r, err := compare.Of(cmd.Context(), all, f.subjects)
	switch {
	case errors.Is(err, compare.ErrOne):
		return cli.Usage(cmd.CommandPath()+" "+cli.Quote(args[0])+" other/", "%w", err)
	case cmd.Context().Err() != nil:
		return &cli.Exit{Code: cli.ExitPartial, Err: err}
	case err != nil:
		return cli.Usage(cmd.CommandPath()+" --help", "%w", err)
	}
	return cli.PrintAs(cmd, f.format, r, r.WriteMarkdown)
}

// loadResults loads folders of results. What cannot be read is a usage error.
func loadResults(cmd *cobra.Command, paths []string) ([]*compare.Results, error) {
	var all []*compare.Results
	for _, path := range paths {
		r, err := compare.Load(cmd.Context(), path)
		switch {
		case cmd.Context().Err() != nil:
			return nil, &cli.Exit{Code: cli.ExitPartial, Err: cmd.Context().Err()}
		case errors.Is(err, fs.ErrNotExist):
			return nil, cli.Usage("foray eval run TASKS --out "+cli.Quote(path), "%w", err)
		case err != nil:
			return nil, cli.Usage(cmd.CommandPath()+" --help", "%w", err)
		}
		all = append(all, r)
	}
	return all, nil
}
