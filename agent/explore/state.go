package explore

import (
	"fmt"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/internal/line"
)

// A state is what a guide derives from its steps, one at a time.
type state struct {
	steps, limit int
	phase        int // index in the plan
	inPhase      int // steps in the phase
	stale        int // steps in a row without new information
	fresh        int // steps with new information
	searchSteps  int
	submissions  int
	idle         int  // steps in a row, in the phase, without an accepted submission
	text         bool // the newest step has no calls
	answer       string
	claims       []string // arguments of accepted submissions
	seen         coverage
	plan         progress
	firings      []Firing
}

// A Firing is a rule that held: one that ended a phase, or a nudge.
type Firing struct {
	Step  int // after which it held; 0: before the first
	Phase string
	Rule  string
}

func (s *state) take(step agent.Step, o *Options) {
	s.limit = o.Steps
	if step.Limit > 0 && step.Limit < s.limit {
		s.limit = step.Limit
	}
	if step.Number <= 0 {
		return
	}
	s.steps = max(s.steps+1, min(step.Number, s.limit))
	s.inPhase++
	s.idle++
	s.text = len(step.Calls) == 0
	if step.Text != "" {
		s.answer = step.Text
	}
	if s.takeCalls(step.Calls, o) > 0 {
		s.fresh++
		s.stale = 0
	} else {
		s.stale++
	}
	s.plan.take(step, s, o)
}

// takeCalls records the calls of a step, and counts what they looked at for the first time.
func (s *state) takeCalls(calls []agent.StepCall, o *Options) int {
	fresh, searched := 0, false
	for _, c := range calls {
		switch {
		case o.submits(c.Name) && !c.Failed:
			s.submissions++
			s.idle = 0
			s.claims = append(s.claims, string(c.Args))
		case !o.submits(c.Name) && c.Name != o.PlanTool:
			fresh += s.seen.add(c)
			searched = searched || kindOf(c.Name) == lookSearch
		}
	}
	if searched {
		s.searchSteps++
	}
	return fresh
}

// progress sums up how much was read and searched.
func (s *state) progress() string {
	return fmt.Sprintf("%s read, %s searched", line.Count(len(s.seen.files), "file"),
		line.Count(len(s.seen.patterns), "pattern"))
}

// lastFiring returns the step after which a rule last held, and how often it has held.
func (s *state) lastFiring(rule string) (step, times int) {
	for _, f := range s.firings {
		if f.Rule == rule {
			step = f.Step
			times++
		}
	}
	return step, times
}
