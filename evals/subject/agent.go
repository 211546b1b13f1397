package subject

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/agent/explore/rules"
	"github.com/forayhq/foray/agent/trace"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
	"github.com/forayhq/foray/pipelines/insight"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/catalog"
	"github.com/forayhq/foray/tools/report"
)

// minWindow is the least window or budget of a spec, in tokens.
const minWindow = 500

// errNoFiles says that a task has nothing for an explorer.
var errNoFiles = errors.New("the task has no files to explore; use a subject that needs none: model:PROVIDER/NAME")

// A modelSubject is a model, or the explorer without one.
type modelSubject struct {
	model   providers.Model
	profile contextwindow.Profile
	window  int // of the spec; 0: none
	rules   bool
}

func openRules(context.Context, string, Env) (do, error) {
	return modelSubject{model: rules.New(nil), rules: true}.do, nil
}

func openModel(ctx context.Context, args string, env Env) (do, error) {
	m := modelSubject{}
	name := args
	if at := strings.LastIndexByte(args, '+'); at >= 0 {
		var err error
		if m.profile, err = profileOf(args[at+1:]); err != nil {
			return nil, err
		}
		name = args[:at]
	}
	name, window, err := cutSize(name, minWindow)
	if err != nil {
		return nil, err
	}
	if env.Model == nil {
		return nil, errors.New("no models can be opened here")
	}
	m.window = window
	m.model, err = env.Model(ctx, name, window)
	return m.do, err
}

// do explores the files of the task, or talks without any.
func (m modelSubject) do(ctx context.Context, in trial.Input) (*check.Outcome, error) {
	t := in.Task
	if in.Dir == "" {
		if m.rules {
			return &check.Outcome{Priced: true}, errNoFiles
		}
		return m.run(ctx, in, agent.Config{Model: m.model, Profile: m.profile})
	}
	tree, err := explore.Open(ctx, in.Dir, "")
	if err != nil {
		return nil, &trial.Failure{Class: trial.Harness, Text: err.Error()}
	}
	defer tree.Close()
	o := &explore.RunOptions{Steps: t.Budget.Steps, Time: timeFor(ctx), Profile: m.profile}
	if !m.rules && (len(t.Messages) > 0 || t.System != "") {
		return m.run(ctx, in, tree.Agent(m.model, o))
	}
	w := m.watch()
	for e, err := range trace.Write(tree.Stream(ctx, m.model, t.Prompt, o), in.Trace) {
		w.see(e, err)
	}
	if w.result == nil {
		return w.outcome(), w.err
	}
	found := tree.Conclude(t.Prompt, w.result)
	return w.ended(withoutHeading(found.Markdown(report.PrintOptions{})))
}

// withoutHeading removes the heading of a report: it repeats the question, whose words no check should find.
func withoutHeading(text string) string {
	if heading, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(heading, "# ") {
		return strings.TrimLeft(rest, "\n")
	}
	return text
}

// run runs an agent with the conversation of the task.
func (m modelSubject) run(ctx context.Context, in trial.Input, c agent.Config) (*check.Outcome, error) {
	t := in.Task
	if t.System != "" {
		c.System = strings.TrimSpace(c.System + "\n\n" + t.System)
	}
	c.Limits.Steps = cmp.Or(t.Budget.Steps, c.Limits.Steps)
	c.Limits.TotalTokens, c.Limits.Time = t.Budget.Tokens, timeFor(ctx)
	a, err := agent.New(c)
	if err == nil && m.window == 0 && t.Window > 0 && t.Window < a.Budget().Limit {
		c.Budget = a.Budget()
		c.Budget.Limit = t.Window
		a, err = agent.New(c)
	}
	if err != nil {
		return nil, &trial.Failure{Class: trial.Harness, Text: err.Error()}
	}
	window, compacted, err := grown(t, a.Budget(), &c.Window)
	if err != nil {
		return nil, &trial.Failure{Class: trial.Harness, Text: err.Error()}
	}
	w := m.watch()
	events := after(a.Stream(ctx, agent.Task{Prompt: t.Prompt, Window: window}), compacted)
	for e, err := range trace.Write(events, in.Trace) {
		w.see(e, err)
	}
	if w.result == nil {
		return w.outcome(), w.err
	}
	return w.ended(w.result.Text)
}

// grown returns a window that has grown with the conversation of a task as that of a chat does, and the compactions on
// the way: one that takes the whole conversation at once evicts other parts, and differs with the length of the prompt.
// The window is nil without a conversation.
func grown(t *task.Task, b contextwindow.Budget, o *contextwindow.Options) (
	*contextwindow.Window, []contextwindow.Compaction, error) {
	if len(t.Messages) == 0 {
		return nil, nil, nil
	}
	prompt := transcript.Message{Role: transcript.User, Text: t.Prompt} // follows
	messages, _ := transcript.Repair(append(slices.Clone(t.Messages), prompt))
	units, err := transcript.Units(messages[:len(messages)-1])
	if err != nil {
		return nil, nil, err
	}
	w := contextwindow.New(b, o)
	w.Open(contextwindow.Prefix{System: t.System})
	var compacted []contextwindow.Compaction
	for _, u := range units {
		if u[0].Role == transcript.Assistant {
			c, err := w.Fit()
			if c.Level > 0 {
				compacted = append(compacted, c)
			}
			if err != nil && !errors.Is(err, contextwindow.ErrThrash) && !errors.Is(err, contextwindow.ErrIrreducible) {
				return nil, nil, err
			}
		}
		if _, err := w.Append(u[0], u[1:]...); err != nil {
			return nil, nil, err
		}
	}
	return w, compacted, nil
}

// after adds compactions to the events of a run, after its start.
func after(events iter.Seq2[agent.Event, error], all []contextwindow.Compaction) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		for e, err := range events {
			if !yield(e, err) {
				return
			}
			started, ok := e.(agent.RunStarted)
			if !ok {
				continue
			}
			for _, c := range all {
				if !yield(agent.WindowCompacted{Agent: started.Agent, Step: 1, Compaction: c}, nil) {
					return
				}
			}
			all = nil
		}
	}
}

// timeFor is the time that a run may take to end by itself before ctx ends it; 0: ctx has no end.
func timeFor(ctx context.Context) time.Duration {
	end, ok := ctx.Deadline()
	if !ok {
		return 0
	}
	return max(time.Until(end)*9/10, time.Millisecond)
}

func openInsight(context.Context, string, Env) (do, error) {
	model := insight.Rules()
	return func(ctx context.Context, in trial.Input) (*check.Outcome, error) {
		if in.Dir == "" {
			return &check.Outcome{Priced: true}, errNoFiles
		}
		tree, err := explore.Open(ctx, in.Dir, "")
		if err != nil {
			return nil, &trial.Failure{Class: trial.Harness, Text: err.Error()}
		}
		defer tree.Close()
		w := modelSubject{model: model, rules: true}.watch()
		found, err := insight.Run(ctx, tree.Agent(model, nil), &insight.Options{
			Steps: in.Task.Budget.Steps, Time: timeFor(ctx) / 2, Observe: func(e agent.Event) { w.see(e, nil) },
		})
		o := w.outcome()
		if found != nil {
			o.Answer, o.Stop = withoutHeading(found.Markdown("")), cmp.Or(found.Partial, o.Stop)
		}
		return o, err
	}, nil
}

// A watch adds up the events of a run.
type watch struct {
	model  providers.Model
	rules  bool
	o      check.Outcome
	steps  []providers.Usage
	result *agent.Result // of the run, or of the last one
	err    error
}

func (m modelSubject) watch() *watch { return &watch{model: m.model, rules: m.rules} }

// see takes an event of a run or of its sub-agents.
func (w *watch) see(e agent.Event, err error) {
	w.err = err
	switch e := e.(type) {
	case agent.RequestSent:
		w.o.View = e.Request.Messages
	case agent.StepFinished:
		w.steps = append(w.steps, e.Tokens)
	case agent.RunFinished:
		w.result = e.Result
		w.o.Stop = string(e.Result.Stop)
		w.o.Steps += e.Result.Steps
		w.o.Usage = w.o.Usage.Add(e.Result.Usage)
		for _, r := range e.Result.Tools {
			w.o.Calls = append(w.o.Calls, check.Call{Name: r.Call.Name, Args: r.Call.Args, Failed: r.Err != nil})
		}
	}
}

// outcome is what was seen, without an answer. Rules cost nothing, and read no tokens of anybody.
func (w *watch) outcome() *check.Outcome {
	o := w.o
	if w.rules {
		o.Usage, o.Priced = providers.Usage{}, true
		return &o
	}
	info := w.model.Info()
	price, known := catalog.PriceOf(info.Provider, info.Name)
	o.Priced = known
	rest := o.Usage
	for _, u := range w.steps { // one by one, because a long request may have another price
		o.Cost += price.Cost(u)
		rest.Input, rest.Cached, rest.Output = rest.Input-u.Input, rest.Cached-u.Cached, rest.Output-u.Output
	}
	if rest.Input >= 0 && rest.Output >= 0 && rest.Cached >= 0 {
		o.Cost += price.Cost(rest)
	}
	return &o
}

// ended is the outcome of a run with an answer. A run without one failed: with its own error, or by its limits.
func (w *watch) ended(answer string) (*check.Outcome, error) {
	o := w.outcome()
	o.Answer = answer
	switch {
	case w.err != nil:
		return o, w.err
	case strings.TrimSpace(answer) == "" && w.result.Stop != agent.Answered:
		return o, fmt.Errorf("no answer: %s", w.result.Stop)
	}
	return o, nil
}
