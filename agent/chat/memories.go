package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/forayhq/foray/contextwindow/memory/longterm"
)

// Memories returns the current memories of a user, newest first; of all categories if category is "". It returns at
// most limit, 1 to 1,000. The error is [ErrDisabled] or [ErrInvalid].
func (c *Chat) Memories(user string, category longterm.Category, limit int) ([]longterm.Memory, error) {
	if err := c.memories.check(category); err != nil {
		return nil, err
	}
	if limit < 1 || limit > maxList {
		return nil, fmt.Errorf("%w: limit is from 1 to %d", ErrInvalid, maxList)
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
		return nil, fmt.Errorf("%w: limit is from 0 to %d, the similarity at most 1", ErrInvalid, maxMatches)
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
