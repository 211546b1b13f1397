package explore

import (
	"cmp"
	"path"
	"slices"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/providers"
)

// Options are the numbers of a guide. Zero means the default.
type Options struct {
	Steps           int // of the run; default 24. A smaller limit of the run replaces it
	SearchSteps     int // steps that search before [Bootstrap] switches to PRODUCE; default 18
	Submissions     int // that end PRODUCE; default 10
	SoftSubmissions int // that end PRODUCE with the first step without one; default 8
	Idle            int // steps without a submission that end PRODUCE, after the first submission; default 3
	Grace           int // steps that end PRODUCE if none has a submission; default 6

	Submit   []string // tools whose calls are submissions; default submit_finding
	PlanTool string   // tool that takes a plan; default plan

	Places []string // files that may hold the answer, best first

	// Answered reports whether a step holds the answer, which ends the run in any phase; nil: no step does. It must
	// depend on the step alone.
	Answered func(agent.Step) bool
}

const (
	defaultSteps       = 24
	defaultSearchSteps = 18
	defaultSubmissions = 10
	defaultSoft        = 8
	defaultIdle        = 3
	defaultGrace       = 6
	defaultSubmit      = "submit_finding"
	defaultPlanTool    = "plan"

	maxUnread = 3 // files that [agent.Move].Unread has
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

func positive(n, otherwise int) int {
	if n <= 0 {
		return otherwise
	}
	return n
}

func (o *Options) submits(tool string) bool { return slices.Contains(o.Submit, tool) }

// A Guide steers one run by a [Plan]. It is a fold over the steps given to [Guide.Next]. It has no lock: the run owns
// it.
type Guide struct {
	plan    Plan
	options Options
	state   state
	over    bool
}

// New returns the guide of one run. A plan without phases ends the run at once.
func New(p Plan, o *Options) *Guide {
	return &Guide{plan: p, options: o.withDefaults()}
}

// Next takes the newest step and returns the tool choice and the sentence of the phase, and at most one nudge. It stops
// the run after the last phase, after an answer, and when the steps are used.
func (g *Guide) Next(s agent.Step) agent.Move {
	if g.over {
		return agent.Move{Stop: true}
	}
	g.state.take(s, &g.options)
	if g.advance(s) {
		g.over = true
		return agent.Move{Stop: true}
	}
	phase := g.plan.Phases[g.state.phase]
	move := agent.Move{Status: phase.Says, Choice: phase.Choice, Nudge: g.nudge(phase), Unread: g.unread()}
	if g.state.limit == g.options.Steps && g.state.steps+1 >= g.options.Steps {
		move.Choice = providers.None // the loop may have more steps, but this is the guide's last
	}
	return move
}

// advance enters the next phase if the current one ends, and reports whether the run is over.
func (g *Guide) advance(s agent.Step) bool {
	switch {
	case len(g.plan.Phases) == 0:
		return true
	case g.state.steps == 0:
		return false
	case g.options.Answered != nil && g.options.Answered(s):
		g.fire(answerGiven)
		return true
	case g.state.steps >= g.options.Steps:
		g.fire(ownLimit)
		return true
	}
	rule := g.plan.Phases[g.state.phase].Ends.holds(&g.state, &g.options)
	if rule == "" {
		return false
	}
	g.fire(rule)
	g.state.phase++
	g.state.inPhase, g.state.idle = 0, 0
	return g.state.phase == len(g.plan.Phases)
}

func (g *Guide) fire(rule string) {
	g.state.firings = append(g.state.firings, Firing{g.state.steps, g.Phase(), rule})
}

// Phase returns the name of the current phase, or "" after the run.
func (g *Guide) Phase() string {
	if g.over || g.state.phase >= len(g.plan.Phases) {
		return ""
	}
	return g.plan.Phases[g.state.phase].Name
}

// unread returns the files that no call has read yet: those of [Options] first, then those that searches named.
func (g *Guide) unread() []string {
	var unread []string
	for _, name := range slices.Concat(g.options.Places, g.state.seen.named) {
		if name = path.Clean(name); !g.state.seen.files[name] && !slices.Contains(unread, name) {
			unread = append(unread, name)
		}
		if len(unread) == maxUnread {
			break
		}
	}
	return unread
}

// Firings returns the rules that held so far, in order: why phases ended, and which nudges came.
func (g *Guide) Firings() []Firing { return slices.Clone(g.state.firings) }
