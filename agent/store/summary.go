package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/contextwindow/memory"
)

// LoadSummary returns the summary of a thread; the zero Summary if there is none.
func (s *Store) LoadSummary(ctx context.Context, thread string) (sum memory.Summary, err error) {
	err = s.read(ctx, "reading a summary", func(tx *sql.Tx) error {
		t, err := find(tx, thread)
		if errors.Is(err, chat.ErrNoThread) {
			return nil
		}
		if err != nil {
			return err
		}
		sum, err = summaryOf(tx, t)
		return err
	})
	return sum, err
}

// summaryOf returns the summary of a thread, or the zero one.
func summaryOf(tx *sql.Tx, t threadRow) (memory.Summary, error) {
	var found memory.Summary
	var updated, stored int64
	err := tx.QueryRow(`SELECT text, last, messages, extractive, updated, sum FROM summaries WHERE thread = ?`, t.key).
		Scan(&found.Text, &found.Last, &found.Messages, &found.Extractive, &updated, &stored)
	if errors.Is(err, sql.ErrNoRows) {
		return memory.Summary{}, nil
	}
	if err != nil {
		return memory.Summary{}, err
	}
	found.Updated = timeOf(updated)
	if err := sumOfSummary(t.key, updated, found).check(stored, "summary of thread %q", t.ID); err != nil {
		return memory.Summary{}, err
	}
	return found, nil
}

func sumOfSummary(thread, updated int64, s memory.Summary) sum {
	extractive := int64(0)
	if s.Extractive {
		extractive = 1
	}
	return newSum().text(s.Text).num(thread, s.Last, int64(s.Messages), extractive, updated)
}

// SaveSummary replaces the summary of a thread if the one that is there covers messages up to last, 0 if there must be
// none, and if the last message that the new one covers is still there; otherwise it changes nothing and returns
// memory.ErrChanged. It returns chat.ErrNoThread if there is no such thread.
func (s *Store) SaveSummary(ctx context.Context, thread string, last int64, sum memory.Summary) error {
	doing := "saving a summary"
	if err := checkSize("summary", len(sum.Text), MaxRecord); err != nil {
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
			return fmt.Errorf("%w: it covers %d messages up to %d, not %d", memory.ErrChanged, old.Messages, old.Last, last)
		}
		return putSummary(tx, t, sum)
	})
}

func putSummary(tx *sql.Tx, t threadRow, sum memory.Summary) error {
	updated, err := nanosOf("time of the summary", sum.Updated)
	if err != nil {
		return err
	}
	var there bool
	err = tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM messages WHERE thread = ? AND seq = ?)`, t.key, sum.Last).Scan(&there)
	if err != nil {
		return err
	}
	if !there {
		return fmt.Errorf("%w: message %d, the last that it covers, is not in the thread", memory.ErrChanged, sum.Last)
	}
	_, err = tx.Exec(`REPLACE INTO summaries (thread, text, last, messages, extractive, updated, sum) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		t.key, sum.Text, sum.Last, sum.Messages, sum.Extractive, updated, sumOfSummary(t.key, updated, sum).value())
	return err
}

// DeleteSummary removes the summary of a thread. It is no error if there is none.
func (s *Store) DeleteSummary(ctx context.Context, thread string) error {
	return s.write(ctx, "deleting a summary", func(tx *sql.Tx) error {
		_, err := tx.Exec(`DELETE FROM summaries WHERE thread = (SELECT key FROM threads WHERE id = ?)`, thread)
		return err
	})
}
