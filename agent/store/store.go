package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"modernc.org/sqlite"
)

// InMemory is the path of a database that is in memory and goes with its Store.
const InMemory = ":memory:"

// MaxRecord is the most that one message, body or entry may take as it is stored, in bytes: half of what a session's
// working memory may hold.
const MaxRecord = 32 << 20

// defaultWait is how long a write waits for another process: longer than any transaction here takes, shorter than a
// person's patience.
const defaultWait = 5 * time.Second

// readers is the most connections that read side by side.
const readers = 4

// Options are the settings of a Store. nil and zero values mean the defaults.
type Options struct {
	// Wait is how long a write waits for another process that is writing; 0: 5 s. Less than a millisecond is none.
	Wait time.Duration
	// MaxSize is the most that the file may grow to, in bytes, rounded down to pages of 4,096; 0: no limit of its own.
	MaxSize int64
}

// A Store is one database. It is safe for concurrent use, also by several processes: one writes at a time, reading goes
// on meanwhile.
type Store struct {
	path    string
	wait    time.Duration // of a write for another process
	reading string        // data source name of the reader
	writer  *sql.DB       // one connection
	reader  *sql.DB       // the writer, if the database is in memory

	mu     sync.RWMutex // held for reading while something is done, so that Close waits
	closed bool
}

// Open opens the database at a path, brings it to the form of this program, and makes it, readable for its owner only,
// and its folder if there is none. A path of ":memory:" keeps it in memory. Errors are ErrLocked, ErrReadOnly,
// ErrDamaged, ErrForeign and ErrNewer; the file is then as it was.
func Open(ctx context.Context, path string, o *Options) (*Store, error) {
	s := &Store{path: path}
	opts := Options{}
	if o != nil {
		opts = *o
	}
	s.wait = cmp.Or(opts.Wait, defaultWait)
	err := s.open(ctx, opts)
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// Path returns the path that the Store was opened with.
func (s *Store) Path() string { return s.path }

// Close waits for what is being done and closes the database. It is not an error to close twice; everything else is
// ErrClosed from then on.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return s.explain("closing the database", s.close())
}

func (s *Store) close() error {
	var err error
	if s.reader != nil && s.reader != s.writer {
		err = s.reader.Close()
	}
	if s.writer != nil {
		err = errors.Join(err, s.writer.Close())
	}
	return err
}

// write runs fn in a transaction that no other writes beside: all of it is kept, on the disk, when write returns, or
// with an error nothing. ctx can end the wait for other writers, of this process and of others.
func (s *Store) write(ctx context.Context, doing string, fn func(*sql.Tx) error) error {
	return s.within(ctx, s.writer, doing, fn)
}

// read runs fn in a transaction that sees one state of the database.
func (s *Store) read(ctx context.Context, doing string, fn func(*sql.Tx) error) error {
	return s.within(ctx, s.reader, doing, fn)
}

func (s *Store) within(ctx context.Context, db *sql.DB, doing string, fn func(*sql.Tx) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return fmt.Errorf("%s: %w", doing, ErrClosed)
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return s.explain(doing, err)
	}
	return s.explain(doing, errors.Join(s.transact(ctx, conn, fn), conn.Close()))
}

// patience is how long SQLite itself waits for another process before a write looks at its context, in milliseconds.
const patience = 25

// begin begins a transaction. While another process writes it tries again, until the time is up or ctx ends.
func (s *Store) begin(ctx context.Context, conn *sql.Conn) (*sql.Tx, error) {
	for until := time.Now().Add(s.wait); ; {
		tx, err := conn.BeginTx(context.WithoutCancel(ctx), nil)
		var failed *sqlite.Error
		if err == nil || !errors.As(err, &failed) || kinds[failed.Code()&0xff] != ErrLocked || !time.Now().Before(until) {
			return tx, err
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("waiting for another process: %w", ctx.Err())
		}
	}
}

// transact runs fn in a transaction, which ctx does not end: what has begun is not torn, which would leave it open whether
// it was kept.
func (s *Store) transact(ctx context.Context, conn *sql.Conn, fn func(*sql.Tx) error) error {
	tx, err := s.begin(ctx, conn)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	if err := fn(tx); err != nil {
		_ = tx.Rollback() // the transaction is over either way, and err says why
		return err
	}
	if err := tx.Commit(); err != nil {
		_, _ = conn.ExecContext(ctx, "ROLLBACK") // an error says that SQLite has done so itself
		return err
	}
	return nil
}

// visit calls fn with each row of a query until it returns an error.
func visit(tx *sql.Tx, fn func(row) error, query string, args ...any) error {
	rows, err := tx.Query(query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// list returns what scan makes of each row of a query.
func list[T any](tx *sql.Tx, scan func(row) (T, error), query string, args ...any) ([]T, error) {
	var found []T
	err := visit(tx, func(from row) error {
		v, err := scan(from)
		found = append(found, v)
		return err
	}, query, args...)
	if err != nil {
		return nil, err
	}
	return found, nil
}

// A row is a *sql.Row or the current one of *sql.Rows.
type row interface{ Scan(into ...any) error }
