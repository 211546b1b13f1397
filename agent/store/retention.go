package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/forayhq/foray/agent/session"
)

// Info returns what a list shows of a session, or [session.ErrUnknown].
func (s *Sessions) Info(ctx context.Context, id string) (SessionInfo, error) {
	r, err := get(ctx, s.store, "reading a session", func(tx *sql.Tx) (sessionRow, error) { return findSession(tx, id) })
	if err != nil {
		return SessionInfo{}, err
	}
	return s.store.shown(ctx, r), nil
}

// List returns sessions, last updated first. It skips offset sessions and returns at most limit. It does not read their
// records.
func (s *Sessions) List(ctx context.Context, offset, limit int) ([]SessionInfo, error) {
	query := `SELECT ` + sessionColumns + ` FROM sessions ORDER BY updated DESC, id LIMIT ? OFFSET ?`
	rows, err := get(ctx, s.store, "listing sessions", func(tx *sql.Tx) ([]sessionRow, error) {
		return list(tx, scanSession, query, max(0, limit), max(0, offset))
	})
	infos := make([]SessionInfo, len(rows))
	for i, r := range rows {
		infos[i] = s.store.shown(ctx, r)
	}
	return infos, err
}

// shown returns what a list shows of a session, with its state. Its newest record says whether a run that ended can be
// resumed; one that was interrupted always can, unless its process still runs.
func (d *db) shown(ctx context.Context, r sessionRow) SessionInfo {
	switch {
	case d.running(ctx, r.ID):
		r.State, r.Resumable = Running, false
	case r.State == Interrupted:
		r.Resumable = true
	}
	return r.SessionInfo
}

// Remove deletes a session with the texts that no other one holds. It returns [session.ErrInUse] while the session
// runs. The file keeps its size: see [Sessions.Compact].
func (s *Sessions) Remove(ctx context.Context, id string) error {
	_, err := s.remove(ctx, id)
	return err
}

// remove is Remove, and returns how many bytes that frees in the file.
func (s *Sessions) remove(ctx context.Context, id string) (freed int64, err error) {
	unlock, err := s.LockSession(ctx, id)
	if err != nil {
		return 0, err
	}
	defer unlock()
	const records = `FROM records WHERE key >= ?1 << 32 AND key < (?1 + 1) << 32`
	const own = `FROM bodies WHERE key IN (SELECT body FROM session_bodies a WHERE session = ?1 AND NOT EXISTS
		(SELECT 1 FROM session_bodies b WHERE b.body = a.body AND b.session != ?1))`
	err = s.store.write(ctx, "removing a session", func(tx *sql.Tx) error {
		r, err := findSession(tx, id)
		if err != nil {
			return err
		}
		err = tx.QueryRow(`SELECT (SELECT coalesce(sum(length(data)), 0) `+records+`) +
			(SELECT coalesce(sum(length(data)), 0) `+own+`)`, r.key).Scan(&freed)
		if err != nil {
			return err
		}
		_, err = tx.Exec(`DELETE `+records+`; DELETE `+own+`; DELETE FROM sessions WHERE key = ?1`, r.key)
		return err
	})
	return freed, err
}

// Limits say which sessions [Sessions.Prune] keeps. A zero field sets no limit.
type Limits struct {
	Age   time.Duration // since records were last added
	Bytes int64         // of all records and their texts in the database; the most recent sessions are kept
	Count int           // of sessions; the most recent ones are kept
}

// Prune removes the sessions that exceed limits, and never one that runs. It returns what it removed and how many bytes
// that freed in the file, which keeps its size: see [Sessions.Compact]. An error may follow some removals.
func (s *Sessions) Prune(ctx context.Context, limits Limits) (removed []SessionInfo, freed int64, err error) {
	all, err := s.List(ctx, 0, math.MaxInt32)
	if err != nil {
		return nil, 0, err
	}
	size, err := get(ctx, s.store, "pruning sessions", sizeOfSessions)
	if err != nil {
		return nil, 0, err
	}
	now := time.Now()
	oldest, count := now.Add(-cmp.Or(limits.Age, now.Sub(time.Time{}))), len(all)
	for i := len(all) - 1; i >= 0; i-- {
		info := all[i]
		tooMany := limits.Count > 0 && count > limits.Count
		tooLarge := limits.Bytes > 0 && size-freed > limits.Bytes
		if !tooMany && !tooLarge && !info.Updated.Before(oldest) {
			break // those before it are newer
		}
		bytes, err := s.remove(ctx, info.ID)
		switch {
		case errors.Is(err, session.ErrInUse), errors.Is(err, session.ErrUnknown):
			continue
		case err != nil:
			return removed, freed, fmt.Errorf("session %q: %w", info.ID, err)
		}
		removed = append(removed, info)
		freed += bytes
		count--
	}
	return removed, freed, nil
}

// sizeOfSessions returns the bytes of all records and bodies.
func sizeOfSessions(tx *sql.Tx) (size int64, err error) {
	err = tx.QueryRow(`SELECT (SELECT coalesce(sum(length(data)), 0) FROM records) +
		(SELECT coalesce(sum(length(data)), 0) FROM bodies)`).Scan(&size)
	return size, err
}

// Compact gives the space of what was removed back to the system. It rewrites the whole database: that needs its size
// once more in the folder of temporary files and once more in the log beside it, keeps others from writing meanwhile,
// and returns [ErrLocked] if another process writes. While another one reads, the file shrinks only later.
func (s *Sessions) Compact(ctx context.Context) error {
	return s.store.alone(ctx, "compacting the database", `VACUUM; PRAGMA wal_checkpoint(TRUNCATE)`)
}
