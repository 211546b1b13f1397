package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/reread"
)

// An Agent runs tasks. It is immutable and safe for concurrent use.
type Agent struct {
	config Config
	tools  toolbox
	budget contextwindow.Budget
	rules  transcript.Rules
}

// New checks a [Config] and returns its agent. It returns an error for a nil model or one with unknown rules, for an
// unknown profile or a negative budget, and for tools with duplicate names, bad names or bad schemas.
func New(c Config) (*Agent, error) {
	if v := reflect.ValueOf(c.Model); c.Model == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, errors.New("agent: no model: Config.Model is nil")
	}
	if c.Budget.Limit < 0 {
		return nil, fmt.Errorf("agent: Budget.Limit is %d: it must be above 0, or 0 for one derived from the model",
			c.Budget.Limit)
	}
	c.Budget.Profile = cmp.Or(c.Budget.Profile, c.Profile)
	b := budgetOf(c)
	box, badTools := newToolbox(c.Tools, c.rereads(c.Tools, b), c.Brief)
	rules, badRules := rulesOf(c.Model.Info())
	if err := errors.Join(checkProfile(c.Budget.Profile), badTools, badRules); err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	a := &Agent{config: c, tools: box, budget: b, rules: rules}
	a.config.Name = cmp.Or(c.Name, "agent")
	a.config.Limits = c.Limits.withDefaults()
	return a, nil
}

// Budget returns the budget of the windows of the agent's runs: the configured one, or one derived from the model.
func (a *Agent) Budget() contextwindow.Budget { return a.budget }

// Run runs a prompt to its end. See [Agent.Do].
//
// A nil error does not mean that the model answered: a run that stalled or reached a limit has one, too. Its Text is
// what one closing request gave, or what had arrived before if that failed, and may be empty. Result.Stop is [Answered]
// for an answer.
func (a *Agent) Run(ctx context.Context, prompt string) (*Result, error) {
	return a.Do(ctx, Task{Prompt: prompt})
}

// Do runs a task to its end. It returns a result even with an error.
//
// A run whose ctx is that of a tool call is nested in the calling run, as one of [AsTool] is: it counts towards the
// limits of all runs above, and is refused if it is nested deeper than their [Limits].Depth.
func (a *Agent) Do(ctx context.Context, t Task) (*Result, error) {
	for e, err := range a.Stream(ctx, t) {
		if done, ok := e.(RunFinished); ok {
			return done.Result, err
		}
	}
	return nil, errors.New("agent: the run did not finish") // Stream always yields RunFinished
}

// Stream runs a task and yields its events. The last pair is [RunFinished] and the error of the run, if any. Breaking
// out of the loop cancels the run and waits for it.
func (a *Agent) Stream(ctx context.Context, t Task) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		r := newRun(ctx, a, t, yield)
		defer r.close()
		err := r.loop()
		r.summarizer.stop()
		r.flush()
		r.past.readValues()
		r.over = true
		if result := r.finish(err); !r.broken {
			yield(RunFinished{Agent: r.config.Name, Result: result}, err)
		}
	}
}

func checkProfile(p contextwindow.Profile) error {
	known := contextwindow.Profiles()
	if p == "" || slices.Contains(known, p) {
		return nil
	}
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = string(k)
	}
	return fmt.Errorf("unknown profile %q; nearest: %s; profiles: %v", p, line.Closest(string(p), names, 1)[0], names)
}

// budgetOf returns the configured budget, or one made from the sizes in the model's Info. A service that compacts does
// so first.
func budgetOf(c Config) contextwindow.Budget {
	if c.Budget.Limit > 0 {
		return c.Budget
	}
	info := c.Model.Info()
	b := contextwindow.BudgetOf(info.Window, info.MaxOutput, c.Budget.Profile)
	b.Model, b.Ratio = info.Name, info.TokenRatio
	return b.Beyond(info.Compaction.At)
}

// rulesOf returns the message rules of a model's service, or an error if they are unknown.
func rulesOf(info providers.Info) (transcript.Rules, error) {
	rules := cmp.Or(info.Rules, transcript.AnyProvider)
	if err := transcript.Check([]transcript.Message{opening}, rules); err != nil {
		return "", fmt.Errorf("model %q: %w", info.Name, err)
	}
	return rules, nil
}

// A toolbox is the tools of a run with the schemas that the model sees.
type toolbox struct {
	*tools.Set
	schemas []transcript.ToolSchema // sorted by name, so that every request has the same bytes
	own     int                     // of the caller; the one beside them reads shortened texts again
}

// newToolbox returns the toolbox of a run with the caller's tools and, if rereads, the one that reads shortened texts
// again. If brief, the model sees the short forms of the tools that have one.
func newToolbox(ts []tools.Tool, rereads, brief bool) (toolbox, error) {
	own := len(ts)
	if rereads {
		ts = append(slices.Clip(ts), reread.Tool(nil))
	}
	set, err := tools.NewSet(ts...)
	if err != nil {
		return toolbox{}, err
	}
	box := toolbox{Set: set, own: own}
	for _, t := range set.All() {
		if brief && t.Brief.Schema != nil {
			t.Description, t.Schema = t.Brief.Description, t.Brief.Schema
		}
		box.schemas = append(box.schemas, transcript.ToolSchema{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	return box, nil
}

func (b *toolbox) rereads() bool { return len(b.schemas) > b.own }

// leastReread is the smallest budget, in tokens, whose runs can read shortened texts again: the schema of the tool and
// two excerpts would take a third of it.
const leastReread = 2_000

// rereads reports whether a run with tools ts and a window of budget b gets the tool that reads shortened texts again:
// if its window may shorten texts before they exceed it, and the caller has brought neither such a tool nor a store.
func (c *Config) rereads(ts []tools.Tool, b contextwindow.Budget) bool {
	shortens := b.Profile != contextwindow.Off || len(c.Window.Ladder) > 0
	ownStore := c.Window.Store != nil && c.Memory == nil
	usual := cmp.Or(c.Window.ReadTool, toollimit.ReadTool) == toollimit.ReadTool
	return !c.NoTools && shortens && usual && !ownStore && b.Limit >= leastReread &&
		!slices.ContainsFunc(ts, func(t tools.Tool) bool { return t.Name == toollimit.ReadTool })
}

// Offers reports whether the agent's runs have a tool of this name.
func (a *Agent) Offers(tool string) bool {
	return slices.ContainsFunc(a.tools.schemas, func(s transcript.ToolSchema) bool { return s.Name == tool })
}

// ToolTokens returns the estimated size of the schemas that every request of the agent carries.
func (a *Agent) ToolTokens() int { return toolTokens(contextwindow.Budget{}, a.tools.schemas) }

// toolTokens returns the estimated size of schemas in a window of a budget, whose model has tokens of its own size.
func toolTokens(b contextwindow.Budget, schemas []transcript.ToolSchema) int {
	w := contextwindow.New(b, nil)
	w.Open(contextwindow.Prefix{Tools: schemas})
	return w.Usage().Prefix
}
