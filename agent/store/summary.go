package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/contextwindow/memory/summary"
)

// LoadSummary implements [summary.Store].
func (s *Store) LoadSummary(ctx context.Context, thread string) (summary.Thread, error) {
	return get(ctx, s.db, "reading a summary", func(tx *sql.Tx) (summary.Thread, error) {
		t, err := find(tx, thread)
		if errors.Is(err, chat.ErrNoThread) {
			return summary.Thread{}, nil
		}
		if err != nil {
			return summary.Thread{}, err
		}
		return summaryOf(tx, t)
	})
}

// summaryOf returns the summary of a thread, or the zero one.
func summaryOf(tx *sql.Tx, t threadRow) (summary.Thread, error) {
	var found summary.Thread
	var updated, stored int64
	err := tx.QueryRow(`SELECT text, last, messages, extractive, updated, sum FROM summaries WHERE thread = ?`, t.key).
		Scan(&found.Text, &found.Last, &found.Messages, &found.Extractive, &updated, &stored)
	if errors.Is(err, sql.ErrNoRows) {
		return summary.Thread{}, nil
	}
	if err != nil {
		return summary.Thread{}, err
	}
	found.Updated = timeOf(updated)
	if err := sumOfSummary(t.key, updated, found).check(stored, "summary of thread %q", t.ID); err != nil {
		return summary.Thread{}, err
	}
	return found, nil
}

func sumOfSummary(thread, updated int64, s summary.Thread) sum {
	extractive := int64(0)
	if s.Extractive {
		extractive = 1
	}
	return newSum().text(s.Text).num(thread, s.Last, int64(s.Messages), extractive, updated)
}

// SaveSummary implements [summary.Store]. It also returns [summary.ErrConflict] if the last message that the summary
// covers was deleted, and [chat.ErrNoThread] without the thread.
func (s *Store) SaveSummary(ctx context.Context, thread string, last int64, sum summary.Thread) error {
	doing := "saving a summary"
	if err := checkSize("summary", len(sum.Text), maxRecord); err != nil {
		return s.explain(doing, err)
	}
	return s.write(ctx, doing, func(tx *sql.Tx) error {
		t, err := find(tx, thread)
		if err != nil {
			return err
		}
		old, err := summaryOf(tx, t)
		if err != nil {
			return err
		}
		if old.Last != last {
			return fmt.Errorf("%w: it covers %d messages up to %d, not %d", summary.ErrConflict, old.Messages, old.Last, last)
		}
		return putSummary(tx, t, sum)
	})
}

func putSummary(tx *sql.Tx, t threadRow, sum summary.Thread) error {
	updated, err := nanosOf("time of the summary", sum.Updated)
	if err != nil {
		return err
	}
	var exists bool
	err = tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM messages WHERE thread = ? AND seq = ?)`, t.key, sum.Last).Scan(&exists)
	if err != nil {
		return err
	}
	if !exists {
		return fmt.Errorf("%w: message %d, the last that it covers, is not in the thread", summary.ErrConflict, sum.Last)
	}
	_, err = tx.Exec(`REPLACE INTO summaries (thread, text, last, messages, extractive, updated, sum)
		VALUES (?, ?, ?, ?, ?, ?, ?)`,
		t.key, sum.Text, sum.Last, sum.Messages, sum.Extractive, updated, sumOfSummary(t.key, updated, sum).value())
	return err
}

// DeleteSummary implements [summary.Store].
func (s *Store) DeleteSummary(ctx context.Context, thread string) error {
	return s.write(ctx, "deleting a summary", func(tx *sql.Tx) error {
		_, err := tx.Exec(`DELETE FROM summaries WHERE thread = (SELECT key FROM threads WHERE id = ?)`, thread)
		return err
	})
}
