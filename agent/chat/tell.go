package chat

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/tools"
)

// tell builds the context and returns who answers, and with what it is told.
func (t *turn) tell(ctx context.Context) (*agent.Agent, agent.Task, error) {
	built, err := t.setup.builder.Build(ctx, t.query())
	t.out.Told = built.Stats
	if err != nil {
		return nil, agent.Task{}, err
	}
	t.emit(ContextBuilt{built.Stats})
	config := t.config.Agent
	config.System = built.System
	config.Memory = nil
	config.Tools = scoped(config.Tools, t.scope.ID(), t.text)
	config.Guide = t.guided(ctx, built)
	if config.Window.Store == nil {
		config.Window.Store = t.scope
	}
	a, err := agent.New(config)
	if err != nil {
		return nil, agent.Task{}, err
	}
	return a, agent.Task{Prompt: built.Prompt.Text, History: built.History, Pinned: built.Head, Thread: t.out.Thread, User: t.thread.User}, nil
}

// query asks the builder for the context of the turn.
func (t *turn) query() contextbuilder.Query {
	q := t.about(t.thread)
	q.Input, q.Seq, q.Turn, q.Task = t.text, t.question, t.state.Turns, t.state.Task.Summary()
	q.Store = t.scope
	return q
}

// about is what a query says of a thread.
func (c *Chat) about(t Thread) contextbuilder.Query {
	a := &c.config.Agent
	q := contextbuilder.Query{System: a.System, Thread: t.ID, User: t.User, Agent: a.Name, Room: c.room, Fixed: c.fixed}
	if c.config.Stage != nil {
		q.Stage = c.config.Stage(t)
	}
	return q
}

// scoped returns tools that read the working memory of a turn, and are told the user's own words and not what is sent
// with them.
func scoped(all []tools.Tool, scope, input string) []tools.Tool {
	all = slices.Clone(all)
	for i, tool := range all {
		all[i].Call = func(ctx context.Context, args json.RawMessage) (any, error) {
			run := tools.RunFrom(ctx)
			run.Scope, run.Input = scope, input
			return tool.Call(tools.WithRun(ctx, run), args)
		}
	}
	return all
}
