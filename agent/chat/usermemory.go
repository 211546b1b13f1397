package chat

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"

	"github.com/forayhq/foray/contextwindow/memory/longterm"
)

// ErrDisabled says that a [Chat] has no long-term memory.
var ErrDisabled = errors.New("the chat has no long-term memory")

// maxMatches is how many memories a search may return (longterm.Query).
const maxMatches = 10

// memories are the long-term memories of users, with what threads cache of them.
type memories struct {
	*longterm.Memories // nil: none
	store              Store
	settings           *settings
	log                *slog.Logger
}

func (m *memories) check(category longterm.Category) error {
	switch {
	case m.Memories == nil:
		return ErrDisabled
	case category != "" && !slices.Contains(longterm.Categories(), category):
		return fmt.Errorf("%w: unknown category %.40q; known: %q", ErrInvalid, category, longterm.Categories())
	}
	return nil
}

// refresh loads memories that other processes wrote. If that fails, it logs the error and keeps what is known.
func (m *memories) refresh(ctx context.Context) {
	if err := m.Refresh(ctx); err != nil && ctx.Err() == nil {
		m.log.Warn("cannot load the memories of other processes yet", "error", err)
	}
}

// invalidate drops the memories that a user's threads cache. Those it misses expire within a minute.
func (m *memories) invalidate(ctx context.Context, user string) {
	threads, err := m.store.Threads(ctx, user, 0, maxList)
	if err != nil {
		m.log.Warn("cached memories stay until they expire", "error", err)
		return
	}
	current, end := m.settings.use()
	defer end()
	for _, t := range threads {
		current.dropMemories(t.ID)
	}
}

// deleteFrom deletes the memories made of messages of a thread from one on.
func (m *memories) deleteFrom(ctx context.Context, t Thread, from int64) error {
	if m.Memories == nil {
		return nil
	}
	var ids []string
	for _, known := range m.List(t.User, "", true) {
		seq, err := strconv.ParseInt(known.Provenance.Message, 10, 64)
		if err == nil && known.Provenance.Thread == t.ID && seq >= from {
			ids = append(ids, known.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return m.Delete(ctx, ids...)
}
