package page

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/forayhq/foray/evals/internal/stats"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/internal/line"
)

// A subject is the figures of one subject, over all its trials.
type subject struct {
	Name     string
	Letter   string // its name in the charts
	Trials   int
	Passed   int
	Rate     float64 // of trials that passed
	Low      float64 // of its 95 % interval
	High     float64
	Margin   float64 // of Rate at 95 %: 1.96 standard errors clustered by task; 0 with fewer than two tasks
	Score    float64 // means of a trial from here on
	Tokens   float64
	Anew     float64 // input tokens that no cache had
	Cost     string
	mean     float64 // cost of a trial whose cost is known
	Steps    float64
	Seconds  float64
	Failures []failures
	rows     []*trial.Row
}

// failures counts the failures of a class.
type failures struct {
	Class   string
	Count   int
	Subject int // index of its subject
}

// summarize returns the figures of each subject, in the order of info and then of the rows.
func summarize(info []string, rows []*trial.Row) []*subject {
	var subjects []*subject
	byName := make(map[string]*subject)
	get := func(name string) *subject {
		if byName[name] == nil {
			byName[name] = &subject{Name: visible(name), Letter: letter(len(subjects))}
			subjects = append(subjects, byName[name])
		}
		return byName[name]
	}
	for _, name := range info {
		get(name)
	}
	for _, r := range rows {
		s := get(r.Subject)
		s.rows = append(s.rows, r)
	}
	for i, s := range subjects {
		s.count(i)
	}
	return subjects
}

// letter is A, B, … Z, 27, 28, ….
func letter(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return fmt.Sprint(i + 1)
}

func (s *subject) count(number int) {
	classes, priced, spent := make(map[string]int), 0, 0.
	s.Trials = len(s.rows)
	for _, r := range s.rows {
		if r.Passed {
			s.Passed++
		} else {
			classes[string(classOf(r))]++
		}
		s.Score += r.Score
		s.Tokens += float64(tokensOf(r))
		s.Anew += float64(r.Usage.Input - r.Usage.Cached)
		spent += r.Cost
		if r.Priced {
			priced++
		}
		s.Steps += float64(r.Steps)
		s.Seconds += r.Seconds
	}
	n := float64(max(s.Trials, 1))
	s.Rate = float64(s.Passed) / n
	s.Score, s.Tokens, s.Anew, s.Steps, s.Seconds = s.Score/n, s.Tokens/n, s.Anew/n, s.Steps/n, s.Seconds/n
	s.mean = spent / float64(max(priced, 1))
	s.Cost = line.Cost(s.mean, priced, priced)
	s.Low, s.High = stats.Wilson(s.Passed, s.Trials, stats.Confidence)
	s.Margin = stats.Normal(stats.Confidence) * clusteredError(s.rows)
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		s.Failures = append(s.Failures, failures{class, classes[class], number})
	}
	slices.SortStableFunc(s.Failures, func(a, b failures) int { return cmp.Compare(b.Count, a.Count) })
}

// clusteredError returns the standard error of the pass rate if the trials of a task may depend on each other.
func clusteredError(rows []*trial.Row) float64 {
	byTask, order := make(map[string]int), [][]float64(nil)
	for _, r := range rows {
		i, known := byTask[r.Task]
		if !known {
			i = len(order)
			byTask[r.Task], order = i, append(order, nil)
		}
		passed := 0.0
		if r.Passed {
			passed = 1
		}
		order[i] = append(order[i], passed)
	}
	if mean := stats.Clustered(order); !math.IsNaN(mean.Error) {
		return mean.Error
	}
	return 0
}

// points is a difference of shares as "5 points".
func points(share float64) string { return line.Count(int(math.Round(100*share)), "point") }

// whole is a share as "42 %".
func whole(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// number is a rounded mean: "1,234".
func number(v float64) string { return line.Number(int(math.Round(v))) }

// amount is a number with about three digits.
func amount(v float64) string {
	switch {
	case v >= 1000:
		return line.Number(int(math.Round(v)))
	case v >= 100 || v == math.Trunc(v):
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= .1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.2g", v)
}
