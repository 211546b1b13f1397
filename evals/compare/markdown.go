package compare

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/evals/internal/stats"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/internal/line"
)

// WriteMarkdown writes the report for a person: first what to think of it, then the figures.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	for _, d := range r.Differences {
		fmt.Fprintf(&b, "%s\n\n", d.Verdict)
	}
	if n := len(r.Differences); n > 1 {
		fmt.Fprintf(&b, "With %d comparisons, chance makes one look real more often: only p below .05 ÷ %d counts.\n\n",
			n, n)
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(&b, "- Warning: %s\n", warning)
	}
	if len(r.Warnings) > 0 {
		b.WriteByte('\n')
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	tables := []evals.Table{r.passing(), r.spending()}
	if t := r.passingK(); t != nil {
		tables = append(tables, *t)
	}
	tables = append(tables, r.differences())
	if len(r.Tags) > 0 {
		tables = append(tables, r.byTag())
	}
	for _, d := range r.Differences {
		tables = append(tables, changes(d.Baseline, d.Subject, d.Regressions),
			changes(d.Subject, d.Baseline, d.Improvements))
	}
	tables = slices.DeleteFunc(tables, func(t evals.Table) bool { return t.Rows == nil })
	return evals.WriteMarkdown(w, tables...)
}

func interval(low, high float64) string {
	return line.Decimals(100*low, 0) + "–" + line.Decimals(100*high, 0)
}

// passing is how often each subject passes.
func (r *Report) passing() evals.Table {
	first := r.Subjects[0]
	t := evals.Table{
		Title:   fmt.Sprintf("Passed, of %s", amount(first.Tasks, first.Trials)),
		Columns: []string{"subject", "passed", "rate", "95 % (Wilson)", "± by task, 95 %", "score", "95 %", "failures"},
	}
	if first.Trials > first.Tasks {
		t.Note = "Trials of one task depend on each other, so use \"± by task, 95 %\": 1.96 clustered standard errors."
	}
	for _, s := range r.Subjects {
		byTask := "–"
		if s.Error != nil && *s.Error > 0 { // else all tasks were equal, which says nothing about others
			byTask = line.Decimals(100*stats.Normal(stats.Confidence)**s.Error, 0)
		}
		t.Rows = append(t.Rows, []string{s.Subject, strconv.Itoa(s.Passed), line.Percent(s.PassRate),
			interval(s.Wilson[0], s.Wilson[1]), byTask, line.Decimals(s.Score.Value, 3), within(s.Score), failures(s.Failed)})
		if s.Unseen > 0 {
			what := "failed"
			if s.Passed == 0 {
				what = "passed"
			}
			t.Note = strings.TrimSpace(fmt.Sprintf("%s %s %s none of %s: up to %s of such tasks might still (rule of three).",
				t.Note, s.Subject, what, count(s.Tasks, "task"), line.Percent(s.Unseen)))
		}
	}
	return t
}

// within writes an interval of scores; "" if all values are equal, so that resampling says nothing.
func within(e stats.Estimate) string {
	if e.Low == e.High {
		return ""
	}
	return line.Decimals(e.Low, 2) + "–" + line.Decimals(e.High, 2)
}

// around writes the interval of a difference; "" if resampling says nothing.
func around(e stats.Estimate, write func(float64) string) string {
	if e.Low == e.High {
		return ""
	}
	return " (" + write(e.Low) + " to " + write(e.High) + ")"
}

// amount writes how many tasks and trials of a subject count.
func amount(tasks, trials int) string {
	if tasks == trials {
		return count(tasks, "task")
	}
	return fmt.Sprintf("%s of %s", count(trials, "trial"), count(tasks, "task"))
}

func failures(by map[trial.Class]int) string {
	var parts []string
	for _, class := range []trial.Class{trial.Agent, trial.Tool, trial.Provider, trial.Check, trial.Harness} {
		if n := by[class]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, class))
		}
	}
	return strings.Join(parts, ", ")
}

// spending is what each subject takes.
func (r *Report) spending() evals.Table {
	t := evals.Table{
		Title: "Spent, a trial",
		Note:  "Read anew: input tokens that the provider did not find in its cache.",
		Columns: []string{"subject", "cost", "cost of all", "input tokens", "read anew", "output", "steps", "median time",
			"p95"},
	}
	for _, s := range r.Subjects {
		t.Rows = append(t.Rows, []string{s.Subject, line.Cost(s.Cost/float64(max(s.Priced, 1)), s.Priced, s.Priced),
			line.Cost(s.Cost, s.Priced, s.Trials), tokens(s.Input), tokens(s.Input - s.Cached), tokens(s.Output),
			line.Decimals(s.Steps, 1), line.Seconds(s.Seconds[0]), line.Seconds(s.Seconds[1])})
	}
	return t
}

// shownK are the values of k that the table shows, as far as there are so many trials.
var shownK = []int{1, 2, 3, 4, 5, 8, 10, 16, 20, 32, 50, 100}

// passingK is pass@k and pass^k; nil with a single trial.
func (r *Report) passingK() *evals.Table {
	most := len(r.Subjects[0].PassAt)
	if most < 2 {
		return nil
	}
	t := &evals.Table{Title: "At least one of k trials passes (pass@k), or all of them (pass^k)",
		Columns: []string{"subject", "of k"}}
	for _, s := range r.Subjects {
		at, all := []string{s.Subject, "one"}, []string{s.Subject, "all"}
		for _, k := range shownK {
			if k <= most {
				at, all = append(at, line.Percent(s.PassAt[k-1])), append(all, line.Percent(s.PassAll[k-1]))
			}
		}
		t.Rows = append(t.Rows, at, all)
	}
	for _, k := range shownK {
		if k <= most {
			t.Columns = append(t.Columns, "k = "+strconv.Itoa(k))
		}
	}
	return t
}

// differences are those of each subject and its baseline.
func (r *Report) differences() evals.Table {
	t := evals.Table{
		Title: "Differences",
		Note:  "Points and percent with 95 % intervals from a bootstrap over tasks.",
		Columns: []string{"subject", "instead of", "points", "better", "worse", "p", "score", "tokens %", "cost %",
			"steps %", "time %"},
	}
	if r.Subjects[0].Tasks < fewTasks {
		t.Note += " With so few tasks they are too narrow: go by p."
	}
	for _, d := range r.Differences {
		row := []string{d.Subject, d.Baseline, "0", strconv.Itoa(d.Better), strconv.Itoa(d.Worse),
			strings.TrimPrefix(strings.TrimPrefix(pValue(d.P), "p "), "= "),
			signed(d.Score.Value, 3) + around(d.Score, func(v float64) string { return signed(v, 2) })}
		if d.Better+d.Worse > 0 {
			row[2] = points(d.PassRate.Value) + around(d.PassRate, points)
		}
		for _, ratio := range []*stats.Estimate{d.Tokens, d.Cost, d.Steps, d.Seconds} {
			text := "–"
			if ratio != nil {
				text = change(ratio.Value) + around(*ratio, change)
			}
			row = append(row, text)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// byTag is how often each subject passes the tasks of each tag.
func (r *Report) byTag() evals.Table {
	t := evals.Table{
		Title:   "By tag",
		Note:    "Among many tags some differ by chance: take a small p here as a question, not as an answer.",
		Columns: []string{"tag", "trials"},
	}
	for _, s := range r.Subjects {
		t.Columns = append(t.Columns, s.Subject)
	}
	for _, d := range r.Differences {
		t.Columns = append(t.Columns, "p, "+d.Subject)
	}
	if len(r.Differences) == 1 {
		t.Columns[len(t.Columns)-1] = "p"
	}
	for _, tag := range r.Tags {
		row := []string{tag.Tag, strconv.Itoa(tag.Trials)}
		for _, passed := range tag.Passed {
			row = append(row, fmt.Sprintf("%d (%s)", passed, line.Percent(float64(passed)/float64(tag.Trials))))
		}
		for _, p := range tag.P {
			row = append(row, strings.TrimPrefix(strings.TrimPrefix(pValue(p), "p "), "= "))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// maxChanges is how many changes a table lists.
const maxChanges = 20

// changes lists the trials that one subject passed and the other did not.
func changes(passed, other string, all []flip) evals.Table {
	t := evals.Table{Title: fmt.Sprintf("Passed by %s, not by %s: %d", passed, other, len(all)),
		Columns: []string{"task", "trial", "why " + other + " did not", "see"}}
	if len(all) > maxChanges {
		t.Note = fmt.Sprintf("The first %d; --format json has all.", maxChanges)
		all = all[:maxChanges]
	}
	for _, c := range all {
		t.Rows = append(t.Rows, []string{c.Task, strconv.Itoa(c.Trial), c.Why, strings.Join(c.Pages, ", ")})
	}
	return t
}
