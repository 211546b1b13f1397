package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/forayhq/foray/contextwindow/memory/summary"
)

// Summary returns the summary of a thread; the zero value if it has none.
func (c *Chat) Summary(ctx context.Context, thread string) (summary.Thread, error) {
	return withSummary(ctx, c, thread, c.summaries.Get)
}

// Compact summarises a thread now and returns the summary, which takes the place of all turns but the last. It waits
// for turns in progress.
func (c *Chat) Compact(ctx context.Context, thread string) (sum summary.Thread, err error) {
	_, err = c.threads.change(ctx, thread, func(ctx context.Context, _ *Thread, s *state) error {
		c.compacting.Store(thread, true)
		defer c.compacting.Delete(thread)
		sum, err = c.summaries.Force(ctx, thread)
		if err == nil && sum.Text != "" { // the next request begins after it
			s.From = max(s.From, sum.Last+1)
		}
		return err
	})
	return sum, err
}

// unseen is the [summary.Log] of a Chat: of the messages after the one numbered seq, those that requests no longer
// show. A request never shows a message next to a summary of it, so what is shown is not summarised before it leaves
// the window.
func (c *Chat) unseen(ctx context.Context, thread string, seq int64, limit int) ([]summary.Message, error) {
	t, s, err := c.threads.read(ctx, thread)
	if errors.Is(err, ErrNoThread) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	from := s.From
	if _, ok := c.compacting.Load(thread); ok {
		if from, err = c.threads.lastTurn(ctx, t); err != nil {
			return nil, err
		}
	}
	if from <= seq+1 {
		return nil, nil
	}
	ms, err := c.config.Store.After(ctx, thread, seq, int(min(int64(limit), from-1-seq)))
	i, _ := slices.BinarySearchFunc(ms, from, func(m summary.Message, seq int64) int { return cmp.Compare(m.Seq, seq) })
	return ms[:i], err
}

// ResetSummary removes the summary of a thread. It is made again when there is enough to summarise.
func (c *Chat) ResetSummary(ctx context.Context, thread string) error {
	_, err := withSummary(ctx, c, thread, func(ctx context.Context, thread string) (summary.Thread, error) {
		return summary.Thread{}, c.summaries.Reset(ctx, thread)
	})
	return err
}

func withSummary(
	ctx context.Context, c *Chat, thread string, fn func(context.Context, string) (summary.Thread, error),
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

// resetSummaryFrom ends an update in progress, and removes the summary if it covers the message numbered from or a
// later one.
func resetSummaryFrom(ctx context.Context, store Store, summaries *summary.Updater, thread string, from int64) error {
	sum, err := store.LoadSummary(ctx, thread)
	if err != nil {
		return fmt.Errorf("load the summary: %w", err)
	}
	if err := summaries.Reset(ctx, thread); err != nil {
		return err
	}
	if sum.Text == "" || sum.Last >= from {
		return nil
	}
	return store.SaveSummary(ctx, thread, 0, sum)
}
