package chat

import (
	"context"
	"errors"
	"math"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/memory/summary"
	"github.com/forayhq/foray/contextwindow/memory/task"
	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/toollimit"
)

// A ThreadContext describes a thread and what a run sees of it.
type ThreadContext struct {
	Thread   Thread
	Tokens   int // of all messages
	Summary  summary.Thread
	Pins     []int64
	Task     task.Active           // without a Status: none
	Working  []working.Entry       // what earlier turns left in working memory, oldest first; Gone says what was evicted
	Stats    contextbuilder.Stats  // of what a run would see now, with the user's last message as input; zero: no message
	Window   *contextwindow.Report // of the last run, at its end; nil: none
	Settings Settings

	Agent         string                    // that answers next
	SummaryTokens int                       // of the text of Summary
	Runs          []contextbuilder.AgentRun // the last five of sub-agents and of tools, oldest first
}

// Inspect describes a thread. It builds the context of a run, which may start an update of the summary.
func (c *Chat) Inspect(ctx context.Context, thread string) (r ThreadContext, err error) {
	defer func() {
		if err != nil {
			r, err = ThreadContext{}, ofThread(label(thread), err)
		}
	}()
	if err := CheckThreadID(thread); err != nil {
		return r, err
	}
	ctx, end, err := c.life.begin(ctx)
	if err != nil {
		return r, err
	}
	defer end()
	setup, release := c.settings.use()
	defer release()
	r.Settings = setup.Settings
	if r.Thread, err = c.config.Store.Thread(ctx, thread); err != nil {
		return r, err
	}
	c.settings.notice(r.Thread, c.threads.seen)
	s, err := r.Thread.state()
	if err != nil {
		return r, err
	}
	by, err := setup.speaker(c.as, s.Agent)
	if err != nil {
		return r, err
	}
	r.Agent = by.name
	r.Pins, r.Task, r.Window, r.Runs = s.Pins, s.Task, s.Window, s.runs(math.MaxInt64)
	if r.Summary, err = c.config.Store.LoadSummary(ctx, thread); err != nil {
		return r, err
	}
	r.SummaryTokens = toollimit.Tokens(r.Summary.Text)
	if r.Working, err = c.working.Entries(ctx, thread); err != nil {
		return r, err
	}
	var last int64
	if r.Tokens, last, err = c.threads.count(ctx, thread); err != nil || last == 0 {
		return r, err
	}
	q := queryOf(c, r.Thread, setup, by)
	q.Seq, q.Turn, q.From, q.Whole = last, s.Turns, s.From, s.Whole
	q.Task, q.Goal, q.Runs = s.taskStatus(last), s.goal(), pastRuns(c, &s)
	built, err := setup.Build(ctx, q)
	if errors.Is(err, contextwindow.ErrIrreducible) || errors.Is(err, contextbuilder.ErrSystemTooLong) {
		built.Stats.Warnings, err = append(built.Stats.Warnings, err.Error()), nil
	}
	r.Stats = built.Stats
	return r, err
}

// Warm loads in the background what the next turn of a thread will need.
func (c *Chat) Warm(ctx context.Context, thread string) error {
	t, state, err := c.threads.read(ctx, thread)
	if err != nil {
		return err
	}
	_, end, err := c.life.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	setup, release := c.settings.use()
	defer release()
	c.settings.notice(t, c.threads.seen)
	by, err := setup.speaker(c.as, state.Agent)
	if err == nil {
		setup.Warm(queryOf(c, t, setup, by))
	}
	return err
}
