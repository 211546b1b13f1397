package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/forayhq/foray/agent/chat"
)

var _ chat.Store = (*Store)(nil)

// A threadRow is a thread as it is stored.
type threadRow struct {
	chat.Thread
	key              int64
	created, updated int64
	maxSeq           int64 // the highest number that a message ever had; column given
}

const threadColumns = `key, id, user, title, created, updated, state, messages, last, given, sum`

func (r *threadRow) sum() sum {
	return newSum().text(r.ID, r.User, r.Title).num(r.created, r.updated).bytes(r.State).num(int64(r.Messages), r.Last,
		r.maxSeq)
}

func scanThread(from row) (threadRow, error) {
	var r threadRow
	var stored int64
	err := from.Scan(&r.key, &r.ID, &r.User, &r.Title, &r.created, &r.updated, (*[]byte)(&r.State),
		&r.Messages, &r.Last, &r.maxSeq, &stored)
	if err != nil {
		return r, err
	}
	r.Created, r.Updated = timeOf(r.created), timeOf(r.updated)
	return r, r.sum().check(stored, "thread %q", r.ID)
}

// threadRowOf checks a caller's thread and converts it.
func threadRowOf(t chat.Thread) (r threadRow, err error) {
	r.Thread = t
	r.created, err = nanosOf("creation time of the thread", t.Created)
	if err != nil {
		return r, err
	}
	if len(t.State) > 0 && !json.Valid(t.State) {
		return r, fmt.Errorf("%w: the state of the thread is not JSON", ErrInvalid)
	}
	r.updated, err = nanosOf("update time of the thread", t.Updated)
	return r, errors.Join(err, checkID("thread", t.ID), checkName("user", t.User),
		checkSize("title and state of the thread", len(t.Title)+len(t.State), maxRecord))
}

// find returns a thread, or [chat.ErrNoThread].
func find(tx *sql.Tx, id string) (threadRow, error) {
	r, err := scanThread(tx.QueryRow(`SELECT `+threadColumns+` FROM threads WHERE id = ?`, id))
	if errors.Is(err, sql.ErrNoRows) {
		return r, fmt.Errorf("%w: %q", chat.ErrNoThread, id)
	}
	return r, err
}

// add inserts a thread and sets its key, or returns [chat.ErrThreadExists].
func (r *threadRow) add(tx *sql.Tx) error {
	err := tx.QueryRow(`INSERT INTO threads (id, user, title, created, updated, state, messages, last, given, sum)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING RETURNING key`, r.ID, r.User, r.Title, r.created,
		r.updated, []byte(r.State), r.Messages, r.Last, r.maxSeq, r.sum().value()).Scan(&r.key)
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%w: %q", chat.ErrThreadExists, r.ID)
	}
	return err
}

// save updates a thread.
func (r *threadRow) save(tx *sql.Tx) error {
	_, err := tx.Exec(`UPDATE threads SET user = ?, title = ?, created = ?, updated = ?, state = ?, messages = ?, last = ?,
		given = ?, sum = ? WHERE key = ?`, r.User, r.Title, r.created, r.updated, []byte(r.State), r.Messages, r.Last,
		r.maxSeq, r.sum().value(), r.key)
	return err
}

// newThreadRow is threadRowOf for a new thread, whose id must satisfy [chat.CheckThreadID].
func newThreadRow(t chat.Thread) (threadRow, error) {
	if err := chat.CheckThreadID(t.ID); err != nil {
		return threadRow{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return threadRowOf(t)
}

// CreateThread implements [chat.Store]. It returns [ErrInvalid] for an id that [chat.CheckThreadID] refuses.
func (s *Store) CreateThread(ctx context.Context, t chat.Thread) error {
	doing := "creating a thread"
	t.Messages, t.Last = 0, 0
	r, err := newThreadRow(t)
	if err != nil {
		return s.explain(doing, err)
	}
	return s.write(ctx, doing, r.add)
}

// Thread implements [chat.Store].
func (s *Store) Thread(ctx context.Context, id string) (chat.Thread, error) {
	r, err := get(ctx, s.db, "reading a thread", func(tx *sql.Tx) (threadRow, error) { return find(tx, id) })
	return r.Thread, err
}

// Threads implements [chat.Store].
func (s *Store) Threads(ctx context.Context, user string, offset, limit int) ([]chat.Thread, error) {
	where, args := "", []any{max(0, limit), max(0, offset)}
	if user != "" {
		where, args = "WHERE user = ?", append([]any{user}, args...)
	}
	query := `SELECT ` + threadColumns + ` FROM threads ` + where + ` ORDER BY updated DESC, id LIMIT ? OFFSET ?`
	return get(ctx, s.db, "listing threads", func(tx *sql.Tx) ([]chat.Thread, error) {
		return list(tx, func(from row) (chat.Thread, error) {
			r, err := scanThread(from)
			return r.Thread, err
		}, query, args...)
	})
}

// replace saves what a caller may change of a thread, together with what fn does. If the thread's last message is not
// the one that the caller knows, it returns [chat.ErrConflict].
func (s *Store) replace(ctx context.Context, doing string, t chat.Thread, fn func(*sql.Tx, *threadRow) error) error {
	to, err := threadRowOf(t)
	if err != nil {
		return s.explain(doing, err)
	}
	return s.write(ctx, doing, func(tx *sql.Tx) error {
		r, err := find(tx, t.ID)
		if err != nil {
			return err
		}
		if r.Last != t.Last {
			return fmt.Errorf("%w: the last message of %q is %d, not %d", chat.ErrConflict, t.ID, r.Last, t.Last)
		}
		r.User, r.Title, r.State, r.updated = t.User, t.Title, t.State, to.updated
		if err := fn(tx, &r); err != nil {
			return err
		}
		return r.save(tx)
	})
}

// DeleteThread implements [chat.Store]. It also deletes the texts of working memory under the thread's id.
func (s *Store) DeleteThread(ctx context.Context, id string) error {
	return s.write(ctx, "deleting a thread", func(tx *sql.Tx) error {
		r, err := find(tx, id)
		if err != nil {
			return err
		}
		_, err = tx.Exec(`DELETE FROM threads WHERE key = ?1; DELETE FROM texts WHERE session = ?2`, r.key, id)
		return err
	})
}
