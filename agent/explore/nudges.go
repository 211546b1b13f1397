package explore

import (
	"fmt"
	"slices"
)

// The nudges: what is said to the model besides the sentence of its phase.
const (
	ForceExit     Rule = "force exit"
	Convergence   Rule = "convergence"
	BudgetWarning Rule = "budget warning"
	Reflection    Rule = "reflection"
	Planning      Rule = "planning"
	Replanning    Rule = "replanning"
)

// A nudge is a row of the table: the first that is due is said, and no other in that step.
type nudge struct {
	rule     Rule
	cooldown int // steps until it may come again
	most     int // how often it comes; 0: without end
	due      func(*state) bool
	text     func(*state) string
}

// The numbers of the nudges.
const (
	lastSteps      = 2   // the request that comes now and the one that the loop keeps for closing
	convergedAfter = 10  // steps before which nothing new is no sign
	convergedStale = 3   // steps in a row without new information
	warnShare      = .75 // of the steps
	reflectEvery   = 5   // steps
	reflectStale   = 2   // steps in a row without new information,
	reflectAfter   = 4   // behind this step
	replanAfter    = 8   // steps since the plan
	replanOff      = 3   // steps in a row behind the plan
)

// nudges is the table, by priority.
var nudges = []nudge{
	{
		rule: ForceExit, cooldown: 1, most: 1,
		due: func(s *state) bool { return s.limit-s.steps <= lastSteps },
		text: func(*state) string {
			return "This is the last step in which you can act. Finish now: hand in or write what you have, with its evidence, and say what is missing."
		},
	},
	{
		rule: Convergence, most: 1,
		due: func(s *state) bool { return s.steps >= convergedAfter && s.stale >= convergedStale },
		text: func(s *state) string {
			return fmt.Sprintf("The last %d steps brought nothing new. What you have is enough to conclude: check what is open, then finish.", s.stale)
		},
	},
	{
		rule: BudgetWarning, most: 1,
		due: func(s *state) bool { return float64(s.steps) >= warnShare*float64(s.limit) },
		text: func(s *state) string {
			return fmt.Sprintf("%d of %d steps are used. Keep to what decides the result.", s.steps, s.limit)
		},
	},
	{
		rule: Reflection, cooldown: 3,
		due: func(s *state) bool {
			return s.steps > 0 && s.steps%reflectEvery == 0 || s.steps > reflectAfter && s.stale >= reflectStale
		},
		text: func(s *state) string {
			return fmt.Sprintf("Step %d of %d, %s. Say in one or two sentences what you know now, what is still open, and what would settle it; then go on.", s.steps, s.limit, s.account())
		},
	},
	{
		rule: Planning, most: 1,
		due: func(s *state) bool { return s.steps == 0 },
		text: func(*state) string {
			return "Before you begin, write a plan: a numbered list of two to six things to look up, the most telling first. Then take the first."
		},
	},
	{
		rule: Replanning, cooldown: replanAfter, most: 2,
		due: func(s *state) bool {
			return len(s.plan.items) > 0 && (s.steps-s.plan.at >= replanAfter || s.plan.off >= replanOff)
		},
		text: func(s *state) string {
			return fmt.Sprintf("%d of the %d points of your plan were touched. Write the plan anew: what is done, what is dropped, what comes next.", s.plan.done(), len(s.plan.items))
		},
	},
}

// said returns the nudge of the coming step, and takes it into the account of the guide.
func (g *Guide) said(phase Phase) string {
	for _, n := range nudges {
		if !slices.Contains(phase.Nudges, n.rule) || !n.due(&g.state) {
			continue
		}
		last, times := g.state.fired(n.rule)
		if n.most > 0 && times >= n.most || times > 0 && g.state.steps-last < n.cooldown {
			continue
		}
		g.fire(n.rule)
		return n.text(&g.state)
	}
	return ""
}
