package harness

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/evals/atif"
	"github.com/forayhq/foray/evals/inspectlog"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/internal/jsonlines"
	"github.com/forayhq/foray/internal/line"
)

// exportFlags are the flags of eval export.
type exportFlags struct {
	to       string
	subjects []string
}

// exportForms are what results are exported to.
var exportForms = []string{"inspect", "atif", "jsonl", "csv"}

func newExport() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export [flags] DIR FILE",
		Short: "Write results in the form of another program",
		Long: `Write the results of a run of foray eval run as:
  inspect  a log that Inspect's viewer opens (.eval), of one subject
  atif     trajectories in Harbor's ATIF 1.7, one JSON object a line
  jsonl    results, one JSON object a line
  csv      a row for each trial, for spreadsheets

FILE is replaced only once the new one is complete; - is standard output.`,
		Example: `  foray eval export results/ --to inspect results.eval
  foray eval export results/ --to atif --subject rules trajectories.jsonl
  foray eval export results/ --to csv results.csv`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return cli.Usage(cmd.CommandPath()+" results/ --to csv results.csv", "name a folder of results and a file to write")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0], args[1]) },
	}
	cli.ChoiceFlag(cmd, &f.to, "to", "", exportForms, "write as `FORM`: "+cli.Either(exportForms))
	subjectsFlag(cmd, &f.subjects, "write the trials of `NAMES` only (repeatable; default: all)")
	return cmd
}

func (f *exportFlags) run(cmd *cobra.Command, dir, path string) error {
	info, err := trial.ReadInfo(dir)
	if err != nil {
		return noRun(err)
	}
	if f.to == "" {
		return cli.Usage("--to csv", "say what to write: --to takes %s", cli.Either(exportForms))
	}
	for _, name := range f.subjects {
		if !slices.Contains(info.Subjects, name) {
			return cli.Usage("--subject "+cli.Quote(cli.Suggest(name, info.Subjects)), "the run has no subject %q; it has: %s",
				name, strings.Join(info.Subjects, ", "))
		}
	}
	if len(f.subjects) == 0 {
		f.subjects = info.Subjects
	}
	if f.to == "inspect" && len(f.subjects) != 1 {
		return cli.Usage("--subject "+cli.Quote(f.subjects[0]), "a log of Inspect has one subject; the run has %d: %s",
			len(f.subjects), strings.Join(f.subjects, ", "))
	}
	out := cli.Output{Path: path, Flag: cmd.CommandPath() + " " + cli.Quote(dir) + " --to " + f.to,
		Name: "results." + strings.Replace(f.to, "inspect", "eval", 1)}
	if err := out.Check(); err != nil {
		return err
	}
	write := func(w io.Writer) error { return f.write(cmd, dir, info, w) }
	if path == "-" {
		err = write(cmd.OutOrStdout())
	} else {
		err = replaceWith(path, write)
	}
	if err != nil {
		return &cli.Exit{Code: cli.ExitPartial, Err: fmt.Errorf("exporting %s: %w", dir, err)}
	}
	return nil
}

// replaceWith writes a file beside path, or beside what path links to, and renames it, so that no reader sees half of
// it. A device or a pipe is written to: renaming would replace /dev/null.
func replaceWith(path string, write func(io.Writer) error) (err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return buffered(f, write)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := buffered(f, write); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// buffered writes to a file, and closes it.
func buffered(f *os.File, write func(io.Writer) error) error {
	w := bufio.NewWriter(f)
	err := write(w)
	return errors.Join(err, w.Flush(), f.Close())
}

func (f *exportFlags) write(cmd *cobra.Command, dir string, info *trial.Info, w io.Writer) error {
	if f.to == "inspect" {
		return inspectlog.Write(cmd.Context(), w, dir, f.subjects[0])
	}
	tasks := make(map[string]*task.Task)
	for t, err := range trial.Tasks(dir) {
		if err == nil { // a task only adds what was said first
			tasks[t.ID] = t
		}
	}
	sheet := csv.NewWriter(w)
	if f.to == "csv" {
		if err := sheet.Write(csvColumns); err != nil {
			return err
		}
	}
	written := 0
	for row, err := range trial.Rows(dir) {
		switch {
		case row == nil:
			cli.Notice(cmd, "skipped: %v", err)
			continue
		case !slices.Contains(f.subjects, row.Subject):
			continue
		case f.to == "atif":
			err = atif.Write(w, row, tasks[row.Task], info.Foray, traceOpener(dir, row.Trace))
		case f.to == "csv":
			err = sheet.Write(csvRow(row))
		default:
			err = writeLine(w, row)
		}
		if err = errors.Join(err, cmd.Context().Err()); err != nil {
			return err
		}
		written++
	}
	if written == 0 {
		return errors.New("no results to write")
	}
	sheet.Flush()
	return sheet.Error()
}

func writeLine(w io.Writer, row *trial.Row) error {
	raw, err := line.JSON(row)
	if err != nil {
		return err
	}
	_, err = w.Write(append(raw, '\n'))
	return err
}

// traceOpener returns what opens a trace of a folder of results; nil without one.
func traceOpener(dir, name string) func() (io.ReadCloser, error) {
	at := filepath.FromSlash(name)
	if name == "" || !filepath.IsLocal(at) {
		return nil
	}
	if _, err := os.Stat(filepath.Join(dir, at)); err != nil {
		return nil
	}
	return func() (io.ReadCloser, error) {
		file, err := os.Open(filepath.Join(dir, at))
		if err != nil {
			return nil, err
		}
		return jsonlines.Unzip(file)
	}
}

// csvColumns are the columns of a spreadsheet.
var csvColumns = []string{"task", "subject", "trial", "tags", "started", "seconds", "passed", "score", "failure", "why",
	"steps", "input_tokens", "cached_tokens", "output_tokens", "cost", "stop", "answer", "trace"}

func csvRow(r *trial.Row) []string {
	class, why, cost := "", "", ""
	switch {
	case r.Failure != nil:
		class, why = string(r.Failure.Class), r.Failure.Text
	case !r.Passed:
		class = "wrong"
	}
	for _, v := range r.Checks {
		if why == "" && !v.Passed {
			why = v.Check + ": " + v.Why + v.Err
		}
	}
	decimal := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	if r.Priced {
		cost = decimal(r.Cost)
	}
	cells := []string{r.Task, r.Subject, strconv.Itoa(r.Trial), strings.Join(r.Tags, " "),
		r.Started.UTC().Format(time.RFC3339), decimal(r.Seconds), strconv.FormatBool(r.Passed),
		decimal(r.Score), class, why, strconv.Itoa(r.Steps),
		strconv.Itoa(r.Usage.Input), strconv.Itoa(r.Usage.Cached), strconv.Itoa(r.Usage.Output), cost, r.Stop,
		r.Answer, r.Trace}
	for i, c := range cells {
		if c != "" && strings.ContainsRune("=+-@\t\r", rune(c[0])) {
			cells[i] = "'" + c // or a spreadsheet runs it as a formula
		}
	}
	return cells
}
