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

// A db is an open database: a connection that writes and some that read.
type db struct {
	path    string
	wait    time.Duration // of a write for another process
	reading string        // data source name of the reader
	writer  *sql.DB       // one connection
	reader  *sql.DB       // the writer, if the database is in memory

	mu     sync.RWMutex // held for reading while something is done, so that Close waits
	closed bool
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

// write runs fn in a transaction that no other writes beside: all of it is kept, on the disk, when write returns, or
// with an error nothing. ctx can end the wait for other writers, of this process and of others.
func (d *db) write(ctx context.Context, doing string, fn func(*sql.Tx) error) error {
	return d.within(ctx, d.writer, doing, fn)
}

// read runs fn in a transaction that sees one state of the database.
func (d *db) read(ctx context.Context, doing string, fn func(*sql.Tx) error) error {
	return d.within(ctx, d.reader, doing, fn)
}

func (d *db) within(ctx context.Context, db *sql.DB, doing string, fn func(*sql.Tx) error) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.closed {
		return fmt.Errorf("%s: %w", doing, ErrClosed)
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return d.explain(doing, err)
	}
	return d.explain(doing, errors.Join(d.transact(ctx, conn, fn), conn.Close()))
}

// patience is how long SQLite itself waits for another process before a write looks at its context, in milliseconds.
const patience = 25

// begin begins a transaction. While another process writes it tries again, until the time is up or ctx ends.
func (d *db) begin(ctx context.Context, conn *sql.Conn) (*sql.Tx, error) {
	for until := time.Now().Add(d.wait); ; {
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
func (d *db) transact(ctx context.Context, conn *sql.Conn, fn func(*sql.Tx) error) error {
	tx, err := d.begin(ctx, conn)
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
