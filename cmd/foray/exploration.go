package main

import (
	"cmp"
	"context"
	_ "embed" // the prompts
	"fmt"

	"github.com/forayhq/foray/agent"
	guide "github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/recall"
)

//go:embed prompts/explore.md
var systemPrompt string

//go:embed prompts/overview.md
var overviewPrompt string

// An exploration is one run of explore: a question, a tree and a model.
type exploration struct {
	flags    *exploreFlags
	question string // "": an overview
	root     *tree
	choice   *choice
	trace    traceFile
	steps    []agent.Step
}

// planWindow is the window of the planner, in tokens: rules read the whole run at once.
const planWindow = 1 << 30

// config wires the agent. The planner reads results in their JSON form and whole; a language model reads text, shortened
// to its window, and can read again what was cut.
func (x *exploration) config() agent.Config {
	f := x.flags
	c := agent.Config{
		Name:   "explore",
		Model:  x.choice.model,
		Tools:  x.root.tools(codebase.Options{JSON: x.choice.rules, AllowSecrets: f.allowSecrets}),
		Guide:  func() agent.Guide { return untilReported{} },
		Limits: agent.Limits{Steps: f.maxSteps, Time: f.timeout},
	}
	if x.choice.rules {
		c.Profile = contextwindow.Profile(cmp.Or(f.profile, string(contextwindow.Off)))
		c.Budget = contextwindow.BudgetOf(planWindow, c.Profile)
	} else {
		working := memory.NewWorking()
		c.System, c.Memory = systemPrompt, working
		c.Tools = append(c.Tools, recall.ReadWorkingMemory(working))
		c.Profile = contextwindow.Profile(cmp.Or(f.profile, string(contextwindow.Lean)))
		c.Budget = budgetOf(x.choice.model.Info(), c.Profile)
		c.Guide = func() agent.Guide { return guide.New(guide.Analyst(), x.guided()) }
	}
	if f.budget > 0 {
		c.Budget.Limit = f.budget
	}
	return c
}

// budgetOf is what one request of a run may take that nobody waits for.
func budgetOf(info providers.Info, p contextwindow.Profile) contextwindow.Budget {
	b := contextwindow.BudgetFor(info.Name, p)
	if info.Window > 0 {
		given := contextwindow.BudgetOf(info.Window, p)
		given.Model, given.Ratio, b = b.Model, b.Ratio, given
	}
	return b.Autonomous()
}

// guided are the options of the guide of a language model: a report, or a text, is its answer in any phase.
func (x *exploration) guided() *guide.Options {
	answered := func(s agent.Step) bool { return untilReported{}.Next(s).Stop }
	return &guide.Options{Steps: x.flags.maxSteps, Answered: answered}
}

// untilReported is the guide that ends a run with its report, or with an answer in text.
type untilReported struct{}

// Next stops after a report that was accepted, and after a step without calls.
func (untilReported) Next(s agent.Step) agent.Move {
	for _, c := range s.Calls {
		if c.Name == "report" && !c.Failed {
			return agent.Move{Stop: true}
		}
	}
	return agent.UntilAnswer{}.Next(s)
}

// rulesOverview is what the planner is asked in place of a question: it takes it for one that asks for nothing in
// particular.
const rulesOverview = "Overview"

// run explores and shows its progress. The result is there also when the error is.
func (x *exploration) run(ctx context.Context, p *progress) (*agent.Result, error) {
	a, err := agent.New(x.config())
	if err != nil {
		return &agent.Result{Stop: agent.Failed}, err
	}
	prompt := x.question
	if prompt == "" && x.choice.rules {
		prompt = rulesOverview
	} else if prompt == "" {
		prompt = overviewPrompt
	}
	p.reasons = x.choice.rules
	p.begin(x.flags.maxSteps, x.choice.name())
	for e, err := range x.trace.of(a.Stream(ctx, agent.Task{Prompt: prompt, Repository: x.root.Dir()})) {
		p.show(e)
		if stepped, ok := e.(agent.Stepped); ok {
			x.steps = append(x.steps, stepped.Step)
		}
		if done, ok := e.(agent.Done); ok {
			return done.Result, err
		}
	}
	return &agent.Result{Stop: agent.Failed}, fmt.Errorf("the run ended without a result")
}

// leastCost is what a run is taken to have cost at least when more is suggested, in dollars: the hint shows whole cents.
const leastCost = .005

// more says how to get the whole report after a limit.
func (x *exploration) more(stop agent.Stop) string {
	switch stop {
	case agent.StepLimit:
		return fmt.Sprintf("--max-steps %d", 2*x.flags.maxSteps)
	case agent.TimeLimit:
		return fmt.Sprintf("--timeout %v", 2*x.flags.timeout)
	case agent.CostLimit:
		return fmt.Sprintf("--max-cost %.2f", 2*max(x.choice.meter.Total().Cost, leastCost))
	case agent.CutOff:
		return "ask for less at once, or another --model"
	case agent.Stalled:
		return "ask in other words, or with another --model"
	case agent.TokenLimit, agent.Cancelled, agent.Failed, agent.Answered, agent.GuideStopped:
	}
	return ""
}
