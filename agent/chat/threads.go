package chat

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// ErrInvalid says that an argument is invalid: a malformed id, an empty text, a number out of range.
var ErrInvalid = errors.New("bad request")

// Limits of names, in bytes, and of lists.
const (
	maxUser  = 256
	maxTitle = 1_024
	maxList  = 1_000
)

var threadID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// CheckThreadID returns an error for an invalid thread id. A [Store] refuses those.
func CheckThreadID(id string) error {
	if !threadID.MatchString(id) {
		return fmt.Errorf("%w: a thread id is 1 to 64 letters, digits, _, - and ., and starts with a letter or digit", ErrInvalid)
	}
	return nil
}

func checkText(name, text string, limit int) error {
	switch {
	case len(text) > limit:
		return fmt.Errorf("%w: %s has %d bytes, the limit is %d", ErrInvalid, name, len(text), limit)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return fmt.Errorf("%w: %s is not UTF-8 text", ErrInvalid, name)
	}
	return nil
}

// Create adds a thread with an ID, a User and a Title. An empty ID becomes a random one that cannot be guessed. The error
// is [ErrInvalid] or [ErrThreadExists].
func (c *Chat) Create(ctx context.Context, t Thread) (Thread, error) {
	if t.ID == "" {
		t.ID = strings.ToLower(rand.Text())
	}
	if err := errors.Join(CheckThreadID(t.ID), checkText("user", t.User, maxUser), checkText("title", t.Title, maxTitle)); err != nil {
		return Thread{}, err
	}
	now := c.config.Now()
	t = Thread{ID: t.ID, User: t.User, Title: t.Title, Created: now, Updated: now}
	ctx, end, err := c.life.begin(ctx)
	if err != nil {
		return Thread{}, err
	}
	defer end()
	if err := c.config.Store.CreateThread(ctx, t); err != nil {
		return Thread{}, fmt.Errorf("create thread %s: %w", t.ID, err)
	}
	return t, nil
}

// Thread returns a thread, or [ErrNoThread].
func (c *Chat) Thread(ctx context.Context, id string) (Thread, error) {
	t, _, err := c.threads.read(ctx, id)
	return t, err
}

// Threads returns the threads of a user, or of all users if it is "", last updated first. It skips offset threads and
// returns at most limit, 1 to 1,000.
func (c *Chat) Threads(ctx context.Context, user string, offset, limit int) ([]Thread, error) {
	if limit < 1 || limit > maxList || offset < 0 {
		return nil, fmt.Errorf("%w: limit is from 1 to %d, offset from 0", ErrInvalid, maxList)
	}
	return c.config.Store.Threads(ctx, user, offset, limit)
}

// Messages returns the oldest messages of a thread after the one numbered after, at most limit, 1 to 1,000.
func (c *Chat) Messages(ctx context.Context, thread string, after int64, limit int) ([]Message, error) {
	if limit < 1 || limit > maxList || after < 0 {
		return nil, fmt.Errorf("%w: limit is from 1 to %d, after from 0", ErrInvalid, maxList)
	}
	if err := CheckThreadID(thread); err != nil {
		return nil, err
	}
	ms, err := c.config.Store.Messages(ctx, thread, after, limit)
	if err != nil {
		return nil, fmt.Errorf("thread %s: %w", thread, err)
	}
	return ms, nil
}

// Rename changes the title of a thread.
func (c *Chat) Rename(ctx context.Context, thread, title string) (Thread, error) {
	if err := checkText("title", title, maxTitle); err != nil {
		return Thread{}, err
	}
	return c.threads.change(ctx, thread, func(_ context.Context, t *Thread, _ *state) error {
		t.Title = title
		return nil
	})
}

// Delete removes a thread with its messages and its summary, after the turns in progress. Memories made of it belong to
// its user and stay.
func (c *Chat) Delete(ctx context.Context, thread string) error {
	if err := CheckThreadID(thread); err != nil {
		return err
	}
	return c.threads.alone(ctx, thread, func(ctx context.Context) error {
		defer c.settings.clear(thread)
		_, err := c.config.Store.Thread(ctx, thread)
		if err == nil {
			err = c.summaries.Reset(ctx, thread) // one in progress would come back
		}
		if err == nil {
			err = c.config.Store.DeleteThread(ctx, thread)
		}
		if err == nil {
			c.working.Forget(thread)
		}
		if err != nil {
			return fmt.Errorf("delete thread %s: %w", thread, err)
		}
		return nil
	})
}

// Undo removes the last turn of a thread and returns its messages, the user's first; none if the thread is empty. The task
// becomes what it was before; this works for eight turns in a row. Memories made of the turn are deleted, and a summary
// that covers it is made again. What tools did outside the thread is not undone.
func (c *Chat) Undo(ctx context.Context, thread string) ([]Message, error) {
	var removed []Message
	_, err := c.threads.change(ctx, thread, func(ctx context.Context, t *Thread, s *state) error {
		var err error
		if removed, err = c.threads.lastTurn(ctx, *t); err != nil || len(removed) == 0 {
			return err
		}
		from := removed[0].Seq
		if err := c.config.Store.TruncateMessages(ctx, thread, from); err != nil {
			return err
		}
		s.Pins = slices.DeleteFunc(s.Pins, func(seq int64) bool { return seq >= from })
		if len(removed) == t.Messages && t.Title == titleOf(removed[0].Text) {
			t.Title = "" // the next first message names the thread
		}
		s.Turns--
		s.unhear(from)
		defer c.settings.clear(thread)
		return errors.Join(c.memories.deleteFrom(ctx, *t, from), c.resetSummaryFrom(ctx, thread, from))
	})
	return removed, err
}
