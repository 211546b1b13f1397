package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory"
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
	Memory  *memory.Working // keeps what the window cuts, for the tool that reads it again; nil: nobody reads it
	Limits  Limits

	// Summarizer writes summaries of what the window is about to fold, beside the run; nil: nobody does. What it costs is in
	// the usage of the run. The window holds it to rules, and goes on without it where it fails.
	Summarizer providers.Model
}

// Limits bound a run. The zero value of a limit is its default; a negative one is no limit: with it a run asks, calls
// or waits without end.
type Limits struct {
	Steps        int           // requests to the model, the closing one included; default 50
	Time         time.Duration // default: none. The closing request has up to a quarter of it more, at most 30 s
	InputTokens  int           // summed over all requests; default: none
	OutputTokens int           // summed over all answers; default: none
	TotalTokens  int           // of both; default: none
	CallsPerStep int           // calls of one answer that are made; default 8
	Parallel     int           // tools at once; default 8
	ToolTimeout  time.Duration // of a tool that has none of its own; default 60 s
	ToolGrace    time.Duration // from the end of a tool's time, or of the run, until it is abandoned; default 5 s
	SummaryTime  time.Duration // of one request to the Summarizer; default 60 s
}

const (
	defaultSteps       = 50
	defaultCalls       = 8
	defaultParallel    = 8
	defaultToolTimeout = 60 * time.Second
	defaultToolGrace   = 5 * time.Second
	defaultSummaryTime = 60 * time.Second
	closingTime        = 30 * time.Second
)

func (l Limits) withDefaults() Limits {
	l.Steps = cmp.Or(l.Steps, defaultSteps)
	l.CallsPerStep = cmp.Or(l.CallsPerStep, defaultCalls)
	if l.Parallel = cmp.Or(l.Parallel, defaultParallel); l.Parallel < 0 {
		l.Parallel = math.MaxInt
	}
	l.ToolTimeout = cmp.Or(l.ToolTimeout, defaultToolTimeout)
	l.ToolGrace = cmp.Or(l.ToolGrace, defaultToolGrace)
	if l.SummaryTime = cmp.Or(l.SummaryTime, defaultSummaryTime); l.SummaryTime < 0 {
		l.SummaryTime = math.MaxInt64
	}
	return l
}

// An Agent runs tasks. It is immutable and safe for concurrent use.
type Agent struct {
	config  Config
	tools   *tools.Set
	schemas []contextwindow.ToolSchema // sorted by name, the same bytes in every request
	budget  contextwindow.Budget
	rules   contextwindow.Rules // that every request is held to
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
	for _, t := range set.All() {
		a.schemas = append(a.schemas, contextwindow.ToolSchema{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	a.budget = budget(c)
	if a.rules, err = rulesOf(c.Model.Info()); err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	return a, nil
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

// budget is the configured one, or follows from the window that the model says it has, or from its name.
func budget(c Config) contextwindow.Budget {
	info := c.Model.Info()
	switch {
	case c.Budget.Limit > 0:
		return c.Budget
	case info.Window > 0:
		b := contextwindow.BudgetOf(info.Window, c.Budget.Profile)
		b.Model = info.Name
		b.Ratio, _ = contextwindow.StartingRatio(info.Name)
		return b
	}
	return contextwindow.BudgetFor(info.Name, c.Budget.Profile)
}

// A Task is one thing to do.
type Task struct {
	Prompt     string                  // opens the run; kept whole in every request
	History    []contextwindow.Message // of earlier runs, oldest first; repaired, with a warning, where a service would refuse it
	Thread     string                  // told to tools
	User       string                  // told to tools
	Repository string                  // told to tools
}

// Run does the task that a prompt describes.
func (a *Agent) Run(ctx context.Context, prompt string) (*Result, error) {
	return a.Do(ctx, Task{Prompt: prompt})
}

// Do runs a task to its end. The result is there also when the error is.
func (a *Agent) Do(ctx context.Context, t Task) (*Result, error) {
	var result *Result
	for e, err := range a.Stream(ctx, t) {
		if done, ok := e.(Done); ok {
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
	return func(yield func(Event, error) bool) {
		r := newRun(ctx, a, t, yield)
		defer r.close()
		err := r.loop()
		r.endSummary()
		r.log()
		r.over = true
		if !r.broken {
			yield(Done{Agent: a.config.Name, Result: r.finish()}, err)
		}
	}
}
