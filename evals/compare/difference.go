package compare

import (
	"cmp"
	"math"
	"path/filepath"

	"github.com/forayhq/foray/evals/internal/stats"
	"github.com/forayhq/foray/evals/page"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/internal/line"
)

// A difference is what a subject did otherwise than its baseline in the same trials.
type difference struct {
	Subject  string `json:"subject"`
	Baseline string `json:"baseline"`
	Verdict  string `json:"verdict"` // for a person
	Better   int    `json:"better"`  // trials that only the subject passed
	Worse    int    `json:"worse"`   // trials that only the baseline passed
	// PassRate and Score are differences, subject less baseline, from a bootstrap over tasks.
	PassRate stats.Estimate `json:"pass_rate"`
	Score    stats.Estimate `json:"score"`
	P        float64        `json:"p"`
	Test     string         `json:"test"` // that P is of: "mcnemar", or "sign-flip" by task with several trials
	// Alpha is what P is read against: 5 % shared by all comparisons of the report.
	Alpha float64 `json:"alpha"`
	// Tokens, Cost, Steps and Seconds are ratios, subject ÷ baseline; nil if the baseline has none.
	Tokens  *stats.Estimate `json:"tokens_ratio"`
	Cost    *stats.Estimate `json:"cost_ratio"`
	Steps   *stats.Estimate `json:"steps_ratio"`
	Seconds *stats.Estimate `json:"seconds_ratio"`

	Visible float64 `json:"visible_difference"` // that so many tasks show with a power of 80 %
	Needed  int     `json:"tasks_for_3_points"`

	Regressions  []flip `json:"regressions"`
	Improvements []flip `json:"improvements"`
}

// A flip is a trial that only one of two subjects passed.
type flip struct {
	Task   string `json:"task"`
	Trial  int    `json:"trial"`
	Why    string `json:"why"`                    // the one did not pass
	Trace  string `json:"trace,omitempty"`        // path of its trace
	Passed string `json:"passed_trace,omitempty"` // path of the trace of the one that passed
	// Pages are the places of both trials in the reports of their folders, which package page writes.
	Pages []string `json:"pages,omitempty"`
}

// sums are of the trials of one task: of passes and scores the differences, of the others those of subject and
// baseline.
type sums struct {
	n, passes, scores float64
	spent             [4][2]float64 // tokens, cost, steps, seconds
}

// differ compares an entrant with its baseline.
func (p *pairing) differ(e, base *entrant, alpha float64) difference {
	d := difference{Subject: e.name, Baseline: base.name, Alpha: alpha, Regressions: []flip{}, Improvements: []flip{}}
	all := make([]sums, len(p.tasks))
	means := make([]float64, len(p.tasks))
	for i, task := range p.tasks {
		for _, n := range p.trials[task] {
			a, b := e.rows[task][n], base.rows[task][n]
			all[i].add(a, b)
			d.note(e, base, a, b)
		}
		means[i] = all[i].passes / all[i].n
	}
	d.estimate(all)
	d.P, d.Test = p.test(e, base), "mcnemar"
	if p.count > len(p.tasks) {
		d.Test = "sign-flip"
	}
	needed, least := stats.TasksNeeded(hintedDifference, stats.Variance(means)), float64(leastTasks(alpha))
	d.Needed = max(needed, int(math.Ceil(least/hintedDifference*float64(len(p.tasks))/float64(p.count))))
	d.Visible = max(hintedDifference*math.Sqrt(float64(needed)/float64(len(p.tasks))), least/float64(p.count))
	return d
}

// leastTasks is how many tasks have to differ, all in the same direction, before an exact test can reach a level.
func leastTasks(alpha float64) int { return 1 + int(math.Floor(-math.Log2(alpha))) + 1 }

// test returns how likely a difference at least as large is if both are equally good. With one trial of each task it is
// McNemar's test.
func (p *pairing) test(e, base *entrant) float64 {
	differences, most := make([]int, len(p.tasks)), 0
	better, worse := 0, 0
	for i, task := range p.tasks {
		most = max(most, len(p.trials[task]))
		for _, n := range p.trials[task] {
			switch a, b := e.rows[task][n].Passed, base.rows[task][n].Passed; {
			case a && !b:
				better++
				differences[i]++
			case b && !a:
				worse++
				differences[i]--
			}
		}
	}
	if most > 1 {
		return stats.SignFlip(differences)
	}
	return stats.McNemar(better, worse)
}

// hintedDifference is the difference of pass rates for which a report says how many tasks show it.
const hintedDifference = .03

func (s *sums) add(a, b *trial.Row) {
	s.n++
	s.passes += one(a.Passed) - one(b.Passed)
	s.scores += a.Score - b.Score
	for i, row := range []*trial.Row{a, b} {
		s.spent[0][i] += float64(row.Usage.Input + row.Usage.Output)
		s.spent[1][i] += row.Cost
		s.spent[2][i] += float64(row.Steps)
		s.spent[3][i] += row.Seconds
	}
}

// note counts a pair that differs, and lists it.
func (d *difference) note(e, base *entrant, a, b *trial.Row) {
	if a.Passed == b.Passed {
		return
	}
	if a.Passed {
		d.Better++
		d.Improvements = append(d.Improvements, flip{b.Task, b.Trial, why(b), tracePath(base, b), tracePath(e, a),
			pages(base, b, e, a)})
		return
	}
	d.Worse++
	d.Regressions = append(d.Regressions, flip{a.Task, a.Trial, why(a), tracePath(e, a), tracePath(base, b),
		pages(e, a, base, b)})
}

func tracePath(e *entrant, row *trial.Row) string {
	if row.Trace == "" {
		return ""
	}
	return filepath.Join(e.results.Path, filepath.FromSlash(row.Trace))
}

// pages returns the places of two trials in the reports of their folders.
func pages(e *entrant, a *trial.Row, f *entrant, b *trial.Row) []string {
	var places []string
	for _, x := range []struct {
		in  *entrant
		row *trial.Row
	}{{e, a}, {f, b}} {
		if !isLog(x.in.results.Path) { // which has no report
			file := filepath.Join(x.in.results.Path, page.File)
			places = append(places, file+page.Link(x.row.Task, x.row.Subject, x.row.Trial))
		}
	}
	return places
}

// maxWhy is the length of a reason, in runes.
const maxWhy = 160

// why says in a line why a trial did not pass.
func why(row *trial.Row) string {
	text := ""
	if row.Failure != nil {
		text = string(row.Failure.Class) + ": " + row.Failure.Text
	}
	for _, v := range row.Checks {
		if text == "" && v.Err != "" {
			text = v.Check + ": could not judge: " + v.Err
		}
		if text == "" && !v.Passed {
			text = v.Check + ": " + cmp.Or(v.Why, "not passed")
		}
	}
	return line.Truncate(line.Flat(line.Printable(cmp.Or(text, "not passed"))), maxWhy)
}

// estimate sets the differences and ratios by a bootstrap over tasks.
func (d *difference) estimate(all []sums) {
	estimates := stats.Bootstrap(len(all), resamples, func(draw func(i int) int) []float64 {
		var t sums
		for i := range all {
			s := &all[draw(i)]
			t.n += s.n
			t.passes += s.passes
			t.scores += s.scores
			for j := range t.spent {
				t.spent[j][0] += s.spent[j][0]
				t.spent[j][1] += s.spent[j][1]
			}
		}
		figures := []float64{t.passes / t.n, t.scores / t.n}
		for _, of := range t.spent {
			ratio := 1.
			if of[1] > 0 {
				ratio = of[0] / of[1]
			}
			figures = append(figures, ratio)
		}
		return figures
	})
	d.PassRate, d.Score = estimates[0], estimates[1]
	for j, to := range []**stats.Estimate{&d.Tokens, &d.Cost, &d.Steps, &d.Seconds} {
		for _, s := range all {
			if s.spent[j][1] > 0 {
				*to = &estimates[2+j]
			}
		}
	}
}
