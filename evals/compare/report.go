package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// A Report compares subjects. It marshals to JSON, and WriteMarkdown writes it for people.
type Report struct {
	Suite       string           `json:"suite"` // "compare"
	Warnings    []string         `json:"warnings"`
	Sets        []string         `json:"sets"`
	Subjects    []subjectSummary `json:"subjects"`
	Differences []difference     `json:"differences"`
	Tags        []tagRow         `json:"tags"`
}

// A tagRow is the tasks with a tag.
type tagRow struct {
	Tag    string    `json:"tag"`
	Tasks  int       `json:"tasks"`
	Trials int       `json:"trials"`
	Passed []int     `json:"passed"` // trials, in the order of Report.Subjects
	P      []float64 `json:"p"`      // by difference, in the order of Report.Differences
}

// ErrOne says that there is only one subject.
var ErrOne = errors.New("only one subject: name another folder of results to compare with")

// Of compares the subjects of results: all, or those that are named. It returns an error for an unknown name, for
// fewer than two subjects ([ErrOne]) and for subjects without a trial in common.
func Of(ctx context.Context, all []*Results, subjects []string) (*Report, error) {
	entrants, err := entrantsOf(all, subjects)
	if err != nil {
		return nil, err
	}
	if len(entrants) < 2 {
		return nil, ErrOne
	}
	p := pair(entrants)
	if len(p.tasks) == 0 {
		return nil, fmt.Errorf("no trial in common: %s", p.apart(entrants))
	}
	r := &Report{Suite: "compare", Warnings: append([]string{}, p.warnings...), Sets: []string{}}
	for _, f := range folders(entrants) {
		if set := f.Info.Set + " " + f.Info.Hash; !slices.Contains(r.Sets, set) {
			r.Sets = append(r.Sets, set)
		}
	}
	for i, e := range entrants {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.Subjects = append(r.Subjects, p.summarize(e))
		if i == 0 {
			continue
		}
		base := baseline(entrants, i)
		d := p.differ(e, base, .05/float64(len(entrants)-1))
		d.Verdict = d.verdict(&r.Subjects[i], &r.Subjects[slices.Index(entrants, base)])
		r.Differences = append(r.Differences, d)
	}
	r.Tags = p.byTag(entrants)
	return r, nil
}

// byTag repeats the comparison for the tasks of each tag.
func (p *pairing) byTag(entrants []*entrant) []tagRow {
	tasks := make(map[string][]string)
	var order []string
	for _, task := range p.tasks {
		for _, tag := range entrants[0].rows[task][p.trials[task][0]].Tags {
			if tasks[tag] == nil {
				order = append(order, tag)
			}
			if l := tasks[tag]; len(l) == 0 || l[len(l)-1] != task { // a task may name a tag twice
				tasks[tag] = append(l, task)
			}
		}
	}
	slices.Sort(order)
	tags := []tagRow{}
	for _, name := range order {
		part := &pairing{tasks: tasks[name], trials: p.trials}
		t := tagRow{Tag: name, Tasks: len(part.tasks)}
		for i, e := range entrants {
			trials, passed := part.passed(e)
			t.Trials, t.Passed = trials, append(t.Passed, passed)
			if i > 0 {
				t.P = append(t.P, part.test(e, baseline(entrants, i)))
			}
		}
		tags = append(tags, t)
	}
	return tags
}

func (p *pairing) passed(e *entrant) (trials, passed int) {
	for _, task := range p.tasks {
		for _, n := range p.trials[task] {
			trials++
			passed += int(one(e.rows[task][n].Passed))
		}
	}
	return trials, passed
}
