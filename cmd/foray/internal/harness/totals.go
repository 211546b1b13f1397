package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/evals/check"
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

// openSet opens a set that is part of foray by its name, or else reads the one at a path.
func openSet(ctx context.Context, name string, o *check.Options) (*task.Set, error) {
	if slices.Contains(setNames(), name) {
		return sets.Open(name)
	}
	return task.Load(ctx, name, o)
}

// extras are the files that a run writes beside its results, for people and for other programs.
var extras = []struct {
	name  string
	write func(ctx context.Context, dir string, w io.Writer) error
}{
	{page.File, page.Write},
}

// writeExtras writes the extras into a folder of results, each whole or not at all.
func writeExtras(ctx context.Context, dir string) error {
	var errs []error
	for _, x := range extras {
		if err := writeExtra(ctx, dir, filepath.Join(dir, x.name), x.write); err != nil {
			errs = append(errs, fmt.Errorf("writing %s: %w", x.name, err))
		}
	}
	return errors.Join(errs...)
}

// writeExtra writes what is made of the results in dir to a file.
func writeExtra(ctx context.Context, dir, path string, write func(context.Context, string, io.Writer) error) error {
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new") // one name, so that kills leave one
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = write(ctx, dir, file)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(temporary))
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
		writeTallies(&b, s)
		writeMissed(&b, s)
		fmt.Fprintf(&b, "\nResults: %s\nReport: %s\n", s.Dir, filepath.Join(s.Dir, extras[0].name))
		_, err := io.WriteString(w, b.String())
		return err
	}
}

// classes are the classes of failures in the order of the table.
var classes = []trial.Class{trial.Agent, trial.Tool, trial.Provider, trial.Check, trial.Harness}

// writeTallies writes a row for each subject: what passed, what did not and why, and what a trial took in the mean.
func writeTallies(b *strings.Builder, s *trial.Summary) {
	b.WriteString("| subject | passed | score | wrong |")
	for _, c := range classes {
		fmt.Fprintf(b, " %s |", c)
	}
	b.WriteString(" steps | calls | tokens | seconds | cost, all |\n|:--|--:|--:|--:|")
	b.WriteString(strings.Repeat("--:|", len(classes)+5) + "\n")
	for _, t := range s.Subjects {
		failed := 0
		for _, n := range t.Failures {
			failed += n
		}
		n := float64(max(t.Trials, 1))
		fmt.Fprintf(b, "| %s | %d of %d | %.2f | %d |", cell(t.Subject), t.Passed, t.Trials, t.Score/n,
			t.Trials-t.Passed-failed)
		for _, c := range classes {
			fmt.Fprintf(b, " %d |", t.Failures[c])
		}
		fmt.Fprintf(b, " %.1f | %.1f | %s | %.2f | %s |\n", float64(t.Steps)/n, float64(t.Calls)/n,
			line.Number(int(float64(t.Usage.Input+t.Usage.Output)/n)), t.Seconds/n, dollars(t.Cost))
	}
	b.WriteString("\nSteps, calls, tokens and seconds are means of a trial. Wrong: it ended, and a check did not pass.\n")
}

// writeMissed lists the tasks that did not pass, those that fail most first.
func writeMissed(b *strings.Builder, s *trial.Summary) {
	total := map[string]int{}
	for _, t := range s.Subjects {
		for id, n := range t.Missed {
			total[id] += n
		}
	}
	if len(total) == 0 {
		return
	}
	ids := slices.SortedFunc(maps.Keys(total), func(a, c string) int {
		if d := total[c] - total[a]; d != 0 {
			return d
		}
		return strings.Compare(a, c)
	})
	b.WriteString("\nNot passed, in trials:\n\n| task |")
	for _, t := range s.Subjects {
		fmt.Fprintf(b, " %s |", cell(t.Subject))
	}
	b.WriteString("\n|:--|" + strings.Repeat("--:|", len(s.Subjects)) + "\n")
	for _, id := range ids[:min(mostMissed, len(ids))] {
		fmt.Fprintf(b, "| %s |", cell(id))
		for _, t := range s.Subjects {
			fmt.Fprintf(b, " %d |", t.Missed[id])
		}
		b.WriteString("\n")
	}
	if more := len(ids) - mostMissed; more > 0 {
		fmt.Fprintf(b, "\nAnd %s more.\n", line.Count(more, "task"))
	}
	fmt.Fprintf(b, "\nLook at one: foray eval show %s %s\n", cli.Quote(s.Dir), cli.Quote(ids[0]))
}

// cell makes a text a cell of a table.
func cell(s string) string { return strings.ReplaceAll(line.Flat(s), "|", `\|`) }

func dollars(cost float64) string {
	if cost == 0 {
		return "-"
	}
	return fmt.Sprintf("$%.4f", cost)
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
	if p.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%s failed", line.Number(p.Failed)))
	}
	if rate := float64(p.Done-p.Kept) / p.Elapsed.Seconds(); rate > 0 {
		left := time.Duration(float64(p.Total-p.Done) / rate * float64(time.Second))
		parts = append(parts, fmt.Sprintf("%.3g a second", rate))
		if p.Cost > 0 {
			parts = append(parts, dollars(p.Cost))
		}
		parts = append(parts, ui.Seconds(left)+" left")
	}
	return strings.Join(parts, ", ")
}
