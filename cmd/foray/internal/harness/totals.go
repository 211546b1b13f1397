package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/inspectlog"
	"github.com/forayhq/foray/evals/page"
	"github.com/forayhq/foray/evals/sets"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/internal/line"
)

// setNames are the task sets that are part of foray.
func setNames() (names []string) {
	for _, s := range sets.Names() {
		names = append(names, s.Name)
	}
	return names
}

// openSet opens a set that is part of foray by its name, or else reads the one at a path. A word that is neither is
// taken for a name.
func openSet(ctx context.Context, name string, o *check.Options) (*task.Set, error) {
	_, err := os.Stat(name)
	if slices.Contains(setNames(), name) || err != nil && !strings.ContainsAny(name, `./\`) {
		return sets.Open(name)
	}
	return task.Load(ctx, name, o)
}

// writeExtras writes what a run leaves beside its results, each file whole or not at all: the report for people, and a
// log of each subject for Inspect.
func writeExtras(ctx context.Context, dir string, subjects []string) error {
	errs := []error{writeExtra(ctx, dir, filepath.Join(dir, page.File), page.Write)}
	for _, name := range subjects {
		log := func(ctx context.Context, dir string, w io.Writer) error { return inspectlog.Write(ctx, w, dir, name) }
		errs = append(errs, writeExtra(ctx, dir, filepath.Join(dir, trial.FileName(name, maxLogName)+".eval"), log))
	}
	return errors.Join(errs...)
}

// maxLogName bounds the name of a log, in bytes without its ending.
const maxLogName = 60

// writeExtra writes what is made of the results in dir to a file.
func writeExtra(ctx context.Context, dir, path string, write func(context.Context, string, io.Writer) error) error {
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new") // one name, so that kills leave one
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = write(ctx, dir, file)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", path, errors.Join(err, os.Remove(temporary)))
	}
	return os.Rename(temporary, path)
}

// mostMissed bounds the tasks that the totals list as not passed.
const mostMissed = 20

// summaryWriter returns what writes the totals of a run as Markdown.
func summaryWriter(s *trial.Summary) func(io.Writer) error {
	return func(w io.Writer) error {
		var b strings.Builder
		fmt.Fprintf(&b, "# %s: %s, %s of each\n\n", s.Info.Set, line.Count(s.Info.Tasks, "task"),
			line.Count(s.Info.Trials, "trial"))
		if s.Trials < s.Total {
			fmt.Fprintf(&b, "Incomplete: %s of %s ended.\n\n", line.Number(s.Trials), line.Count(s.Total, "trial"))
		}
		if s.Damaged > 0 {
			fmt.Fprintf(&b, "Ignored: %s of the results.\n\n", line.Count(s.Damaged, "damaged line"))
		}
		tables := []evals.Table{tallies(s)}
		missed, first := missedTasks(s)
		if first != "" {
			tables = append(tables, missed)
		}
		if err := evals.WriteMarkdown(&b, tables...); err != nil {
			return err
		}
		if first != "" {
			fmt.Fprintf(&b, "\nLook at one: %s\n", showTrial(s.Dir, first))
		}
		fmt.Fprintf(&b, "\nResults: %s\n", s.Dir)
		_, err := io.WriteString(w, b.String())
		return err
	}
}

// showTrial returns the command that shows a trial of a task.
func showTrial(dir, task string) string {
	command := "foray eval show " + cli.Quote(dir)
	if strings.HasPrefix(task, "-") {
		command += " --" // else it would be a flag
	}
	return command + " " + cli.Quote(task)
}

// classes are the classes of failures in the order of the table.
var classes = []trial.Class{trial.Agent, trial.Tool, trial.Provider, trial.Check, trial.Harness}

// tallies has a row for each subject: what passed, what did not and why, and what a trial took in the mean.
func tallies(s *trial.Summary) evals.Table {
	t := evals.Table{
		Note: "Wrong: it ended, and a check did not pass. The classes of failures follow. Steps, calls, tokens and time " +
			"are means of a trial. Read anew: input tokens that the provider did not find in its cache.",
		Columns: append([]string{"subject", "passed", "score", "wrong"}, cli.Names(classes)...),
	}
	t.Columns = append(t.Columns, "steps", "calls", "tokens", "read anew", "time", "cost, all")
	for _, one := range s.Subjects {
		failed := 0
		var byClass []string
		for _, c := range classes {
			failed += one.Failures[c]
			byClass = append(byClass, line.Number(one.Failures[c]))
		}
		mean := func(sum float64) float64 { return sum / float64(max(one.Trials, 1)) }
		row := append([]string{
			one.Subject, fmt.Sprintf("%s of %s", line.Number(one.Passed), line.Number(one.Trials)),
			line.Decimals(mean(one.Score), 3), line.Number(one.Trials - one.Passed - failed),
		}, byClass...)
		tokens := func(n int) string { return line.Number(int(math.Round(mean(float64(n))))) }
		t.Rows = append(t.Rows, append(row, line.Decimals(mean(float64(one.Steps)), 1),
			line.Decimals(mean(float64(one.Calls)), 1), tokens(one.Usage.Input+one.Usage.Output),
			tokens(one.Usage.Input-one.Usage.Cached), line.Seconds(mean(one.Seconds)),
			line.Cost(one.Cost, one.Priced, one.Trials)))
	}
	return t
}

// missedTasks lists the tasks that did not pass, those that fail most first, and returns the first; "" if all passed.
func missedTasks(s *trial.Summary) (t evals.Table, first string) {
	total := map[string]int{}
	t = evals.Table{Title: "Not passed, in trials", Columns: []string{"task"}}
	for _, one := range s.Subjects {
		t.Columns = append(t.Columns, one.Subject)
		for id, n := range one.Missed {
			total[id] += n
		}
	}
	if len(total) == 0 {
		return t, ""
	}
	ids := slices.SortedFunc(maps.Keys(total), func(a, b string) int {
		return cmp.Or(total[b]-total[a], cmp.Compare(a, b))
	})
	if len(ids) > mostMissed {
		t.Note = fmt.Sprintf("The first %d of %s.", mostMissed, line.Count(len(ids), "task"))
	}
	for _, id := range ids[:min(mostMissed, len(ids))] {
		row := []string{id}
		for _, one := range s.Subjects {
			row = append(row, line.Number(one.Missed[id]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t, ids[0]
}

// A meter shows how far a run is: on a terminal in one line that it redraws, elsewhere in a line now and then.
type meter struct {
	w       io.Writer
	columns func() int // nil: not a terminal
	last    time.Duration
	drawn   bool
}

func newMeter(w io.Writer) *meter { return &meter{w: w, columns: ui.Columns(w)} }

// How often a line appears on a terminal, and elsewhere.
const (
	redrawEvery = 100 * time.Millisecond
	printEvery  = 10 * time.Second
)

func (m *meter) progress(p trial.Progress) {
	every := printEvery
	if m.columns != nil {
		every = redrawEvery
	}
	if p.Elapsed-m.last < every {
		return
	}
	m.last = p.Elapsed
	text := progressLine(p)
	if m.columns == nil {
		fmt.Fprintf(m.w, "foray: %s\n", text)
		return
	}
	fmt.Fprint(m.w, "\r\x1b[K"+ui.Fit(text, m.columns()-1))
	m.drawn = true
}

// clear removes the line from a terminal.
func (m *meter) clear() {
	if m.drawn {
		fmt.Fprint(m.w, "\r\x1b[K")
	}
}

// progressLine says how far a run is, at which rate, at what cost, and how long it will take.
func progressLine(p trial.Progress) string {
	parts := []string{
		fmt.Sprintf("%s of %s", line.Number(p.Done), line.Count(p.Total, "trial")),
		fmt.Sprintf("%s passed", line.Number(p.Passed)),
	}
	if wrong := p.Done - p.Passed - p.Failed; wrong > 0 {
		parts = append(parts, fmt.Sprintf("%s wrong", line.Number(wrong)))
	}
	if p.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%s failed", line.Number(p.Failed)))
	}
	if rate := float64(p.Done-p.Kept) / p.Elapsed.Seconds(); rate > 0 {
		left := time.Duration(float64(p.Total-p.Done) / rate * float64(time.Second))
		parts = append(parts, fmt.Sprintf("%.3g a second", rate))
		if p.Cost > 0 {
			parts = append(parts, line.Dollars(p.Cost))
		}
		if p.Done < p.Total {
			parts = append(parts, ui.Seconds(left)+" left")
		}
	}
	return strings.Join(parts, ", ")
}
