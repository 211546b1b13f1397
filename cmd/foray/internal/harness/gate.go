package harness

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/evals/compare"
	"github.com/forayhq/foray/internal/line"
)

// gateFlags are the flags of eval gate.
type gateFlags struct {
	pass, score, cost, seconds float64
	tags                       []string
	baseline, junit            string
	subjects                   []string
}

// newGate returns foray eval gate.
func newGate() *cobra.Command {
	var f gateFlags
	cmd := &cobra.Command{
		Use:   "gate [flags] DIR",
		Short: "Exit with 1 if results are not good enough, for CI",
		Long: `Check the results of every subject in a folder that foray eval run --out wrote.
Print a line for each gate. An unfinished run fails.

--baseline holds unless a subject passes less often than in the earlier results
and chance is unlikely to explain it (p < .05). --junit writes the gates and
tasks as JUnit XML: suites are subjects, cases are tasks. A task that did not
pass is a failure there even if every gate holds. With --junit - the gates are
printed on standard error.

Exit codes: 0 all gates hold, 1 one does not, 2 bad usage, 3 an error.`,
		Example: `  foray eval gate results/ --min-pass 0.8 --max-seconds 60
  foray eval gate results/ --min-tag safety=1 --junit results.xml
  foray eval gate results/ --baseline main-results/`,
		Args: oneResults,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	share := func(v float64) bool { return v >= 0 && v <= 1 }
	above := func(v float64) bool { return v >= 0 }
	takesShare := cli.BadValue{Takes: "a share from 0 to 1", Try: "0.8"}
	cli.DecimalFlag(cmd, &f.pass, "min-pass", 0, share, takesShare,
		"require that the share `P` of trials passes, from 0 to 1")
	cli.DecimalFlag(cmd, &f.score, "min-score", 0, share, takesShare,
		"require a mean score of at least `S`, from 0 to 1")
	cli.DecimalFlag(cmd, &f.cost, "max-cost", 0, above, cli.BadValue{Takes: "US dollars", Try: "0.05"},
		"require that a trial costs at most `USD` on average")
	cli.DecimalFlag(cmd, &f.seconds, "max-seconds", 0, above, cli.BadValue{Takes: "seconds", Try: "60"},
		"require that 95 of 100 trials take at most `S` seconds")
	cmd.Flags().StringSliceVar(&f.tags, "min-tag", nil,
		"require that a share of the trials with a tag passes, as `TAG=P` (repeatable)")
	cmd.Flags().StringVar(&f.baseline, "baseline", "", "require that no subject is worse than in the results `DIR`")
	cmd.Flags().StringVar(&f.junit, "junit", "", "write JUnit XML to `FILE`, - for standard output")
	subjectsFlag(cmd, &f.subjects, "check `NAMES` only (repeatable; default: all)")
	return cmd
}

func (f *gateFlags) run(cmd *cobra.Command, path string) error {
	g, err := f.gates(cmd)
	if err != nil {
		return err
	}
	junit := cli.Output{Path: f.junit, Std: cmd.OutOrStdout(), Flag: "--junit", Name: "results.xml"}
	if err := junit.Check(); err != nil {
		return err
	}
	loaded, err := loadResults(cmd, []string{path})
	if err != nil {
		return err
	}
	if f.baseline != "" {
		earlier, err := loadResults(cmd, []string{f.baseline})
		if err != nil {
			return err
		}
		g.Baseline = earlier[0]
	}
	found, err := compare.Check(cmd.Context(), loaded[0], g)
	if cmd.Context().Err() != nil {
		return &cli.Exit{Code: cli.ExitPartial, Err: cmd.Context().Err()}
	}
	if err != nil {
		return cli.Usage(cmd.CommandPath()+" --help", "%w", err)
	}
	if f.junit != "" {
		var b bytes.Buffer
		if err := compare.WriteJUnit(&b, loaded[0], f.subjects, found); err != nil {
			return &cli.Exit{Code: cli.ExitPartial, Err: err}
		}
		if err := junit.Write(b.String()); err != nil {
			return err
		}
	}
	out := cmd.OutOrStdout()
	if f.junit == "-" {
		out = cmd.ErrOrStderr()
	}
	return printFindings(out, found)
}

// printFindings prints a line for each gate, and returns the error of those that do not hold.
func printFindings(w io.Writer, found []compare.Finding) error {
	failed := 0
	for _, f := range found {
		word := "ok  "
		if !f.Held {
			word, failed = "FAIL", failed+1
		}
		text := line.Flat(line.Printable(f.Subject + ": " + f.Gate + ": " + f.Text))
		if _, err := fmt.Fprintln(w, word, text); err != nil {
			return err
		}
	}
	if failed > 0 {
		return &cli.Exit{Code: cli.ExitNothing, Err: fmt.Errorf("%d of %s", failed, gatesFail(failed, len(found)))}
	}
	return nil
}

// gatesFail ends a sentence of which the failed gates are the subject.
func gatesFail(failed, of int) string {
	text := line.Count(of, "gate") + " fail"
	if failed == 1 {
		text += "s"
	}
	return text
}

// gates returns what the flags ask for.
func (f *gateFlags) gates(cmd *cobra.Command) (g compare.Gates, err error) {
	g.Subjects = f.subjects
	asked := f.baseline != ""
	for name, flag := range map[string]struct {
		from *float64
		to   **float64
	}{
		"min-pass": {&f.pass, &g.Pass}, "min-score": {&f.score, &g.Score},
		"max-cost": {&f.cost, &g.Cost}, "max-seconds": {&f.seconds, &g.Seconds},
	} {
		if cmd.Flags().Changed(name) {
			*flag.to, asked = flag.from, true
		}
	}
	for _, text := range f.tags {
		at := strings.LastIndexByte(text, '=') // a tag may be lang=go
		share, err := strconv.ParseFloat(text[at+1:], 64)
		if at < 1 || err != nil || !(share >= 0 && share <= 1) {
			return g, cli.Usage("--min-tag safety=0.9", "--min-tag takes TAG=P with P from 0 to 1, not %q", text)
		}
		g.Tags, asked = append(g.Tags, compare.TagGate{Tag: text[:at], Pass: share}), true
	}
	if !asked {
		return g, cli.Usage("--min-pass 0.8", "name at least one gate that the results must pass")
	}
	return g, nil
}
