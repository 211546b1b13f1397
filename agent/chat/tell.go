package chat

import (
	"context"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
)

// tell builds the context and returns the task for the agent.
func (t *turn) tell(ctx context.Context) (agent.Task, error) {
	built, err := t.setup.builder.Build(ctx, t.query())
	t.out.Told = built.Stats
	if err != nil {
		return agent.Task{}, err
	}
	t.emit(ContextBuilt{built.Stats})
	options := t.config.Agent.Window
	if options.Store == nil {
		options.Store = t.scope
	}
	return agent.Task{
		Prompt: built.Prompt.Text, Input: t.text, History: built.History, Pinned: built.Head, System: built.System,
		Guide: t.guided(ctx, built), Window: contextwindow.New(t.agent.Budget(), &options), Scope: t.scope.ID(),
		Thread: t.out.Thread, User: t.thread.User,
	}, nil
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
