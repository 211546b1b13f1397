package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/forayhq/foray/contextwindow/contextbuilder"
)

// maxPins is how many messages of a thread may be pinned.
const maxPins = 8

// Pin keeps a message of a thread in every request from the next turn on. The error is [ErrInvalid] if the message does
// not exist or eight are pinned.
func (c *Chat) Pin(ctx context.Context, thread string, seq int64) error {
	_, err := c.threads.change(ctx, thread, func(ctx context.Context, _ *Thread, s *state) error {
		at, pinned := slices.BinarySearch(s.Pins, seq)
		if pinned {
			return nil
		}
		if len(s.Pins) >= maxPins {
			return fmt.Errorf("%w: %d messages are pinned already, which is the limit", ErrInvalid, maxPins)
		}
		ms, err := c.config.Store.Messages(ctx, thread, seq-1, 1)
		if err != nil {
			return err
		}
		if len(ms) == 0 || ms[0].Seq != seq || ms[0].Text == "" {
			return fmt.Errorf("%w: no message %d with a text", ErrInvalid, seq)
		}
		s.Pins = slices.Insert(s.Pins, at, seq)
		return nil
	})
	return err
}

// Unpin releases messages of a thread; without a number, all of them.
func (c *Chat) Unpin(ctx context.Context, thread string, seqs ...int64) error {
	_, err := c.threads.change(ctx, thread, func(_ context.Context, _ *Thread, s *state) error {
		s.Pins = slices.DeleteFunc(s.Pins, func(seq int64) bool { return len(seqs) == 0 || slices.Contains(seqs, seq) })
		return nil
	})
	return err
}

// Pins returns the pinned messages of a thread, oldest first.
func (c *Chat) Pins(ctx context.Context, thread string) ([]Message, error) {
	_, s, err := c.threads.read(ctx, thread)
	if err != nil {
		return nil, err
	}
	return c.threads.pinned(ctx, thread, s)
}

// typePinnedMessages is the type of the block that holds pinned messages.
const typePinnedMessages = "pinned_messages"

// A pinSource is a [contextbuilder.Source] of the pinned messages of threads with a turn in progress.
type pinSource struct{ texts sync.Map } // by thread

// show makes the block of a thread available until the returned function is called.
func (s *pinSource) show(thread string, pinned []Message) (hide func()) {
	if len(pinned) == 0 {
		return func() {}
	}
	var b strings.Builder
	b.WriteString("Messages of this conversation that the user has pinned:\n")
	for _, m := range pinned {
		fmt.Fprintf(&b, "[%d] %s: %s\n", m.Seq, m.Role, m.Text)
	}
	s.texts.Store(thread, b.String())
	return func() { s.texts.Delete(thread) }
}

// Describe returns the block of a thread with pinned messages.
func (s *pinSource) Describe(q contextbuilder.Query) (contextbuilder.Block, bool) {
	_, ok := s.texts.Load(q.Thread)
	return contextbuilder.Block{Type: typePinnedMessages, Priority: contextbuilder.P0, Value: 2}, ok
}

// Fill returns the block with its text.
func (s *pinSource) Fill(_ context.Context, q contextbuilder.Query, b contextbuilder.Block) (contextbuilder.Block, error) {
	if text, ok := s.texts.Load(q.Thread); ok {
		b.Text, _ = text.(string)
	}
	return b, nil
}
