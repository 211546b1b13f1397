package chat

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// ErrInvalid says that something was asked for in a way that cannot be: a bad id, an empty text, a number out of range.
var ErrInvalid = errors.New("bad request")

// The bounds of what a thread may be called, in bytes, and of how much is listed at once.
const (
	maxUser  = 256
	maxTitle = 1_024
	maxList  = 1_000
)

var threadID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// CheckThreadID returns an error for what is no id of a thread: a Store makes none of it.
func CheckThreadID(id string) error {
	if !threadID.MatchString(id) {
		return fmt.Errorf("%w: a thread's id is of 1 to 64 letters, digits, _, - and ., and begins with a letter or digit", ErrInvalid)
	}
	return nil
}

func checkText(name, text string, most int) error {
	switch {
	case len(text) > most:
		return fmt.Errorf("%w: %s has %d bytes, the most is %d", ErrInvalid, name, len(text), most)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return fmt.Errorf("%w: %s is not text in UTF-8", ErrInvalid, name)
	}
	return nil
}

// Create adds a thread: its ID, one that nobody can guess if it is "", its User and its Title. It returns ErrBad for those
// that cannot be, and ErrThreadExists.
func (c *Chat) Create(ctx context.Context, t Thread) (Thread, error) {
	if t.ID == "" {
		t.ID = strings.ToLower(rand.Text())
	}
	if err := errors.Join(CheckThreadID(t.ID), checkText("user", t.User, maxUser), checkText("title", t.Title, maxTitle)); err != nil {
		return Thread{}, err
	}
	now := c.config.Now()
	t = Thread{ID: t.ID, User: t.User, Title: t.Title, Created: now, Updated: now}
	ctx, end, err := c.begin(ctx)
	if err != nil {
		return Thread{}, err
	}
	defer end()
	if err := c.config.Store.CreateThread(ctx, t); err != nil {
		return Thread{}, fmt.Errorf("creating thread %s: %w", t.ID, err)
	}
	return t, nil
}

// Thread returns a thread: ErrNoThread if there is none.
func (c *Chat) Thread(ctx context.Context, id string) (Thread, error) {
	if err := CheckThreadID(id); err != nil {
		return Thread{}, err
	}
	t, err := c.config.Store.Thread(ctx, id)
	if err != nil {
		return Thread{}, fmt.Errorf("thread %s: %w", id, err)
	}
	return t, nil
}

// Threads returns threads of a user, of all users if it is "", the last updated first; at most limit of them, 1 to 1,000,
// after leaving out the first offset.
func (c *Chat) Threads(ctx context.Context, user string, offset, limit int) ([]Thread, error) {
	if limit < 1 || limit > maxList || offset < 0 {
		return nil, fmt.Errorf("%w: limit is from 1 to %d, offset from 0", ErrInvalid, maxList)
	}
	return c.config.Store.Threads(ctx, user, offset, limit)
}

// Messages returns the oldest messages of a thread that are newer than the one numbered after; at most limit of them, 1 to
// 1,000.
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

// Rename gives a thread another title.
func (c *Chat) Rename(ctx context.Context, thread, title string) (Thread, error) {
	if err := checkText("title", title, maxTitle); err != nil {
		return Thread{}, err
	}
	return c.change(ctx, thread, func(_ context.Context, t *Thread, _ *state) error {
		t.Title = title
		return nil
	})
}

// Delete removes a thread with its messages and its summary, for good, behind the turns that are under way. What memories
// have of it is their user's, and stays.
func (c *Chat) Delete(ctx context.Context, thread string) error {
	if err := CheckThreadID(thread); err != nil {
		return err
	}
	return c.alone(ctx, thread, func(ctx context.Context) error {
		defer c.clear(thread)
		_, err := c.config.Store.Thread(ctx, thread)
		if err == nil {
			err = c.summaries.Reset(ctx, thread) // ends one that is under way, which would come back
		}
		if err == nil {
			err = c.config.Store.DeleteThread(ctx, thread)
		}
		if err == nil {
			c.working.Forget(thread)
		}
		if err != nil {
			return fmt.Errorf("deleting thread %s: %w", thread, err)
		}
		return nil
	})
}
