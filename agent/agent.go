package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools"
)

// Config says what an agent is made of. Only Model is needed; the zero value of everything else is the default.
type Config struct {
	Name    string                // in events and in what tools are told; "": "agent"
	Model   providers.Model       // answers
	System  string                // system prompt
	Tools   []tools.Tool          // what the model may call, and nothing else
	Guide   func() Guide          // makes the guide of one run; nil: UntilAnswer
	Profile contextwindow.Profile // of contextwindow.Profiles; "": the first of them. Budget.Profile comes before it
	Budget  contextwindow.Budget  // of the window; without a Limit: by the model's window and the profile
	Window  contextwindow.Options
	Memory  *working.Memory // keeps what the window cuts, for the tool that reads it again; nil: nobody reads it
	Limits  Limits

	// Approve is asked before each call of a tool with Effects; nil: nobody is. A call is made only where the Decision says
	// so: it is refused where Approve returns an error or panics, with a warning, and the run goes on. The context ends with
	// the run, whose time goes on while Approve waits. Sub-agents without an Approve of their own ask that of the run that
	// calls them. It must be safe for concurrent use where the agent is used so.
	Approve func(context.Context, transcript.ToolCall) (Decision, error)

	// Summarizer writes summaries of what the window is about to fold, beside the run; nil: nobody does. What it costs is in
	// the usage of the run. The window holds it to rules, and goes on without it where it fails.
	Summarizer providers.Model
}

// An Agent runs tasks. It is immutable and safe for concurrent use.
type Agent struct {
	config  Config
	tools   *tools.Set
	schemas []transcript.ToolSchema // sorted by name, the same bytes in every request
	budget  contextwindow.Budget
	rules   transcript.Rules // that every request is held to
}

// New checks a configuration and returns its agent. It returns an error for a missing model or one that names rules that
// there are not, for a profile that is not one of contextwindow.Profiles, and for tools that have the same name, a bad name
// or a bad schema.
func New(c Config) (*Agent, error) {
	if c.Model == nil {
		return nil, errors.New("agent: no model")
	}
	c.Budget.Profile = cmp.Or(c.Budget.Profile, c.Profile)
	if err := checkProfile(c.Budget.Profile); err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	set, err := tools.NewSet(c.Tools...)
	if err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	a := &Agent{config: c, tools: set}
	a.config.Name = cmp.Or(c.Name, "agent")
	a.config.Limits = c.Limits.withDefaults()
	if c.Guide == nil {
		a.config.Guide = func() Guide { return UntilAnswer{} }
	}
	a.schemas = schemasOf(set)
	a.budget = budget(c)
	if a.rules, err = rulesOf(c.Model.Info()); err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	return a, nil
}

func schemasOf(set *tools.Set) []transcript.ToolSchema {
	var schemas []transcript.ToolSchema
	for _, t := range set.All() {
		schemas = append(schemas, transcript.ToolSchema{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	return schemas
}

// with returns an agent that has one more tool.
func (a *Agent) with(t tools.Tool) (*Agent, error) {
	set, err := tools.NewSet(append(a.tools.All(), t)...)
	if err != nil {
		return nil, err
	}
	b := *a
	b.tools, b.schemas = set, schemasOf(set)
	return &b, nil
}

// checkProfile returns an error for a profile that there is not.
func checkProfile(p contextwindow.Profile) error {
	known := contextwindow.Profiles()
	if p == "" || slices.Contains(known, p) {
		return nil
	}
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = string(k)
	}
	return fmt.Errorf("there is no profile %q; nearest: %s; profiles: %v", p, tools.Closest(string(p), names, 1)[0], names)
}

// budget returns the configured budget, or one made from the sizes that the model's Info gives.
func budget(c Config) contextwindow.Budget {
	if c.Budget.Limit > 0 {
		return c.Budget
	}
	info := c.Model.Info()
	b := contextwindow.BudgetOf(info.Window, info.MaxOutput, c.Budget.Profile)
	b.Model, b.Ratio = info.Name, info.TokenRatio
	return b
}

// Budget returns the budget of the windows of an agent's runs: that of its Config, or what follows from the model.
func (a *Agent) Budget() contextwindow.Budget { return a.budget }

// A Task is one thing to do.
type Task struct {
	Prompt     string               // opens the run; kept whole in every request
	History    []transcript.Message // of earlier runs, oldest first; repaired, with a warning, where a service would refuse it
	Pinned     int                  // so many messages at the head of History stay whole while anything else can go
	Thread     string               // told to tools
	User       string               // told to tools
	Repository string               // told to tools
	Inbox      *Inbox               // messages that come while the run is under way; nil: none. Of one run only

	// Window is one to go on with, with its budget and its store, which nobody else uses until the run is over; nil: a new
	// one. Where nothing stands in it the Prompt opens it, as after ResetStage; else it is the next message of the user.
	Window *contextwindow.Window
	Scope  string // of the working memory that is the store of Window, told to tools
	Limits Limits // of steps, time and tokens, beside those of the agent: the tighter one holds; zero: the agent's

	form *form // what the answer has to be; nil: a text
}

// Run does the task that a prompt describes.
func (a *Agent) Run(ctx context.Context, prompt string) (*Result, error) {
	return a.Do(ctx, Task{Prompt: prompt})
}

// Do runs a task to its end. The result is there also when the error is.
func (a *Agent) Do(ctx context.Context, t Task) (*Result, error) {
	var result *Result
	for e, err := range a.Stream(ctx, t) {
		if done, ok := e.(RunFinished); ok {
			result = done.Result
			if err != nil {
				return result, err
			}
		}
	}
	return result, nil
}

// Stream runs a task and yields what happens. The last pair is Done with the result, and the error if there is one.
// Breaking off cancels what is under way and waits for it.
func (a *Agent) Stream(ctx context.Context, t Task) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) { a.run(ctx, t, nil, yield) }
}

// run runs a task to its end, for a run above if there is one.
func (a *Agent) run(ctx context.Context, t Task, above *caller, yield func(Event, error) bool) {
	r := newRun(ctx, a.within(t), t, yield)
	defer r.close()
	if above != nil {
		r.account.above, r.depth = above.account, above.depth+1
	}
	err := r.loop()
	r.endSummary()
	r.log()
	r.over = true
	if result := r.finish(); !r.broken {
		yield(RunFinished{Agent: a.config.Name, Result: result}, err)
	}
}
