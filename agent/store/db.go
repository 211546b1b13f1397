package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"modernc.org/sqlite"
)

// readers is how many connections may read concurrently.
const readers = 4

// A db is an open database: one connection that writes and some that read.
type db struct {
	path         string
	real         string        // the path without symbolic links, for locks
	command      string        // of this process, see Options
	redact       bool          // records of sessions
	wait         time.Duration // for another process, see Options
	readerSource string        // data source name of the reader
	writer       *sql.DB       // one connection
	reader       *sql.DB       // the writer, if the database is in memory
	locks        *locks        // of threads and sessions

	mu     sync.RWMutex // held for reading during each call, so that Close waits
	closed bool

	preparing  sync.Mutex
	statements map[string]*sql.Stmt // of the writer, by query: those that each append runs
}

func (d *db) close() error {
	var err error
	if d.reader != nil && d.reader != d.writer {
		err = d.reader.Close()
	}
	if d.writer != nil {
		err = errors.Join(err, d.writer.Close())
	}
	return err
}

// write runs fn in the only writing transaction. When write returns nil, all changes are on the disk; if it returns
// an error, none are. ctx can end the wait for other writers of this and other processes.
func (d *db) write(ctx context.Context, doing string, fn func(*sql.Tx) error) error {
	return d.within(ctx, d.writer, doing, fn)
}

// read runs fn in a transaction that sees one state of the database.
func (d *db) read(ctx context.Context, doing string, fn func(*sql.Tx) error) error {
	return d.within(ctx, d.reader, doing, fn)
}

// get is db.read for a function that returns a value.
func get[T any](ctx context.Context, d *db, doing string, fn func(*sql.Tx) (T, error)) (v T, err error) {
	err = d.read(ctx, doing, func(tx *sql.Tx) (err error) {
		v, err = fn(tx)
		return err
	})
	return v, err
}

// alone executes statements that cannot be part of a transaction.
func (d *db) alone(ctx context.Context, doing, statements string) error {
	return d.on(ctx, d.writer, doing, func(conn *sql.Conn) error {
		return d.whileLocked(ctx, func() error {
			_, err := conn.ExecContext(context.WithoutCancel(ctx), statements)
			return err
		})
	})
}

func (d *db) within(ctx context.Context, db *sql.DB, doing string, fn func(*sql.Tx) error) error {
	return d.on(ctx, db, doing, func(conn *sql.Conn) error { return d.transact(ctx, conn, fn) })
}

// on calls fn with a connection, unless the database is closed.
func (d *db) on(ctx context.Context, db *sql.DB, doing string, fn func(*sql.Conn) error) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.closed {
		return fmt.Errorf("%s: %w", doing, ErrClosed)
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return d.explain(doing, err)
	}
	return d.explain(doing, errors.Join(fn(conn), conn.Close()))
}

// patience is how long SQLite itself waits for another process, in milliseconds, before begin checks the context.
const patience = 25

// begin begins a transaction. While another process writes, it tries again until the time is up or ctx ends.
func (d *db) begin(ctx context.Context, conn *sql.Conn) (tx *sql.Tx, err error) {
	err = d.whileLocked(ctx, func() error {
		tx, err = conn.BeginTx(context.WithoutCancel(ctx), nil)
		return err
	})
	return tx, err
}

// whileLocked calls fn again while another process has locked the database, until the time is up or ctx ends. SQLite
// waits by itself, but not where two processes would wait for each other, as when both switch a new file to its
// write-ahead log.
func (d *db) whileLocked(ctx context.Context, fn func() error) error {
	for until := time.Now().Add(d.wait); ; {
		err := fn()
		var failed *sqlite.Error
		if err == nil || !errors.As(err, &failed) || kinds[failed.Code()&0xff] != ErrLocked || !time.Now().Before(until) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for another process: %w", ctx.Err())
		case <-time.After(time.Millisecond):
		}
	}
}

// transact runs fn in a transaction. ctx can only cancel its begin: after a cancelled commit nobody would know whether
// it took effect.
func (d *db) transact(ctx context.Context, conn *sql.Conn, fn func(*sql.Tx) error) error {
	tx, err := d.begin(ctx, conn)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	if err := fn(tx); err != nil {
		_ = tx.Rollback() // err says more than an error of this
		return err
	}
	if err := tx.Commit(); err != nil {
		_, _ = conn.ExecContext(ctx, "ROLLBACK") // fails if SQLite has rolled back itself
		return err
	}
	return nil
}

// queries is what a *sql.Tx and a prepared one have.
type queries interface {
	QueryRow(query string, args ...any) *sql.Row
	Exec(query string, args ...any) (sql.Result, error)
}

// A preparedTx is a transaction of the writer with statements that SQLite has parsed before: parsing those of an append
// would take as long as running them.
type preparedTx struct {
	*sql.Tx
	statements map[string]*sql.Stmt
}

func (t preparedTx) QueryRow(query string, args ...any) *sql.Row {
	if s := t.statements[query]; s != nil {
		return t.Stmt(s).QueryRow(args...)
	}
	return t.Tx.QueryRow(query, args...)
}

func (t preparedTx) Exec(query string, args ...any) (sql.Result, error) {
	if s := t.statements[query]; s != nil {
		return t.Stmt(s).Exec(args...)
	}
	return t.Tx.Exec(query, args...)
}

// writePrepared is write with prepared statements.
func (d *db) writePrepared(ctx context.Context, doing string, all []string, fn func(preparedTx) error) error {
	statements, err := d.prepare(ctx, doing, all)
	if err != nil {
		return err
	}
	return d.write(ctx, doing, func(tx *sql.Tx) error { return fn(preparedTx{tx, statements}) })
}

// prepare prepares queries, once.
func (d *db) prepare(ctx context.Context, doing string, all []string) (map[string]*sql.Stmt, error) {
	d.preparing.Lock()
	defer d.preparing.Unlock()
	if d.statements != nil {
		return d.statements, nil
	}
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.closed {
		return nil, fmt.Errorf("%s: %w", doing, ErrClosed)
	}
	statements := make(map[string]*sql.Stmt)
	for _, query := range all {
		err := d.whileLocked(ctx, func() (err error) {
			statements[query], err = d.writer.PrepareContext(ctx, query)
			return err
		})
		if err != nil {
			return nil, d.explain(doing, err)
		}
	}
	d.statements = statements // closing the writer closes them
	return statements, nil
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

// list returns the value that scan reads from each row of a query.
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
