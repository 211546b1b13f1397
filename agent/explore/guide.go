package explore

import (
	"cmp"
	"slices"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/providers"
)

// Options are the numbers of a guide. Zero is the default.
type Options struct {
	Steps           int // the most; default 24. A smaller limit of the run holds in its place
	SearchSteps     int // steps that search, before Bootstrap produces; default 18
	Submissions     int // after which PRODUCE ends; default 10
	SoftSubmissions int // after which PRODUCE ends with the first step without one; default 8
	Idle            int // steps without a submission that end PRODUCE, after one; default 3
	Grace           int // steps without any submission that end PRODUCE; default 6

	Submit   []string // tools whose calls are submissions; nil: submit_finding
	PlanTool string   // the tool that takes a plan; "": plan

	// Answered reports whether a step is the answer of the run, in whatever phase; nil: none is. It must depend on the step
	// alone.
	Answered func(agent.Step) bool
}

// The defaults of Options.
const (
	defaultSteps       = 24
	defaultSearchSteps = 18
	defaultSubmissions = 10
	defaultSoft        = 8
	defaultIdle        = 3
	defaultGrace       = 6
	defaultSubmit      = "submit_finding"
	defaultPlanTool    = "plan"
)

func (o *Options) withDefaults() Options {
	var d Options
	if o != nil {
		d = *o
	}
	d.Steps = positive(d.Steps, defaultSteps)
	d.SearchSteps = positive(d.SearchSteps, defaultSearchSteps)
	d.Submissions = positive(d.Submissions, defaultSubmissions)
	d.SoftSubmissions = positive(d.SoftSubmissions, min(defaultSoft, d.Submissions))
	d.Idle = positive(d.Idle, defaultIdle)
	d.Grace = positive(d.Grace, defaultGrace)
	if d.Submit == nil {
		d.Submit = []string{defaultSubmit}
	}
	d.PlanTool = cmp.Or(d.PlanTool, defaultPlanTool)
	return d
}

// positive is n, or the default where n is no number of steps.
func positive(n, otherwise int) int {
	if n <= 0 {
		return otherwise
	}
	return n
}

func (o *Options) submits(tool string) bool { return slices.Contains(o.Submit, tool) }

// A Guide steers one run by a plan. It is a fold over the steps that Next was given and nothing else. It has no lock: the
// run owns it.
type Guide struct {
	plan    Plan
	options Options
	state   state
	over    bool
}

// New returns the guide of one run. nil options are the defaults. Of a plan without phases the run ends at once.
func New(p Plan, o *Options) *Guide {
	return &Guide{plan: p, options: o.withDefaults()}
}

// Resume returns the guide of a run that goes on: as it is after it was given these steps, of which the first is the one
// before the first request. Without steps it is that of New.
func Resume(p Plan, o *Options, steps []agent.Step) *Guide {
	g := New(p, o)
	for _, s := range steps {
		g.Next(s)
	}
	return g
}

// Next takes a step in and says what comes: the tool choice and the sentence of the phase, and at most one nudge. It stops
// the run after the last phase, after an answer, and when the steps are used.
func (g *Guide) Next(s agent.Step) agent.Move {
	if g.over {
		return agent.Move{Stop: true}
	}
	g.state.take(s, &g.options)
	if g.ended(s) {
		g.over = true
		return agent.Move{Stop: true}
	}
	phase := g.plan.Phases[g.state.phase]
	move := agent.Move{Status: phase.Says, Choice: phase.Choice, Nudge: g.said(phase)}
	if g.state.limit == g.options.Steps && g.state.steps+1 >= g.options.Steps {
		move.Choice = providers.None // the loop may have more steps, but this is the guide's last
	}
	return move
}

// ended moves on to the next phase where an exit of this one holds, and reports whether there is none.
func (g *Guide) ended(s agent.Step) bool {
	switch {
	case len(g.plan.Phases) == 0:
		return true
	case g.state.steps == 0:
		return false
	case g.options.Answered != nil && g.options.Answered(s):
		g.fire(AnswerGiven)
		return true
	case g.state.steps >= g.options.Steps:
		g.fire(OwnLimit)
		return true
	}
	for _, e := range g.plan.Phases[g.state.phase].Exits {
		if e.holds(&g.state, &g.options) {
			g.fire(e.Rule)
			g.state.phase++
			g.state.inPhase, g.state.idle = 0, 0
			return g.state.phase == len(g.plan.Phases)
		}
	}
	return false
}

func (g *Guide) fire(r Rule) {
	g.state.firings = append(g.state.firings, Firing{g.state.steps, g.Phase(), r})
}

// Phase is the name of the phase that the run is in, "" when it is over.
func (g *Guide) Phase() string {
	if g.over || g.state.phase >= len(g.plan.Phases) {
		return ""
	}
	return g.plan.Phases[g.state.phase].Name
}

// Firings returns the rules that held so far, in their order: why phases ended, and which nudges were said.
func (g *Guide) Firings() []Firing { return slices.Clone(g.state.firings) }
