package trial

import (
	"fmt"
	"slices"

	"github.com/forayhq/foray/providers"
)

// A Summary is the totals of a folder of results.
type Summary struct {
	Info     Info     `json:"run"`
	Dir      string   `json:"dir"`
	Trials   int      `json:"trials"` // that ended
	Total    int      `json:"total"`  // that the run has
	Subjects []*Tally `json:"subjects"`
	// Damaged counts lines of the results that are not rows; Summarize ignores them.
	Damaged int `json:"damaged,omitempty"`
}

// A Tally is the totals of one subject.
type Tally struct {
	Subject  string          `json:"subject"`
	Trials   int             `json:"trials"`
	Passed   int             `json:"passed"`
	Score    float64         `json:"score_sum"`
	Failures map[Class]int   `json:"failures"`
	Steps    int             `json:"steps"`
	Calls    int             `json:"calls"`
	Usage    providers.Usage `json:"usage"`
	Cost     float64         `json:"cost"`   // US dollars
	Priced   int             `json:"priced"` // trials with a known cost
	Seconds  float64         `json:"seconds_sum"`
	// Missed counts the trials of a task that did not pass, for tasks with some.
	Missed map[string]int `json:"missed"`
}

// Summarize adds up the results in a folder. It fails where [ReadInfo] does, and for a folder without a single result.
func Summarize(dir string) (*Summary, error) {
	info, err := ReadInfo(dir)
	if err != nil {
		return nil, err
	}
	s := newSummary(dir)
	for row, err := range Rows(dir) {
		if err != nil {
			s.Damaged++
			continue
		}
		s.add(row)
	}
	s.begin(info)
	if s.Trials == 0 {
		return nil, fmt.Errorf("%s: no trial has ended: resume the run with --out %s --resume", dir, dir)
	}
	return s, nil
}

func newSummary(dir string) *Summary { return &Summary{Dir: dir} }

// begin says what runs, and orders the subjects as the run has them.
func (s *Summary) begin(info *Info) {
	s.Info = *info
	s.Total = info.Tasks * len(info.Subjects) * info.Trials
	for _, name := range info.Subjects {
		s.of(name)
	}
	slices.SortStableFunc(s.Subjects, func(a, b *Tally) int {
		return slices.Index(info.Subjects, a.Subject) - slices.Index(info.Subjects, b.Subject)
	})
}

// of returns the totals of a subject.
func (s *Summary) of(subject string) *Tally {
	for _, t := range s.Subjects {
		if t.Subject == subject {
			return t
		}
	}
	t := &Tally{Subject: subject, Failures: make(map[Class]int), Missed: make(map[string]int)}
	s.Subjects = append(s.Subjects, t)
	return t
}

func (s *Summary) add(r *Row) {
	s.Trials++
	t := s.of(r.Subject)
	t.Trials++
	t.Score += r.Score
	t.Steps += r.Steps
	t.Calls += len(r.Calls)
	t.Usage = t.Usage.Add(r.Usage)
	t.Cost += r.Cost
	if r.Priced {
		t.Priced++
	}
	t.Seconds += r.Seconds
	if r.Passed {
		t.Passed++
	} else {
		t.Missed[r.Task]++
	}
	if r.Failure != nil {
		t.Failures[r.Failure.Class]++
	}
}
