package explore

import (
	"cmp"
	"context"
	"errors"
	"iter"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/explore/rules"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/catalog"
)

// Run answers a question about the code in a directory and cites the lines that show it. An empty question asks for an
// overview. A nil model means the heuristic explorer, which needs no language model. A language model begins with what
// the heuristic explorer found; if it gives no usable answer, the report is the one of the heuristic explorer
// ([Result].Fallback). Once the exploration has begun, Run returns a result even beside an error.
func Run(ctx context.Context, model providers.Model, dir, question string) (*Result, error) {
	t, err := Open(ctx, dir, "")
	if err != nil {
		return nil, err
	}
	result, err := t.Run(ctx, model, question, nil)
	return result, errors.Join(err, t.Close())
}

// Run is [Run] over an open tree.
func (t *Tree) Run(ctx context.Context, model providers.Model, question string, o *RunOptions) (*Result, error) {
	if o != nil && o.Resume {
		kept, err := keptBy(ctx, o.Session)
		if err != nil {
			return nil, err
		}
		question = kept.Question
	}
	for e, err := range t.Stream(ctx, model, question, o) {
		if done, ok := e.(agent.RunFinished); ok {
			return t.Conclude(question, done.Result), err
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, errors.New("the run ended without a result")
}

// Stream is [Tree.Run] as a stream of events. Pass the result in the last one, [agent.RunFinished], to [Tree.Conclude].
// The run of a language model begins with a call of step 0, named evidence: what the heuristic explorer found. It is
// the first of the result's records, and no step of the model. With [RunOptions].Resume the question is that of the
// run: pass [Kept].Question to Conclude.
func (t *Tree) Stream(ctx context.Context, model providers.Model, question string, o *RunOptions) iter.Seq2[agent.Event,
	error] {
	return func(yield func(agent.Event, error) bool) {
		x := &modelRun{tree: t, question: question, yield: yield}
		if o != nil {
			x.options = *o
		}
		if x.options.Resume {
			kept, err := keptBy(ctx, x.options.Session)
			if err != nil {
				yield(nil, err)
				return
			}
			x.restore(kept)
		}
		x.config = t.Agent(model, &x.options)
		if x.options.Resume {
			x.spend()
		} else if !rulemodel.Is(x.config.Model.Info()) && !x.options.NoEvidence && !x.gather(ctx) {
			return
		}
		x.run(ctx)
	}
}

// Agent returns the configuration of the agent of an exploration. The heuristic explorer reads whole results as JSON. A
// language model reads text truncated to its window, can look up what was truncated, and follows the plan [Analyst];
// one with a small window has [Tree.SmallTools], and reads no notes before it has begun.
func (t *Tree) Agent(model providers.Model, o *RunOptions) agent.Config {
	if o == nil {
		o = &RunOptions{}
	}
	if model == nil {
		model = rules.New(nil)
	}
	heuristic := rulemodel.Is(model.Info())
	c := agent.Config{
		Name:   "explore",
		Model:  model,
		Guide:  func() agent.Guide { return untilReport },
		Limits: agent.Limits{Steps: positive(o.Steps, defaultSteps), Time: o.Time},
	}
	if heuristic {
		c.Tools = t.tools(t.source().Steady(), true) // a run is short, and its report is of one state of the files
		c.Profile = cmp.Or(o.Profile, contextwindow.Off)
		c.Budget = contextwindow.BudgetOf(model.Info().Window, 0, c.Profile)
	} else {
		c.Profile = cmp.Or(o.Profile, contextwindow.Lean)
		c.Budget = Budget(model.Info(), c.Profile)
	}
	if o.Budget > 0 {
		c.Budget.Limit = o.Budget
	}
	if !heuristic {
		size := sizeOf(model.Info(), c.Budget)
		c.System, c.Tools, c.Brief, c.Sampling = size.system, size.tools(t), size.brief, size.sampling
		c.Tools, c.Approve = append(c.Tools, o.Tools...), o.Approve
		c.Window.PlainNotes = size.brief
		c.Guide = func() agent.Guide {
			return New(size.plan(), &Options{Steps: c.Limits.Steps, Answered: answered}).Next
		}
	}
	return c
}

// Budget returns the budget of an unattended run, for the window and the name of its model. It lets a service that
// compacts do so first.
func Budget(info providers.Info, p contextwindow.Profile) contextwindow.Budget {
	b := catalog.BudgetFor(info.Name, p)
	if info.Window > 0 && info.Window != b.Window {
		given := contextwindow.BudgetOf(info.Window, 0, p)
		given.Model, given.Ratio, b = b.Model, b.Ratio, given
	}
	return b.Autonomous().Beyond(info.Compaction.At)
}

// answered reports whether a step ends an exploration: with an accepted report, or with an answer in text.
func answered(s agent.Step) bool { return untilReport(s).Stop }

func untilReport(s agent.Step) agent.Move {
	for _, c := range s.Calls {
		if (c.Name == "report" || c.Name == "answer") && !c.Failed {
			return agent.Move{Stop: true}
		}
	}
	return agent.Move{Stop: s.Answered()}
}
