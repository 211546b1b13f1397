package chat

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/memory/task"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// Create adds a thread with an ID, a User and a Title. An empty ID becomes a random one that cannot be guessed. The
// error is [ErrInvalid] or [ErrThreadExists].
func (c *Chat) Create(ctx context.Context, t Thread) (Thread, error) {
	if t.ID == "" {
		t.ID = strings.ToLower(rand.Text())
	}
	err := errors.Join(CheckThreadID(t.ID), checkText("user", t.User, maxUser), checkText("title", t.Title, maxTitle))
	if err != nil {
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
		return nil, fmt.Errorf("%w: limit must be from 1 to %d, offset at least 0", ErrInvalid, maxList)
	}
	return c.config.Store.Threads(ctx, user, offset, limit)
}

// Messages returns the oldest messages of a thread after the one numbered after, at most limit, 1 to 1,000.
func (c *Chat) Messages(ctx context.Context, thread string, after int64, limit int) ([]Message, error) {
	if limit < 1 || limit > maxList || after < 0 {
		return nil, fmt.Errorf("%w: limit must be from 1 to %d, after at least 0", ErrInvalid, maxList)
	}
	if err := CheckThreadID(thread); err != nil {
		return nil, err
	}
	ms, err := c.config.Store.Messages(ctx, thread, after, limit)
	if err != nil {
		return nil, ofThread(thread, err)
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
	err := c.threads.alone(ctx, thread, nil, func(ctx context.Context) error {
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
		return err
	})
	if err != nil {
		return fmt.Errorf("delete thread %s: %w", thread, err)
	}
	return nil
}

// Undo removes the last turn of a thread and returns its messages, the user's first; none if the thread is empty. The
// task becomes what it was before; this works for eight turns in a row. Memories made of the turn are deleted, and a
// summary that covers it is made again. What tools did outside the thread is not undone.
func (c *Chat) Undo(ctx context.Context, thread string) ([]Message, error) {
	var removed []Message
	_, err := c.threads.edit(ctx, thread, func(ctx context.Context, t *Thread, s *state) error {
		from, err := c.threads.lastTurn(ctx, *t)
		if err != nil || from == 0 {
			return err
		}
		gone, err := c.config.Store.Messages(ctx, thread, from-1, t.Messages)
		if err != nil {
			return err
		}
		s.Pins = slices.DeleteFunc(s.Pins, func(seq int64) bool { return seq >= from })
		if len(gone) == t.Messages && t.Title == titleOf(gone[0].Text) {
			t.Title = "" // the next first message names the thread
		}
		s.Runs = slices.DeleteFunc(s.Runs, func(r pastRun) bool { return r.Seq >= from })
		s.Turns--
		s.Open = false // the turn before may have been so, too: nobody knows
		s.removeFrom(from)
		if s.From >= from {
			s.From, s.Whole = 0, 0
		}
		if err := c.threads.seal(t, *s); err != nil {
			return err
		}
		if err := c.config.Store.TruncateMessages(ctx, *t, from); err != nil {
			return err
		}
		removed = gone
		defer c.settings.clear(thread)
		err = errors.Join(c.memories.deleteFrom(ctx, *t, from),
			resetSummaryFrom(ctx, c.config.Store, c.summaries, thread, from))
		if err != nil {
			return fmt.Errorf("the turn is removed, but what was made of it is not: %w", err)
		}
		return nil
	})
	return removed, err
}

// Branch adds a thread that holds the messages of another one up to, and not including, the one numbered before, with
// its user, title and agent. Messages are numbered anew from 1. Pins and the task stay behind. The error is
// [ErrNoThread], or [ErrInvalid] if no message has that number.
func (c *Chat) Branch(ctx context.Context, thread string, before int64) (Thread, error) {
	from, s, err := c.threads.read(ctx, thread)
	if err != nil {
		return Thread{}, err
	}
	kept, err := c.threads.before(ctx, thread, before)
	if err != nil {
		return Thread{}, err
	}
	branch, err := c.Create(ctx, Thread{User: from.User, Title: from.Title})
	if err != nil {
		return Thread{}, err
	}
	return c.threads.edit(ctx, branch.ID, func(ctx context.Context, t *Thread, _ *state) error {
		begun := state{Agent: s.Agent, Steps: s.Steps}
		for _, m := range kept {
			if m.Role == transcript.User {
				begun.Turns++
			}
		}
		if err := c.threads.seal(t, begun); err != nil {
			return err
		}
		added, err := c.config.Store.SaveThread(ctx, *t, kept...)
		if err == nil && len(added) > 0 {
			t.Messages, t.Last = len(added), added[len(added)-1].Seq
		}
		return err
	})
}

// before returns the messages of a thread before the one of a number, which must exist.
func (ts *threads) before(ctx context.Context, thread string, seq int64) ([]Message, error) {
	var kept []Message
	for after := int64(0); ; {
		page, err := ts.store.Messages(ctx, thread, after, countPage)
		if err != nil {
			return nil, err
		}
		for _, m := range page {
			if m.Seq == seq {
				return kept, nil
			}
			after, m.Seq = m.Seq, 0
			kept = append(kept, m)
		}
		if len(page) < countPage {
			return nil, fmt.Errorf("%w: thread %s has no message %d", ErrInvalid, thread, seq)
		}
	}
}

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
			return fmt.Errorf("%w: %d messages are pinned already, the limit", ErrInvalid, maxPins)
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

// Task returns the active task of a thread. Without a Status, the thread has none.
func (c *Chat) Task(ctx context.Context, thread string) (task.Active, error) {
	_, s, err := c.threads.read(ctx, thread)
	return s.Task, err
}

// taskStatuses are the statuses that a task can be given.
var taskStatuses = []task.Status{task.InProgress, task.Waiting, task.Done, task.Dropped}

// SetTask sets the status of a thread's task. The error is [ErrInvalid] if the status is unknown or the thread has no
// task.
func (c *Chat) SetTask(ctx context.Context, thread string, status task.Status) error {
	_, err := c.threads.change(ctx, thread, func(_ context.Context, _ *Thread, s *state) error {
		if !slices.Contains(taskStatuses, status) {
			return fmt.Errorf("%w: unknown status %.20q; known: %v", ErrInvalid, status, taskStatuses)
		}
		if s.Task.Status == "" {
			return fmt.Errorf("%w: the thread has no task", ErrInvalid)
		}
		s.Task.Status = status
		return nil
	})
	return err
}
