package chat

import (
	"context"
	"errors"
	"slices"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// Undo takes the last turn of a thread back, and returns its messages, the user's first; none if there is no turn. The task
// is what it was before; of more than eight turns that are taken back one after another, as it was before the eighth.
// What its run has done outside the thread stays done, but the memories that were made of it until now are deleted. A
// summary that covers the turn goes too, and is made anew.
func (c *Chat) Undo(ctx context.Context, thread string) ([]Message, error) {
	var gone []Message
	_, err := c.change(ctx, thread, func(ctx context.Context, t *Thread, s *state) error {
		var err error
		if gone, err = c.lastTurn(ctx, *t); err != nil || len(gone) == 0 {
			return err
		}
		from := gone[0].Seq
		if err := c.config.Store.TruncateMessages(ctx, thread, from); err != nil {
			return err
		}
		s.Pins = slices.DeleteFunc(s.Pins, func(seq int64) bool { return seq >= from })
		if len(gone) == t.Messages && t.Title == titleOf(gone[0].Text) {
			t.Title = "" // the next first message names the thread
		}
		s.Turns--
		s.unhear(from)
		defer c.clear(thread)
		return errors.Join(c.forgetTurn(ctx, *t, from), c.forgetFrom(ctx, thread, from))
	})
	return gone, err
}

// lastTurn returns the newest message of the user and all behind it.
func (c *Chat) lastTurn(ctx context.Context, t Thread) ([]Message, error) {
	const page = 64
	for limit := page; ; limit *= 4 {
		recent, err := c.config.Store.Recent(ctx, t.ID, 0, limit)
		if err != nil {
			return nil, err
		}
		for i := len(recent) - 1; i >= 0; i-- {
			if recent[i].Role == transcript.User {
				return c.config.Store.Messages(ctx, t.ID, recent[i].Seq-1, len(recent)-i)
			}
		}
		if len(recent) < limit {
			return nil, nil
		}
	}
}
