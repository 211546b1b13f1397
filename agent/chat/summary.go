package chat

import (
	"context"
	"fmt"

	"github.com/forayhq/foray/contextwindow/memory/summary"
)

// Summary returns the summary of a thread; the zero Summary if there is none yet.
func (c *Chat) Summary(ctx context.Context, thread string) (summary.Thread, error) {
	return c.summarized(ctx, thread, c.summaries.Get)
}

// Compact brings the summary of a thread up to date now, and returns it: from then on it stands for all messages that the
// window leaves out.
func (c *Chat) Compact(ctx context.Context, thread string) (summary.Thread, error) {
	return c.summarized(ctx, thread, c.summaries.Force)
}

// ResetSummary removes the summary of a thread. It is made anew when there is enough to sum up.
func (c *Chat) ResetSummary(ctx context.Context, thread string) error {
	_, err := c.summarized(ctx, thread, func(ctx context.Context, thread string) (summary.Thread, error) {
		return summary.Thread{}, c.summaries.Reset(ctx, thread)
	})
	return err
}

// summarized runs fn for a thread that there is.
func (c *Chat) summarized(ctx context.Context, thread string, fn func(context.Context, string) (summary.Thread, error)) (summary.Thread, error) {
	ctx, end, err := c.begin(ctx)
	if err != nil {
		return summary.Thread{}, err
	}
	defer end()
	if _, err := c.Thread(ctx, thread); err != nil {
		return summary.Thread{}, err
	}
	return fn(ctx, thread)
}

// forgetFrom drops the summary of a thread if it covers a message that is gone, and ends one that is under way.
func (c *Chat) forgetFrom(ctx context.Context, thread string, from int64) error {
	store := c.config.Store
	sum, err := store.LoadSummary(ctx, thread)
	if err != nil {
		return fmt.Errorf("loading the summary: %w", err)
	}
	if err := c.summaries.Reset(ctx, thread); err != nil {
		return err
	}
	if sum.Text == "" || sum.Last >= from {
		return nil
	}
	return store.SaveSummary(ctx, thread, 0, sum)
}
