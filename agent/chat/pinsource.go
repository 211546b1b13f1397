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
type pinSource struct{ sync.Map } // []Message by thread

// Describe returns the block of a thread with pinned messages.
func (s *pinSource) Describe(q contextbuilder.Query) (contextbuilder.Block, bool) {
	b := contextbuilder.Block{Type: typePinnedMessages, Priority: contextbuilder.P0, Value: 2}
	return b, len(s.pinned(q.Thread)) > 0
}

// Fill lists the messages.
func (s *pinSource) Fill(
	_ context.Context, q contextbuilder.Query, b contextbuilder.Block,
) (contextbuilder.Block, error) {
	var text strings.Builder
	text.WriteString("Messages of this conversation that the user has pinned:\n")
	for _, m := range s.pinned(q.Thread) {
		fmt.Fprintf(&text, "[%d] %s: %s\n", m.Seq, m.Role, m.Text)
	}
	b.Text = text.String()
	return b, nil
}

func (s *pinSource) pinned(thread string) []Message {
	found, _ := s.Load(thread)
	pinned, _ := found.([]Message)
	return pinned
}
