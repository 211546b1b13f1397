package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/memory/summary"
)

const messageColumns = `seq, time, partial, images, data, sum`

// A messageRow is a message as it is stored.
type messageRow struct {
	thread  int64 // key
	seq     int64
	time    int64
	partial bool
	images  int64
	data    []byte
}

func (r *messageRow) sum() sum {
	partial := int64(0)
	if r.partial {
		partial = 1
	}
	return newSum().num(r.thread, r.seq, r.time, partial, r.images).bytes(r.data)
}

// messageRowsOf checks a caller's messages and converts them. Bytes that are not UTF-8 survive in a message's text;
// elsewhere they become U+FFFD.
func messageRowsOf(ms []chat.Message) ([]messageRow, error) {
	rows := make([]messageRow, len(ms))
	for i, m := range ms {
		if err := checkSize("message", len(m.Text), maxRecord); err != nil {
			return nil, err // before it is copied
		}
		data, err := json.Marshal(m.Message)
		if err != nil {
			return nil, fmt.Errorf("%w: message %d: %w", ErrInvalid, i+1, err)
		}
		at, err := nanosOf("time of the message", m.Time)
		if err := errors.Join(err, checkSize("message", len(data), maxRecord)); err != nil {
			return nil, err
		}
		rows[i] = messageRow{seq: m.Seq, time: at, partial: m.Partial, images: int64(len(m.Images)), data: data}
	}
	return rows, nil
}

func (r *messageRow) add(tx *sql.Tx) error {
	_, err := tx.Exec(`INSERT INTO messages (thread, seq, time, partial, images, data, sum) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		r.thread, r.seq, r.time, r.partial, r.images, r.data, r.sum().value())
	return err
}

// scanMessage returns a func that reads the messages of a thread.
func scanMessage(thread threadRow) func(row) (chat.Message, error) {
	return func(from row) (m chat.Message, err error) {
		r := messageRow{thread: thread.key}
		var stored int64
		if err := from.Scan(&r.seq, &r.time, &r.partial, &r.images, &r.data, &stored); err != nil {
			return m, err
		}
		if err := r.sum().check(stored, "message %d of thread %q", r.seq, thread.ID); err != nil {
			return m, err
		}
		m = chat.Message{Seq: r.seq, Time: timeOf(r.time), Partial: r.partial}
		return m, json.Unmarshal(r.data, &m.Message)
	}
}

// SaveThread implements [chat.Store]. It returns [ErrTooLarge] for a message over 32 MiB.
func (s *Store) SaveThread(ctx context.Context, t chat.Thread, ms ...chat.Message) ([]chat.Message, error) {
	doing := "saving a thread"
	rows, err := messageRowsOf(ms)
	if err != nil {
		return nil, s.explain(doing, err)
	}
	added := slices.Clone(ms)
	err = s.replace(ctx, doing, t, func(tx *sql.Tx, r *threadRow) error {
		for i := range rows {
			m := &rows[i]
			r.maxSeq++
			r.Messages++
			m.thread, m.seq, added[i].Seq = r.key, r.maxSeq, r.maxSeq
			r.Last = m.seq
			if err := m.add(tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return added, nil
}

// Messages implements [chat.Store].
func (s *Store) Messages(ctx context.Context, thread string, after int64, limit int) ([]chat.Message, error) {
	return s.messages(ctx, thread, `seq > ? ORDER BY seq`, after, limit)
}

// messages returns up to limit messages of a thread that satisfy an SQL condition with the parameter seq.
func (s *Store) messages(ctx context.Context, thread, where string, seq int64, limit int) ([]chat.Message, error) {
	return get(ctx, s.db, "reading messages", func(tx *sql.Tx) ([]chat.Message, error) {
		t, err := find(tx, thread)
		if err != nil {
			return nil, err
		}
		query := `SELECT ` + messageColumns + ` FROM messages WHERE thread = ? AND ` + where + ` LIMIT ?`
		return list(tx, scanMessage(t), query, t.key, seq, max(0, limit))
	})
}

// After implements [chat.Store]. It is [Store.Messages], but a thread that does not exist has none.
func (s *Store) After(ctx context.Context, thread string, seq int64, limit int) ([]summary.Message, error) {
	ms, err := s.Messages(ctx, thread, seq, limit)
	if err != nil && !errors.Is(err, chat.ErrNoThread) {
		return nil, err
	}
	found := make([]summary.Message, len(ms))
	for i, m := range ms {
		found[i] = summary.Message{Seq: m.Seq, Message: m.Message}
	}
	return found, nil
}

// Recent implements [chat.Store].
func (s *Store) Recent(ctx context.Context, thread string, before int64, limit int) ([]contextbuilder.Message, error) {
	where := `seq < ? ORDER BY seq DESC`
	if before == 0 {
		where = `seq > ? ORDER BY seq DESC` // any
	}
	ms, err := s.messages(ctx, thread, where, before, limit)
	if err != nil && !errors.Is(err, chat.ErrNoThread) {
		return nil, err
	}
	slices.Reverse(ms)
	found := make([]contextbuilder.Message, len(ms))
	for i, m := range ms {
		found[i] = contextbuilder.Message{Seq: m.Seq, Message: m.Message}
	}
	return found, nil
}

// TruncateMessages implements [chat.Store]. It also deletes a summary that covers one of the messages. Their numbers
// are not used again.
func (s *Store) TruncateMessages(ctx context.Context, t chat.Thread, from int64) error {
	return s.replace(ctx, "removing messages", t, func(tx *sql.Tx, r *threadRow) error {
		_, err := tx.Exec(`DELETE FROM messages WHERE thread = ?1 AND seq >= ?2;
			DELETE FROM summaries WHERE thread = ?1 AND last >= ?2`, r.key, from)
		if err != nil {
			return err
		}
		return tx.QueryRow(`SELECT count(*), coalesce(max(seq), 0) FROM messages WHERE thread = ?`, r.key).
			Scan(&r.Messages, &r.Last)
	})
}
