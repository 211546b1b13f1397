package chat

import (
	"context"
	"fmt"

	"github.com/forayhq/foray/contextwindow/memory/summary"
)

// Summary returns the summary of a thread; the zero value if it has none.
func (c *Chat) Summary(ctx context.Context, thread string) (summary.Thread, error) {
	return c.withSummary(ctx, thread, c.summaries.Get)
}

// Compact updates the summary of a thread now and returns it. It then covers all messages that no longer fit.
func (c *Chat) Compact(ctx context.Context, thread string) (summary.Thread, error) {
	return c.withSummary(ctx, thread, c.summaries.Force)
}

// ResetSummary removes the summary of a thread. It is made again when there is enough to summarise.
func (c *Chat) ResetSummary(ctx context.Context, thread string) error {
	_, err := c.withSummary(ctx, thread, func(ctx context.Context, thread string) (summary.Thread, error) {
		return summary.Thread{}, c.summaries.Reset(ctx, thread)
	})
	return err
}

func (c *Chat) withSummary(
	ctx context.Context, thread string, fn func(context.Context, string) (summary.Thread, error),
) (summary.Thread, error) {
	ctx, end, err := c.life.begin(ctx)
	if err != nil {
		return summary.Thread{}, err
	}
	defer end()
	if _, err := c.Thread(ctx, thread); err != nil {
		return summary.Thread{}, err
	}
	return fn(ctx, thread)
}

// resetSummaryFrom ends an update in progress, and removes the summary if it covers the message numbered from or a later
// one.
func (c *Chat) resetSummaryFrom(ctx context.Context, thread string, from int64) error {
	store := c.config.Store
	sum, err := store.LoadSummary(ctx, thread)
	if err != nil {
		return fmt.Errorf("load the summary: %w", err)
	}
	if err := c.summaries.Reset(ctx, thread); err != nil {
		return err
	}
	if sum.Text == "" || sum.Last >= from {
		return nil
	}
	return store.SaveSummary(ctx, thread, 0, sum)
}
