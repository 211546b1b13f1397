package explore

import (
	"fmt"
	"slices"

	"github.com/forayhq/foray/internal/line"
)

// The nudges: what the model reads besides the sentence of its phase.
const (
	forceExit     = "force exit"
	convergence   = "convergence"
	budgetWarning = "budget warning"
	reflection    = "reflection"
	planning      = "planning"
	replanning    = "replanning"
)

// A nudge is a row of the table. In each step only the first that is due comes.
type nudge struct {
	rule     string
	cooldown int // steps until it may come again
	most     int // how often it may come; 0: unlimited
	due      func(*state) bool
	text     func(*state) string
}

// The numbers of the nudges.
const (
	lastSteps      = 2   // the next request, and the one that the loop reserves for closing
	convergedAfter = 10  // steps before which stale ones mean nothing
	convergedStale = 3   // steps in a row without new information
	warnShare      = .75 // of the steps
	reflectEvery   = 5   // steps
	reflectStale   = 2   // steps in a row without new information
	reflectAfter   = 4   // steps before which stale ones do not count
	replanAfter    = 8   // steps since the plan
	replanLag      = 3   // steps in a row in which the run lags its plan
)

// nudges is the table, by priority.
var nudges = []nudge{
	{
		rule: forceExit, cooldown: 1, most: 1,
		due: func(s *state) bool { return s.limit-s.steps <= lastSteps },
		text: func(*state) string {
			return "This is the last step in which you can act. Finish now: submit or write what you have, " +
				"with its evidence, and say what is missing."
		},
	},
	{
		rule: convergence, most: 1,
		due: func(s *state) bool { return s.steps >= convergedAfter && s.stale >= convergedStale },
		text: func(s *state) string {
			return fmt.Sprintf("The last %d steps brought nothing new. What you have is enough to conclude: "+
				"check what is open, then finish.", s.stale)
		},
	},
	{
		rule: budgetWarning, most: 1,
		due: func(s *state) bool { return float64(s.steps) >= warnShare*float64(s.limit) },
		text: func(s *state) string {
			return fmt.Sprintf("%d of %d steps are used. Keep to what decides the result.", s.steps, s.limit)
		},
	},
	{
		rule: reflection, cooldown: 3,
		due: func(s *state) bool {
			return s.steps > 0 && s.steps%reflectEvery == 0 || s.steps > reflectAfter && s.stale >= reflectStale
		},
		text: func(s *state) string {
			return fmt.Sprintf("Step %d of %d, %s. Say in one or two sentences what you know now, what is still open, "+
				"and what would settle it; then continue.", s.steps, s.limit, s.progress())
		},
	},
	{
		rule: planning, most: 1,
		due: func(s *state) bool { return s.steps == 0 },
		text: func(*state) string {
			return "Before you begin, write a plan: a numbered list of two to six things to look up, " +
				"the most important first. Then take the first."
		},
	},
	{
		rule: replanning, cooldown: replanAfter, most: 2,
		due: func(s *state) bool {
			return len(s.plan.items) > 0 && (s.steps-s.plan.at >= replanAfter || s.plan.lag >= replanLag)
		},
		text: func(s *state) string {
			return fmt.Sprintf("Your plan has %s; you touched %d. Rewrite it: what is done, what is dropped, "+
				"what comes next.", line.Count(len(s.plan.items), "item"), s.plan.done())
		},
	},
}

// nudge returns the nudge of the next step, if one is due, and records it.
func (g *Guide) nudge(phase Phase) string {
	for _, n := range nudges {
		if !slices.Contains(phase.Nudges, n.rule) || !n.due(&g.state) {
			continue
		}
		last, times := g.state.lastFiring(n.rule)
		if n.most > 0 && times >= n.most || times > 0 && g.state.steps-last < n.cooldown {
			continue
		}
		g.fire(n.rule)
		return n.text(&g.state)
	}
	return ""
}
