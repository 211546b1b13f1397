package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
)

// ErrDisabled says that a Chat was made without what is asked for.
var ErrDisabled = errors.New("the chat has no long-term memory")

// Memories returns the memories of a user that are not superseded, the latest first; of one category, or of all if it is
// "". At most limit of them, 1 to 1,000. The error is ErrOff if the Chat has no long-term memory, or ErrBad.
func (c *Chat) Memories(user string, category longterm.Category, limit int) ([]longterm.Memory, error) {
	if err := c.checkMemory(category); err != nil {
		return nil, err
	}
	if limit < 1 || limit > maxList {
		return nil, fmt.Errorf("%w: limit is from 1 to %d", ErrInvalid, maxList)
	}
	c.refresh(context.Background())
	found := c.config.Memory.List(user, category, false)
	slices.Reverse(found)
	return found[:min(len(found), limit)], nil
}

func (c *Chat) checkMemory(category longterm.Category) error {
	switch {
	case c.config.Memory == nil:
		return ErrDisabled
	case category != "" && !slices.Contains(longterm.Categories(), category):
		return fmt.Errorf("%w: there is no category %.40q; there are %q", ErrInvalid, category, longterm.Categories())
	}
	return nil
}

// SearchMemories returns the memories of a user that a text is about, the best first. The error is ErrOff if the Chat has
// no long-term memory, or ErrBad.
func (c *Chat) SearchMemories(ctx context.Context, q longterm.Query) ([]longterm.Match, error) {
	if err := c.checkMemory(q.Category); err != nil {
		return nil, err
	}
	if q.Limit < 0 || q.Limit > mostMatches || !(q.MinSimilarity <= 1) {
		return nil, fmt.Errorf("%w: limit is from 1 to %d, similarity at most 1", ErrInvalid, mostMatches)
	}
	q.At = c.config.Now()
	c.refresh(ctx)
	return c.config.Memory.Search(ctx, q)
}

// refresh takes in what other processes have written of memories. What cannot be read is in the log, and what is known
// stands.
func (c *Chat) refresh(ctx context.Context) {
	if err := c.config.Memory.Refresh(ctx); err != nil && ctx.Err() == nil {
		c.config.Log.Warn("memories that other processes wrote are not known yet", "error", err)
	}
}

// mostMatches is how many memories a search may give (longterm.Query).
const mostMatches = 10

// Remember saves a memory and returns it as it is kept; one without a category is a fact. What conversations of its user
// have cached of memories is dropped. The error is ErrOff if the Chat has no long-term memory, ErrBad, or the store's.
func (c *Chat) Remember(ctx context.Context, m longterm.Memory) (longterm.Memory, error) {
	if m.Category == "" {
		m.Category = longterm.Fact
	}
	if err := errors.Join(c.checkMemory(m.Category), checkText("user", m.User, maxUser)); err != nil {
		return longterm.Memory{}, err
	}
	checked := m
	if checked.Importance == 0 {
		checked.Importance = 1
	}
	if err := checked.Check(); err != nil {
		return longterm.Memory{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	ctx, end, err := c.begin(ctx)
	if err != nil {
		return longterm.Memory{}, err
	}
	defer end()
	if m, err = c.config.Memory.Save(ctx, m, c.config.Now()); err != nil {
		return longterm.Memory{}, err
	}
	c.remembered(ctx, m.User)
	return m, nil
}

// Forget deletes memories, for good. The error is ErrOff if the Chat has no long-term memory, longterm.ErrNotFound if one of
// them is not there, and nothing is deleted then, or the store's.
func (c *Chat) Forget(ctx context.Context, ids ...string) error {
	if err := c.checkMemory(""); err != nil {
		return err
	}
	ctx, end, err := c.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	users := make(map[string]bool)
	c.refresh(ctx)
	for _, id := range ids {
		m, err := c.config.Memory.Get(id)
		if err != nil {
			return err
		}
		users[m.User] = true
	}
	if err := c.config.Memory.Delete(ctx, ids...); err != nil {
		return err
	}
	for user := range users {
		c.remembered(ctx, user)
	}
	return nil
}

// memoryBlocks are the types of blocks that memories are in.
var memoryBlocks = []string{contextbuilder.TypeUserMemory, contextbuilder.TypeMemories}

// remembered drops what the conversations of a user have cached of memories. What cannot be dropped expires in a minute.
func (c *Chat) remembered(ctx context.Context, user string) {
	threads, err := c.config.Store.Threads(ctx, user, 0, maxList)
	if err != nil {
		c.config.Log.Warn("memories that are cached stay until they expire", "error", err)
		return
	}
	setup, end := c.use()
	defer end()
	for _, t := range threads {
		for _, block := range memoryBlocks {
			setup.builder.Invalidate(t.ID, block)
		}
	}
}

// messageID is a message as a memory names it.
func messageID(seq int64) string { return strconv.FormatInt(seq, 10) }

// freshen takes in what other processes have written of memories, and drops what the thread has cached of them if any has
// changed since its last turn.
func (t *turn) freshen(ctx context.Context) {
	l := t.config.Memory
	if l == nil {
		return
	}
	if err := l.Refresh(ctx); err != nil && ctx.Err() == nil {
		t.warn("memories that other processes wrote are not known yet: " + err.Error())
	}
	version := l.Version()
	if version == t.state.Known {
		return
	}
	t.state.Known = version
	for _, block := range memoryBlocks {
		t.setup.builder.Invalidate(t.out.Thread, block)
	}
}

// forgetTurn deletes the memories that were made of messages of a thread from one on.
func (c *Chat) forgetTurn(ctx context.Context, t Thread, from int64) error {
	if c.config.Memory == nil {
		return nil
	}
	var ids []string
	for _, m := range c.config.Memory.List(t.User, "", true) {
		seq, err := strconv.ParseInt(m.Provenance.Message, 10, 64)
		if err == nil && m.Provenance.Thread == t.ID && seq >= from {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return c.config.Memory.Delete(ctx, ids...)
}

// BuilderMemories returns a LongTerm as a builder asks it: for a contextbuilder.Config of one's own. That of a Chat has it
// by itself.
func BuilderMemories(l *longterm.Memories) contextbuilder.Memories { return known{l} }

// known is a LongTerm as a builder asks it.
type known struct{ *longterm.Memories }

// Search returns the memories nearest to a question.
func (k known) Search(ctx context.Context, q contextbuilder.MemoryQuery) ([]contextbuilder.Memory, error) {
	asked := longterm.Query{User: q.User, Text: q.Text, Category: longterm.Category(q.Category), Limit: q.Limit, MinSimilarity: q.MinSimilarity}
	found, err := k.Memories.Search(ctx, asked)
	if err != nil {
		return nil, err
	}
	all := make([]contextbuilder.Memory, len(found))
	for i, m := range found {
		all[i] = toldMemory(m.Memory)
		all[i].Similarity = m.Similarity
	}
	return all, nil
}

// Top returns the most important memories of a user.
func (k known) Top(_ context.Context, user string, limit int) ([]contextbuilder.Memory, error) {
	found := k.Memories.Top(user, limit)
	all := make([]contextbuilder.Memory, len(found))
	for i, m := range found {
		all[i] = toldMemory(m)
	}
	return all, nil
}

func toldMemory(m longterm.Memory) contextbuilder.Memory {
	told := contextbuilder.Memory{ID: m.ID, Text: m.Content, Category: string(m.Category), Importance: m.Importance}
	if m.Provenance.Thread != "" {
		told.Source = "thread " + m.Provenance.Thread
	}
	return told
}
