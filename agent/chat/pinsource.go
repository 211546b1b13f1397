package chat

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/forayhq/foray/contextwindow/contextbuilder"
)

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
func (s *pinSource) Fill(
	_ context.Context, q contextbuilder.Query, b contextbuilder.Block,
) (contextbuilder.Block, error) {
	if text, ok := s.texts.Load(q.Thread); ok {
		b.Text, _ = text.(string)
	}
	return b, nil
}
