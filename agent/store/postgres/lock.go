package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/forayhq/foray/agent/session"
	"github.com/jackc/pgx/v5"
)

// lockPatience is how long a request of the connection that holds the locks may take. The caller's context does not end
// one: that would close the connection, and free the locks of all runs.
const lockPatience = 10 * time.Second

// locks are the sessions that a process runs. One connection holds their advisory locks. PostgreSQL grants a lock again
// to the connection that has it, so that held keeps the process from itself.
type locks struct {
	config *pgx.ConnConfig
	schema string

	mu     sync.Mutex
	conn   *pgx.Conn // nil: none yet, or lost
	held   map[string]*pgx.Conn
	closed bool
}

// LockSession implements [session.Store].
func (s *Store) LockSession(ctx context.Context, id string) (unlock func(), err error) {
	if err := checkID(ctx, id); err != nil {
		return nil, fmt.Errorf("locking a session: %w", err)
	}
	if err := s.locks.lock(ctx, id); err != nil {
		return nil, fmt.Errorf("locking session %q: %w", id, err)
	}
	return sync.OnceFunc(func() { s.locks.unlock(id) }), nil
}

// key is the number of an advisory lock. Two sessions share one in one of 2^64 cases; then one waits for the other.
func (l *locks) key(id string) int64 {
	sum := sha256.Sum256([]byte(l.schema + "\x00" + id))
	return int64(binary.LittleEndian.Uint64(sum[:]))
}

func (l *locks) lock(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lockPatience)
	defer cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return errors.New("the store is closed")
	}
	if _, held := l.held[id]; held {
		return fmt.Errorf("%w by this process", session.ErrInUse)
	}
	got, err := l.try(ctx, id)
	if err != nil && l.conn != nil && l.conn.IsClosed() { // the server was restarted, for example
		l.conn = nil
		got, err = l.try(ctx, id)
	}
	switch {
	case err != nil:
		return err
	case !got:
		return fmt.Errorf("%w by another process", session.ErrInUse)
	}
	if l.held == nil {
		l.held = make(map[string]*pgx.Conn)
	}
	l.held[id] = l.conn
	return nil
}

// try connects if necessary, and takes the lock if it is free.
func (l *locks) try(ctx context.Context, id string) (got bool, err error) {
	if l.conn == nil {
		conn, err := pgx.ConnectConfig(ctx, l.config)
		if err != nil {
			return false, err
		}
		l.conn = conn
	}
	err = l.conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, l.key(id)).Scan(&got)
	return got, err
}

// unlock frees a session. An error means that the connection is gone, and the lock with it.
func (l *locks) unlock(id string) {
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	if conn, held := l.held[id]; held && conn == l.conn && !l.closed {
		_, _ = conn.Exec(ctx, `SELECT pg_advisory_unlock($1)`, l.key(id))
	}
	delete(l.held, id)
}

func (l *locks) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.conn == nil {
		return nil
	}
	return l.conn.Close(context.Background())
}
