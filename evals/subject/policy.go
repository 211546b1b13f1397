package subject

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/trace"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/internal/policy"
	"github.com/forayhq/foray/evals/internal/recording"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
)

// policyBudget is the budget of a policy without one, for tasks without a window, in tokens for a request.
const policyBudget = 16_000

// budgetOf returns the budget for a task.
func budgetOf(spec int, t *task.Task) int { return cmp.Or(spec, t.Window, policyBudget) }

func openPolicy(_ context.Context, args string, _ Env) (do, error) {
	name, budget, err := cutSize(args, minWindow)
	if err != nil {
		return nil, err
	}
	if profile := contextwindow.Profile(name); slices.Contains(contextwindow.Profiles(), profile) {
		return profilePlay{profile, budget}.do, nil
	}
	all := policy.Policies()
	chosen, err := policy.Choose(all, []string{name})
	if err != nil || len(chosen) != 1 {
		return nil, fmt.Errorf("unknown policy %q; available: %s", name, strings.Join(policy.Names(all), ", "))
	}
	return play{chosen[0], budget}.do, nil
}

// unitsOf returns the conversation of a task, with its prompt at the end, as atomic groups.
func unitsOf(t *task.Task) []recording.Unit {
	var units []recording.Unit
	for _, m := range t.Messages {
		if last := len(units) - 1; m.Role == transcript.Tool && last >= 0 {
			units[last] = append(units[last], m)
			continue
		}
		units = append(units, recording.Unit{m})
	}
	return append(units, recording.Unit{{Role: transcript.User, Text: t.Prompt}})
}

// A count is what requests take, in tokens of four characters, as all policies are counted.
type count struct {
	recording.Counter
	outcome check.Outcome
	system  string
	before  []transcript.Message // the previous request
}

func newCount(t *task.Task) *count {
	return &count{Counter: recording.Counters()[0], system: t.System}
}

// request counts one request with this view. What it has in common with the one before it counts as cached.
func (c *count) request(view []transcript.Message) (tokens int) {
	shared := 0
	for shared < min(len(view), len(c.before)) && same(&view[shared], &c.before[shared]) {
		shared++
	}
	if c.before != nil {
		c.outcome.Usage.Cached += recording.Tokens(c.Quarters(c.system)) + c.Unit(view[:shared])
	}
	c.before = slices.Clone(view)
	tokens = recording.Tokens(c.Quarters(c.system)) + c.Unit(view)
	c.outcome.Steps++
	c.outcome.Usage.Input += tokens
	return tokens
}

func same(a, b *transcript.Message) bool {
	return a.Role == b.Role && a.CallID == b.CallID && a.Text == b.Text &&
		slices.EqualFunc(a.Calls, b.Calls, func(x, y transcript.ToolCall) bool {
			return x.ID == y.ID && x.Name == y.Name && bytes.Equal(x.Args, y.Args)
		})
}

// answer counts what the recorded model answered.
func (c *count) answer(u recording.Unit) {
	c.outcome.Usage.Output += c.Unit(recording.Unit{u[0]})
	c.outcome.Calls = append(c.outcome.Calls, callsOf(u)...)
}

// callsOf returns the calls of a unit.
func callsOf(u recording.Unit) (calls []check.Call) {
	for _, call := range u[0].Calls {
		failed := slices.ContainsFunc(u[1:], func(m transcript.Message) bool { return m.CallID == call.ID && m.Failed })
		calls = append(calls, check.Call{Name: call.Name, Args: call.Args, Failed: failed})
	}
	return calls
}

// end is the outcome, whose last request is view.
func (c *count) end(view []transcript.Message, err error) (*check.Outcome, error) {
	c.outcome.Stop, c.outcome.View, c.outcome.Priced = "played", view, true
	return &c.outcome, err
}

// A play plays conversations through a policy of others. Its runs have no events.
type play struct {
	policy policy.Named
	budget int // 0: that of the task
}

func (p play) do(ctx context.Context, in trial.Input) (*check.Outcome, error) {
	c := newCount(in.Task)
	budget := budgetOf(p.budget, in.Task)
	player := p.policy.New(policy.Setting{Budget: budget, System: in.Task.System, Counter: &c.Counter})
	ask := func() ([]transcript.Message, error) {
		view, err := player.View()
		if err != nil {
			return nil, err
		}
		tokens := c.request(view)
		if o, ok := player.(policy.Observer); ok {
			o.Observe(tokens)
		}
		return view, nil
	}
	for _, u := range unitsOf(in.Task) {
		if u[0].Role == transcript.Assistant {
			if _, err := ask(); err != nil {
				return c.end(nil, err)
			}
			c.answer(u)
		}
		if err := errors.Join(ctx.Err(), player.Feed(u)); err != nil {
			return c.end(nil, err)
		}
	}
	return c.end(ask())
}

// A profilePlay plays conversations through a window with a profile, as an agent would have: the run has its events.
type profilePlay struct {
	profile contextwindow.Profile
	budget  int
}

func (p profilePlay) do(ctx context.Context, in trial.Input) (*check.Outcome, error) {
	c := newCount(in.Task)
	var view []transcript.Message
	var err error
	for e, failed := range trace.Write(p.events(ctx, in.Task, c), in.Trace) {
		if sent, ok := e.(agent.RequestSent); ok {
			view = sent.Request.Messages
		}
		err = failed
	}
	return c.end(view, err)
}

// playedName is what the traces of played conversations call their agent.
const playedName = "played"

// events plays the conversation of a task.
func (p profilePlay) events(ctx context.Context, t *task.Task, c *count) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		budget := contextwindow.Budget{Limit: budgetOf(p.budget, t), Profile: p.profile}
		r := &player{window: contextwindow.New(budget, &contextwindow.Options{ReadTool: toollimit.ReadTool}), count: c}
		broken := false
		r.emit = func(e agent.Event) { broken = broken || !yield(e, nil) }
		r.emit(agent.RunStarted{Agent: playedName, Budget: r.window.Budget()})
		r.window.Open(contextwindow.Prefix{System: t.System})
		var err error
		for _, u := range unitsOf(t) {
			if err = errors.Join(ctx.Err(), r.unit(u)); err != nil || broken {
				break
			}
		}
		if err == nil {
			err = r.ask()
		}
		stop := agent.Answered
		if err != nil {
			stop = agent.Failed
		}
		result := &agent.Result{Stop: stop, Steps: c.outcome.Steps, Usage: c.outcome.Usage, Context: r.window.Explain()}
		if !broken {
			yield(agent.RunFinished{Agent: playedName, Result: result}, err)
		}
	}
}

// A player plays one conversation through one window.
type player struct {
	window *contextwindow.Window
	count  *count
	logged int // entries of the window that events have reported
	emit   func(agent.Event)
}

// unit feeds the window. Before an answer of the model, it makes the request that this would have answered.
func (r *player) unit(u recording.Unit) error {
	if u[0].Role != transcript.Assistant {
		_, err := r.window.Append(u[0], u[1:]...)
		return err
	}
	if err := r.ask(); err != nil {
		return err
	}
	r.count.answer(u)
	if _, err := r.window.Append(u[0], u[1:]...); err != nil {
		return err
	}
	r.flush()
	step := agent.Step{Number: r.count.outcome.Steps, Text: u[0].Text, Window: r.window.Usage().Share()}
	r.emit(agent.StepFinished{Agent: playedName, Step: step, Usage: r.window.Usage()})
	return nil
}

// ask makes the window fit, and reports the request. A window that compacts again and again, or whose fixed parts are
// too large, still has a request that shows what it lost.
func (r *player) ask() error {
	step := r.count.outcome.Steps + 1
	compaction, err := r.window.Fit()
	if compaction.Level > 0 {
		r.emit(agent.WindowCompacted{Agent: playedName, Step: step, Compaction: compaction})
	}
	if err != nil && !errors.Is(err, contextwindow.ErrThrash) && !errors.Is(err, contextwindow.ErrIrreducible) {
		return err
	}
	r.flush()
	view := r.window.View()
	r.emit(agent.RequestSent{Agent: playedName, Step: step, Entries: r.logged, Request: &providers.Request{
		System: r.window.Prefix().System, Messages: view,
	}})
	r.window.Observe(r.count.request(view))
	return nil
}

// flush reports the new entries of the window.
func (r *player) flush() {
	if entries := r.window.Entries(r.logged); len(entries) > 0 {
		r.emit(agent.EntriesAppended{Agent: playedName, Step: r.count.outcome.Steps + 1, From: r.logged, Entries: entries})
		r.logged += len(entries)
	}
}
