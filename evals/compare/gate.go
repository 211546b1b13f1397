package compare

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/evals/internal/stats"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/internal/line"
)

// Gates are what results have to hold. Nil and empty fields ask for nothing.
type Gates struct {
	Pass     *float64 // least pass rate, 0 to 1
	Score    *float64 // least mean score, 0 to 1
	Cost     *float64 // most US dollars that a trial takes in the mean
	Seconds  *float64 // most time of all trials but the slowest 5 %
	Tags     []TagGate
	Baseline *Results // of which no subject may be worse than chance explains
	Subjects []string // that are checked; empty: all
}

// A TagGate is the least pass rate of the tasks with a tag.
type TagGate struct {
	Tag  string
	Pass float64 // 0 to 1
}

// A Finding says whether a subject holds a gate.
type Finding struct {
	Subject string `json:"subject"`
	Gate    string `json:"gate"` // such as "--min-pass 0.8"
	Held    bool   `json:"held"`
	Text    string `json:"text"` // the figure in a sentence
}

// Check checks every gate for every subject. It begins with whether all trials ran: results of a run that was ended
// early do not hold. It returns an error for an unknown subject or tag, and for a baseline without a trial in common.
func Check(ctx context.Context, r *Results, g Gates) ([]Finding, error) {
	entrants, err := entrantsOf([]*Results{r}, g.Subjects)
	if err != nil {
		return nil, err
	}
	var all []Finding
	for _, e := range entrants {
		p := pair([]*entrant{e})
		c := checker{e: e, p: p, s: p.summarize(e)}
		c.complete()
		c.figures(&g)
		for _, t := range g.Tags {
			if err := c.tag(t); err != nil {
				return nil, err
			}
		}
		if g.Baseline != nil {
			if err := c.baseline(ctx, g.Baseline); err != nil {
				return nil, err
			}
		}
		all = append(all, c.found...)
	}
	if len(g.Subjects) == 0 {
		all = append(all, missing(r, entrants)...)
	}
	return all, ctx.Err()
}

// missing are the findings for subjects of the run that have no result.
func missing(r *Results, entrants []*entrant) (found []Finding) {
	for _, name := range r.Info.Subjects {
		if !slices.ContainsFunc(entrants, func(e *entrant) bool { return e.subject == name }) {
			found = append(found, Finding{name, "complete", false, fmt.Sprintf(
				"0 of %s have a result: finish the run with foray eval run --resume",
				count(r.Info.Tasks*r.Info.Trials, "trial"))})
		}
	}
	return found
}

// A checker checks one subject.
type checker struct {
	e     *entrant
	p     *pairing
	s     subjectSummary
	found []Finding
}

func (c *checker) add(gate string, held bool, format string, args ...any) {
	c.found = append(c.found, Finding{c.e.name, gate, held, fmt.Sprintf(format, args...)})
}

// complete checks that every task of the set was read, and that every trial of the run has a result.
func (c *checker) complete() {
	info := c.e.results.Info
	if want := info.Tasks * info.Trials; c.s.Trials < want || len(c.e.results.Skipped) > 0 {
		unread := ""
		if n := len(c.e.results.Skipped); n > 0 {
			unread = fmt.Sprintf(", and %s could not be read", count(n, "line"))
		}
		c.add("complete", false, "%d of %s have a result%s: finish the run with foray eval run --resume",
			c.s.Trials, count(want, "trial"), unread)
	}
	if info.Unread > 0 {
		c.add("complete", false, "%s of the set could not be read, and did not run", count(info.Unread, "task"))
	}
}

func (c *checker) figures(g *Gates) {
	s := &c.s
	if g.Pass != nil {
		c.rate(fmt.Sprintf("--min-pass %g", *g.Pass), "", s.Passed, s.Trials, *g.Pass)
	}
	if g.Score != nil {
		c.add(fmt.Sprintf("--min-score %g", *g.Score), s.Score.Value >= *g.Score, "mean score %s%s",
			line.Decimals(s.Score.Value, 3), around(s.Score, func(v float64) string { return line.Decimals(v, 2) }))
	}
	if g.Cost != nil {
		mean, what := s.Cost/float64(max(s.Priced, 1)), ""
		switch s.Priced {
		case 0:
			what = "no trial has a known cost"
		case s.Trials:
			what = line.Dollars(mean) + " a trial"
		default:
			what = fmt.Sprintf("%s a trial, known of %d of %d", line.Dollars(mean), s.Priced, s.Trials)
		}
		c.add(fmt.Sprintf("--max-cost %g", *g.Cost), s.Priced > 0 && mean <= *g.Cost, "%s", what)
	}
	if g.Seconds != nil {
		c.add(fmt.Sprintf("--max-seconds %g", *g.Seconds), s.Seconds[1] <= *g.Seconds,
			"95 %% of the trials take at most %s", line.Seconds(s.Seconds[1]))
	}
}

func (c *checker) rate(gate, of string, passed, n int, least float64) {
	low, high := stats.Wilson(passed, n, stats.Confidence)
	share := line.Percent(float64(passed) / float64(n))
	c.add(gate, float64(passed)/float64(n) >= least, "%d of %s%s passed (%s; 95 %% interval %s %%)",
		passed, count(n, "trial"), of, share, interval(low, high))
}

// tag checks the tasks with a tag.
func (c *checker) tag(g TagGate) error {
	part := &pairing{trials: c.p.trials}
	var tags []string
	for _, task := range c.p.tasks {
		has := c.e.rows[task][c.p.trials[task][0]].Tags
		if tags = append(tags, has...); slices.Contains(has, g.Tag) {
			part.tasks = append(part.tasks, task)
		}
	}
	if len(part.tasks) == 0 {
		slices.Sort(tags)
		return fmt.Errorf("no task of %s has the tag %q; there are: %s", c.e.name, g.Tag,
			cmp.Or(strings.Join(slices.Compact(tags), ", "), "none"))
	}
	n, passed := part.passed(c.e)
	c.rate(fmt.Sprintf("--min-tag %s=%g", g.Tag, g.Pass), " with the tag "+g.Tag, passed, n, g.Pass)
	return nil
}

// baseline checks that the subject is not worse than in earlier results, as far as chance does not explain it.
// Without the subject there, or with several, it compares with the first.
func (c *checker) baseline(ctx context.Context, earlier *Results) error {
	before, err := entrantsOf([]*Results{earlier}, nil)
	if err != nil {
		return err
	}
	base := before[0]
	for _, e := range before {
		if e.subject == c.e.subject {
			base = e
		}
	}
	base.name = fmt.Sprintf("%s (%s)", base.subject, earlier.Path)
	p := pair([]*entrant{base, c.e})
	if len(p.tasks) == 0 {
		return fmt.Errorf("no trial in common with the baseline %s: %s", earlier.Path,
			p.apart([]*entrant{base, c.e}))
	}
	d, s, b := p.differ(c.e, base, .05), p.summarize(c.e), p.summarize(base)
	c.add("--baseline "+earlier.Path, d.P >= d.Alpha || d.Better > d.Worse, "%s%s", d.verdict(&s, &b),
		c.leftOut(base, p.changed))
	return ctx.Err()
}

// leftOut says which tasks of the subject do not count, because the baseline lacks them or has others of their id.
func (c *checker) leftOut(base *entrant, changed []string) (text string) {
	var names []string
	for _, task := range c.p.tasks {
		if base.rows[task] == nil {
			names = append(names, task)
		}
	}
	if len(names) > 0 {
		text = fmt.Sprintf(" The baseline lacks %s: %s.", count(len(names), "task"), some(names))
	}
	if n := len(changed); n > 0 {
		text += fmt.Sprintf(" %s since the baseline and %s not count: %s.",
			counted(n, "task has changed", "tasks have changed"), choose(n, "does", "do"), some(changed))
	}
	return text
}

// rowsOf returns the trials of a subject that count, by task.
func (p *pairing) rowsOf(e *entrant, task string) (rows []*trial.Row) {
	for _, n := range p.trials[task] {
		rows = append(rows, e.rows[task][n])
	}
	return rows
}
