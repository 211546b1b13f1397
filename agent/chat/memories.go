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

// Memories returns the current memories of a user, newest first; of all categories if category is "". It returns at
// most limit, 1 to 1,000. The error is [ErrDisabled] or [ErrInvalid].
func (c *Chat) Memories(user string, category longterm.Category, limit int) ([]longterm.Memory, error) {
	if err := c.memories.check(category); err != nil {
		return nil, err
	}
	if limit < 1 || limit > maxList {
		return nil, fmt.Errorf("%w: limit must be from 1 to %d", ErrInvalid, maxList)
	}
	c.memories.refresh(context.Background())
	found := c.memories.List(user, category, false)
	slices.Reverse(found)
	return found[:min(len(found), limit)], nil
}

// SearchMemories returns the memories of a user that are relevant to a text, best first. The error is [ErrDisabled] or
// [ErrInvalid].
func (c *Chat) SearchMemories(ctx context.Context, q longterm.Query) ([]longterm.Match, error) {
	if err := c.memories.check(q.Category); err != nil {
		return nil, err
	}
	if q.Limit < 0 || q.Limit > maxMatches || !(q.MinSimilarity <= 1) {
		return nil, fmt.Errorf("%w: limit must be from 0 to %d, the similarity at most 1", ErrInvalid, maxMatches)
	}
	q.At = c.config.Now()
	c.memories.refresh(ctx)
	return c.memories.Search(ctx, q)
}

// Remember saves a memory and returns it. The default category is fact. The error is [ErrDisabled], [ErrInvalid] or
// that of the store.
func (c *Chat) Remember(ctx context.Context, m longterm.Memory) (longterm.Memory, error) {
	if m.Category == "" {
		m.Category = longterm.Fact
	}
	if err := errors.Join(c.memories.check(m.Category), checkText("user", m.User, maxUser)); err != nil {
		return longterm.Memory{}, err
	}
	checked := m
	if checked.Importance == 0 {
		checked.Importance = 1
	}
	if err := checked.Check(); err != nil {
		return longterm.Memory{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	ctx, end, err := c.life.begin(ctx)
	if err != nil {
		return longterm.Memory{}, err
	}
	defer end()
	if m, err = c.memories.Save(ctx, m, c.config.Now()); err != nil {
		return longterm.Memory{}, err
	}
	c.memories.invalidate(ctx, m.User)
	return m, nil
}

// Forget deletes memories for good. If one of them does not exist, it deletes none and returns [longterm.ErrNotFound].
// Other errors are [ErrDisabled] and those of the store.
func (c *Chat) Forget(ctx context.Context, ids ...string) error {
	if err := c.memories.check(""); err != nil {
		return err
	}
	ctx, end, err := c.life.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	users := make(map[string]bool)
	c.memories.refresh(ctx)
	for _, id := range ids {
		m, err := c.memories.Get(id)
		if err != nil {
			return err
		}
		users[m.User] = true
	}
	if err := c.memories.Delete(ctx, ids...); err != nil {
		return err
	}
	for user := range users {
		c.memories.invalidate(ctx, user)
	}
	return nil
}

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
