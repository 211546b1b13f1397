package compare

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/forayhq/foray/evals/trial"
)

// An entrant is a subject of one folder.
type entrant struct {
	name    string // unique among entrants
	subject string
	results *Results
	rows    map[string]map[int]*trial.Row // by task and trial
}

// entrantsOf returns the subjects of all folders in their order, or those that are named in the order of the names.
func entrantsOf(all []*Results, subjects []string) ([]*entrant, error) {
	var entrants []*entrant
	var known []string
	for _, r := range all {
		by := make(map[string]*entrant)
		for i := range r.Rows {
			row := &r.Rows[i]
			e := by[row.Subject]
			if e == nil {
				e = &entrant{subject: row.Subject, results: r, rows: make(map[string]map[int]*trial.Row)}
				by[row.Subject] = e
			}
			if e.rows[row.Task] == nil {
				e.rows[row.Task] = make(map[int]*trial.Row)
			}
			e.rows[row.Task][row.Trial] = row
		}
		for _, name := range orderedSubjects(r) {
			if e := by[name]; e != nil {
				entrants, known = append(entrants, e), append(known, name)
			}
		}
	}
	if len(subjects) > 0 {
		var chosen []*entrant
		for _, name := range subjects {
			if !slices.Contains(known, name) {
				return nil, fmt.Errorf("no results of subject %q; there are: %s", name,
					strings.Join(slices.Compact(slices.Sorted(slices.Values(known))), ", "))
			}
			for _, e := range entrants {
				if e.subject == name && !slices.Contains(chosen, e) {
					chosen = append(chosen, e)
				}
			}
		}
		entrants = chosen
	}
	nameEntrants(entrants)
	return entrants, nil
}

// orderedSubjects are those of run.json, and then others that have rows.
func orderedSubjects(r *Results) []string {
	names := slices.Clone(r.Info.Subjects)
	for i := range r.Rows {
		if !slices.Contains(names, r.Rows[i].Subject) {
			names = append(names, r.Rows[i].Subject)
		}
	}
	return names
}

// nameEntrants adds the folder to names that several have: its last part, or the whole path if that is not unique.
func nameEntrants(entrants []*entrant) {
	for _, way := range []func(e *entrant) string{
		func(e *entrant) string { return e.subject },
		func(e *entrant) string {
			return fmt.Sprintf("%s (%s)", e.subject, filepath.Base(filepath.Clean(e.results.Path)))
		},
		func(e *entrant) string { return fmt.Sprintf("%s (%s)", e.subject, e.results.Path) },
	} {
		count := make(map[string]int)
		for _, e := range entrants {
			count[way(e)]++
		}
		for _, e := range entrants {
			if e.name == "" && count[way(e)] == 1 {
				e.name = way(e)
			}
		}
	}
	for i, e := range entrants {
		if e.name == "" { // the same folder twice
			e.name = fmt.Sprintf("%s (%s, %d)", e.subject, e.results.Path, i+1)
		}
	}
}

// baseline returns what the i-th entrant is compared with: the same subject of an earlier folder, or else the first.
func baseline(entrants []*entrant, i int) *entrant {
	for _, e := range entrants[:i] {
		if e.subject == entrants[i].subject && e.results != entrants[i].results {
			return e
		}
	}
	return entrants[0]
}

// A pairing is the trials that every entrant has, of tasks that are equal in every folder.
type pairing struct {
	tasks    []string         // in the order of the first entrant's rows
	trials   map[string][]int // numbers by task
	count    int              // of trials, of one entrant
	changed  []string         // tasks that are not equal, and so left out
	warnings []string
}

// pair finds the trials that all entrants have, and says what it left out.
func pair(entrants []*entrant) *pairing {
	p := &pairing{trials: make(map[string][]int)}
	first := entrants[0]
	for i := range first.results.Rows {
		row := &first.results.Rows[i]
		if row.Subject != first.subject || !common(entrants, row) {
			continue
		}
		if p.trials[row.Task] == nil {
			if !unchanged(entrants, row.Task) {
				if !slices.Contains(p.changed, row.Task) {
					p.changed = append(p.changed, row.Task)
				}
				continue
			}
			p.tasks = append(p.tasks, row.Task)
		}
		p.trials[row.Task] = append(p.trials[row.Task], row.Trial)
		p.count++
	}
	for _, numbers := range p.trials {
		slices.Sort(numbers)
	}
	p.warn(entrants)
	return p
}

// common reports whether every entrant has this trial.
func common(entrants []*entrant, row *trial.Row) bool {
	for _, e := range entrants {
		if e.rows[row.Task][row.Trial] == nil {
			return false
		}
	}
	return true
}

// unchanged reports whether a task is the same in every folder that has the tasks.
func unchanged(entrants []*entrant, task string) bool {
	var want *[32]byte
	for _, e := range entrants {
		got, ok := e.results.tasks[task]
		if ok && want != nil && got != *want {
			return false
		}
		if ok {
			want = &got
		}
	}
	return true
}

// apart says why a pairing is empty.
func (p *pairing) apart(entrants []*entrant) string {
	var sets []string
	for _, r := range folders(entrants) {
		if !slices.Contains(sets, r.Info.Set) {
			sets = append(sets, r.Info.Set)
		}
	}
	if len(sets) > 1 {
		return "these runs are of different sets: " + strings.Join(sets[:len(sets)-1], ", ") + " and " + sets[len(sets)-1]
	}
	return strings.Join(p.warnings, " ")
}

// warn lists what makes the comparison less than it seems.
func (p *pairing) warn(entrants []*entrant) {
	say := func(format string, args ...any) { p.warnings = append(p.warnings, fmt.Sprintf(format, args...)) }
	first := entrants[0].results
	for _, r := range folders(entrants) {
		switch {
		case r.Info.Set != first.Info.Set:
			say("The sets differ: %s ran %s, %s ran %s.", first.Path, first.Info.Set, r.Path, r.Info.Set)
		case r.Info.Hash != first.Info.Hash:
			say("The set %s changed between %s and %s.", r.Info.Set, first.Path, r.Path)
		}
		if n := len(r.Skipped); n > 0 {
			say("%s of %s could not be read: %s.", count(n, "line"), r.Path, r.Skipped[0])
		}
		if n := r.Info.Unread; n > 0 {
			say("%s of the set of %s could not be read, and did not run.", count(n, "task"), r.Path)
		}
	}
	if n := len(p.changed); n > 0 {
		say("%s left out, because %s not the same in all folders: %s.", counted(n, "task is", "tasks are"),
			choose(n, "it is", "they are"), some(p.changed))
	}
	for _, e := range entrants {
		p.warnAbout(e, say)
	}
}

// warnAbout says what of an entrant is left out, and what failed for reasons outside it.
func (p *pairing) warnAbout(e *entrant, say func(string, ...any)) {
	var left []string
	has, trials, outside := 0, 0, make(map[trial.Class]int)
	for task, rows := range e.rows {
		has += len(rows)
		if !slices.Contains(p.changed, task) {
			if p.trials[task] == nil {
				left = append(left, task)
			} else {
				trials += len(rows) - len(p.trials[task])
			}
		}
		for _, n := range p.trials[task] {
			if f := rows[n].Failure; f != nil && f.Class != trial.Agent && f.Class != trial.Tool {
				outside[f.Class]++
			}
		}
	}
	if want := e.results.Info.Tasks * e.results.Info.Trials; has < want {
		say("%s is unfinished: %d of %s have a result.", e.name, has, count(want, "trial"))
	}
	slices.Sort(left)
	if len(left) > 0 {
		say("%s left out, because not all others have results of %s: %s.",
			counted(len(left), "task of "+e.name+" is", "tasks of "+e.name+" are"), choose(len(left), "it", "them"), some(left))
	}
	if trials > 0 {
		say("%s left out, because not all others have so many.",
			counted(trials, "trial of "+e.name+" is", "trials of "+e.name+" are"))
	}
	for _, class := range []trial.Class{trial.Provider, trial.Check, trial.Harness} {
		if n := outside[class]; n > 0 {
			say("%s of %s failed for reasons outside it (%s) and counted as not passed.", count(n, "trial"), e.name, class)
		}
	}
}

// folders returns the different results of entrants.
func folders(entrants []*entrant) (all []*Results) {
	for _, e := range entrants {
		if !slices.Contains(all, e.results) {
			all = append(all, e.results)
		}
	}
	return all
}
