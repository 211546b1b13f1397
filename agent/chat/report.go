package chat

import (
	"context"
	"errors"
	"fmt"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/memory/summary"
	"github.com/forayhq/foray/contextwindow/memory/task"
	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// A Report says what a thread holds and what a run is told of it.
type Report struct {
	Thread   Thread
	Tokens   int // that all messages of the thread take
	Summary  summary.Thread
	Pins     []int64
	Task     task.Active           // without a Status: none
	Working  []working.Entry       // what earlier turns have left in working memory, the oldest first; Gone: no longer there
	Told     contextbuilder.Stats  // what a run would be told now with the last message of the user as its input; zero: there is none
	Window   *contextwindow.Report // what the last run's requests were made of at its end; nil: there was none
	Settings Settings
}

// Context returns a report on a thread. It builds the context anew and may so start an update of the summary.
func (c *Chat) Context(ctx context.Context, thread string) (Report, error) {
	r, err := c.report(ctx, thread)
	if err != nil {
		return Report{}, fmt.Errorf("thread %s: %w", label(thread), err)
	}
	return r, nil
}

func (c *Chat) report(ctx context.Context, thread string) (Report, error) {
	if err := CheckThreadID(thread); err != nil {
		return Report{}, err
	}
	ctx, end, err := c.begin(ctx)
	if err != nil {
		return Report{}, err
	}
	defer end()
	setup, release := c.use()
	defer release()
	r := Report{Settings: setup.settings}
	if r.Thread, err = c.config.Store.Thread(ctx, thread); err != nil {
		return Report{}, err
	}
	s, err := r.Thread.state()
	if err != nil {
		return Report{}, err
	}
	r.Pins, r.Task, r.Window = s.Pins, s.Task, s.Window
	if r.Summary, err = c.config.Store.LoadSummary(ctx, thread); err != nil {
		return Report{}, err
	}
	if r.Working, err = c.working.Entries(ctx, thread); err != nil {
		return Report{}, err
	}
	last, err := c.count(ctx, thread, &r.Tokens)
	if err != nil || last == 0 {
		return r, err
	}
	q := c.about(r.Thread)
	q.Seq, q.Turn, q.Task = last, s.Turns, s.Task.Summary()
	built, err := setup.builder.Build(ctx, q)
	if errors.Is(err, contextwindow.ErrIrreducible) || errors.Is(err, contextbuilder.ErrSystemTooLong) {
		built.Stats.Warnings, err = append(built.Stats.Warnings, err.Error()), nil
	}
	r.Told = built.Stats
	return r, err
}

// countPage is how many messages are read at once.
const countPage = 256

// count sums up what the messages of a thread take, in tokens, and returns the number of the last of the user's.
func (c *Chat) count(ctx context.Context, thread string, tokens *int) (last int64, err error) {
	for after := int64(0); ; {
		ms, err := c.config.Store.Messages(ctx, thread, after, countPage)
		if err != nil {
			return 0, err
		}
		for _, m := range ms {
			*tokens += m.Message.Tokens()
			if m.Role == transcript.User {
				last = m.Seq
			}
		}
		if len(ms) < countPage {
			return last, nil
		}
		after = ms[len(ms)-1].Seq
	}
}

// Warm reads in the background what the next turn of a thread will need.
func (c *Chat) Warm(ctx context.Context, thread string) error {
	t, err := c.Thread(ctx, thread)
	if err != nil {
		return err
	}
	_, end, err := c.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	setup, release := c.use()
	defer release()
	setup.builder.Warm(c.about(t))
	return nil
}
