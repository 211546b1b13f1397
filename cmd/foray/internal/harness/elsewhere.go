package harness

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/evals/dispatch"
	"github.com/forayhq/foray/evals/trial"
)

// onPrefix begins the names of the programs that run trials elsewhere.
const onPrefix = "foray-"

// elsewhereJobs is how many trials a program has at a time, without --jobs. Its workers decide how many of them run.
const elsewhereJobs = 64

// newTrial returns the command that those programs run.
func newTrial(m Models) *cobra.Command {
	f := runFlags{models: newModels()}
	var at trial.Place
	var foray string
	cmd := &cobra.Command{
		Use:   "trial TASKS",
		Short: "Run one trial of a run that another machine leads",
		Long: `Run one trial for foray eval run --on NAME, and leave its result in the folder
of the run, which both machines see under the same path. The programs that foray
eval run --on starts have their workers call this; you do not need it.

The trial is cancelled when standard input ends, so no trial outlives a worker
that was killed.

Exit codes: 0 the trial ended, whether it passed or not, 2 it cannot run here,
3 an error, a signal, or the end of standard input.`,
		Example: `  foray eval trial smoke --task greet --subject rules --trial 1 --out results`,
		Hidden:  true,
		Args:    oneSet,
		RunE: func(cmd *cobra.Command, args []string) error {
			if foray != "" && foray != cli.Version() {
				return cli.Usage("the same foray on all machines", "this machine has foray %s, and the run is of foray %s",
					cli.Version(), foray)
			}
			return f.one(cmd, args[0], at)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&at.Task, "task", "", "run the task `ID`")
	flags.StringVar(&at.Subject, "subject", "", "run it with the subject `NAME`")
	cli.NumberFlag(cmd, &at.Trial, "trial", 1, 1, "it is the trial `N`")
	flags.StringVar(&f.out, "out", "", "leave the result in `DIR`")
	flags.StringVar(&foray, "foray", "", "refuse it if this is not foray `VERSION` (default: any)")
	f.limits(cmd)
	f.open = m(cmd)
	cli.InGroup(cmd, cli.RunGroup, "task", "subject", "trial", "foray", "timeout", "judge")
	cli.InGroup(cmd, cli.OutputGroup, "out")
	return cmd
}

// one runs a trial that another machine asked for.
func (f *runFlags) one(cmd *cobra.Command, name string, at trial.Place) error {
	ctx, cancel := context.WithCancelCause(cmd.Context())
	defer cancel(nil)
	go func() {
		var b [1]byte
		for {
			if _, err := cmd.InOrStdin().Read(b[:]); err != nil {
				cancel(errors.New("the trial was abandoned: standard input ended"))
				return
			}
		}
	}()
	set, err := f.load(cmd, name)
	if err != nil {
		return err
	}
	subjects, err := f.openSubjects(cmd, []string{at.Subject})
	if err != nil {
		return err
	}
	err = trial.Part(ctx, f.plan(set, subjects), at)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, trial.ErrMismatch), errors.Is(err, trial.ErrNoRun):
		return cli.Usage("the same files under the same paths on all machines", "%w", err)
	}
	return &cli.Exit{Code: cli.ExitPartial, Err: err}
}

// elsewhere makes a plan run its trials with the program that --on names. The context that it returns ends with the
// program; call the function at the end.
func (f *runFlags) elsewhere(cmd *cobra.Command, p *trial.Plan) (context.Context, func(), error) {
	if f.on == "" {
		return cmd.Context(), func() {}, nil
	}
	here, err := os.Getwd()
	out, failed := filepath.Abs(p.Dir)
	if err = errors.Join(err, failed); err != nil {
		return nil, nil, err
	}
	ctx, client, err := dispatch.Start(cmd.Context(), cmd.ErrOrStderr(), onPrefix+f.on, "trials")
	if err != nil {
		return nil, nil, &cli.Exit{Code: cli.ExitPartial, Err: err}
	}
	shared := f.sharedFlags(cmd, p, out)
	p.Elsewhere = func(ctx context.Context, at trial.Place) error {
		key := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d", out, at.Task, at.Subject, at.Trial))
		return client.Do(ctx, dispatch.Job{
			Key: fmt.Sprintf("%s-%x", trial.FileName(at.Task, 40), key[:8]), Dir: here, Args: slices.Concat(
				[]string{"eval", "trial", "--task=" + at.Task, "--subject=" + at.Subject, fmt.Sprint("--trial=", at.Trial)},
				shared, []string{"--", f.set}),
		})
	}
	return ctx, client.Close, nil
}

// sharedFlags are the flags of foray eval trial that all trials of a plan have, with the folder out for the results.
func (f *runFlags) sharedFlags(cmd *cobra.Command, p *trial.Plan, out string) []string {
	args := []string{"--out=" + out, "--timeout=" + p.Timeout.String(), "--foray=" + p.Foray}
	if p.Judge != "" {
		args = append(args, "--judge="+p.Judge)
	}
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if name := flag.Name; name == "base-url" || name == "allow-http" {
			args = append(args, "--"+name+"="+flag.Value.String())
		}
	})
	return args
}

// validOn refuses what names no program.
func (f *runFlags) validOn() error {
	if f.on == "" {
		return nil
	}
	if strings.ContainsAny(f.on, `/\ `) || strings.HasPrefix(f.on, "-") {
		return cli.Usage("--on temporal", "--on names a program foray-NAME in the PATH, not %q", f.on)
	}
	if _, err := exec.LookPath(onPrefix + f.on); err != nil {
		return cli.Usage("install it as docs/scale.md says, or leave out --on", "%w", err)
	}
	return nil
}
