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

// Pin keeps a message of a thread in every request from the next turn on. The error is ErrBad if there is no such message
// or eight are pinned.
func (c *Chat) Pin(ctx context.Context, thread string, seq int64) error {
	_, err := c.change(ctx, thread, func(ctx context.Context, t *Thread, s *state) error {
		at, pinned := slices.BinarySearch(s.Pins, seq)
		if pinned {
			return nil
		}
		if len(s.Pins) >= maxPins {
			return fmt.Errorf("%w: %d messages are pinned, and more cannot be", ErrInvalid, maxPins)
		}
		ms, err := c.config.Store.Messages(ctx, thread, seq-1, 1)
		if err != nil {
			return err
		}
		if len(ms) == 0 || ms[0].Seq != seq || ms[0].Text == "" {
			return fmt.Errorf("%w: there is no message %d with a text", ErrInvalid, seq)
		}
		s.Pins = slices.Insert(s.Pins, at, seq)
		return nil
	})
	return err
}

// Unpin lets messages of a thread go again; without a number, all that are pinned.
func (c *Chat) Unpin(ctx context.Context, thread string, seqs ...int64) error {
	_, err := c.change(ctx, thread, func(_ context.Context, _ *Thread, s *state) error {
		s.Pins = slices.DeleteFunc(s.Pins, func(seq int64) bool { return len(seqs) == 0 || slices.Contains(seqs, seq) })
		return nil
	})
	return err
}

// Pins returns the messages of a thread that are pinned, the oldest first.
func (c *Chat) Pins(ctx context.Context, thread string) ([]Message, error) {
	t, err := c.Thread(ctx, thread)
	if err != nil {
		return nil, err
	}
	s, err := t.state()
	if err != nil {
		return nil, err
	}
	return c.pinned(ctx, thread, s)
}

// pinned returns the messages that are pinned and still there.
func (c *Chat) pinned(ctx context.Context, thread string, s state) ([]Message, error) {
	var pinned []Message
	for _, seq := range s.Pins {
		ms, err := c.config.Store.Messages(ctx, thread, seq-1, 1)
		if err != nil {
			return nil, fmt.Errorf("thread %s: %w", thread, err)
		}
		if len(ms) == 1 && ms[0].Seq == seq {
			pinned = append(pinned, ms[0])
		}
	}
	return pinned, nil
}

// TypePinnedMessages is the type of the block that holds the messages of a thread that are pinned.
const TypePinnedMessages = "pinned_messages"

// A pinSource is the source of the blocks of pinned messages of threads for which something is under way.
type pinSource struct{ threads sync.Map } // of texts by thread

// show has the source give a thread's pinned messages until the function that it returns is called.
func (s *pinSource) show(thread string, pinned []Message) func() {
	if len(pinned) == 0 {
		return func() {}
	}
	var b strings.Builder
	b.WriteString("Messages of this conversation that the user has pinned:\n")
	for _, m := range pinned {
		fmt.Fprintf(&b, "[%d] %s: %s\n", m.Seq, m.Role, m.Text)
	}
	s.threads.Store(thread, b.String())
	return func() { s.threads.Delete(thread) }
}

// Describe returns the block of a thread that has pinned messages.
func (s *pinSource) Describe(q contextbuilder.Query) (contextbuilder.Block, bool) {
	_, ok := s.threads.Load(q.Thread)
	return contextbuilder.Block{Type: TypePinnedMessages, Priority: contextbuilder.P0, Value: 2}, ok
}

// Fill returns the block with its text.
func (s *pinSource) Fill(_ context.Context, q contextbuilder.Query, b contextbuilder.Block) (contextbuilder.Block, error) {
	if text, ok := s.threads.Load(q.Thread); ok {
		b.Text, _ = text.(string)
	}
	return b, nil
}
