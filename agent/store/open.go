package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

const (
	pageSize = 4096 // SQLite's default, in bytes
	minFile  = 512  // SQLite's smallest page, and so the smallest database
)

func (d *db) open(ctx context.Context, o Options) error {
	doing := "opening the database"
	if d.path != InMemory {
		if err := prepareFile(d.path); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
		var err error
		if d.real, err = realPath(d.path); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
	}
	pool, err := sql.Open("sqlite", d.source(o, "immediate"))
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	pool.SetMaxOpenConns(1)
	d.writer, d.reader = pool, pool
	conn, err := pool.Conn(ctx)
	if err != nil {
		return d.explain(doing, err)
	}
	defer conn.Close()
	own := context.WithoutCancel(ctx)
	if err := d.whileLocked(ctx, func() error { return d.adopt(own, conn) }); err != nil {
		return d.explain(doing, err)
	}
	if err := d.limitWait(own, conn); err != nil {
		return d.explain(doing, err)
	}
	if d.path == InMemory {
		return nil
	}
	d.readerSource = d.source(o, "deferred")
	pool, err = sql.Open("sqlite", d.readerSource)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	pool.SetMaxOpenConns(readers)
	d.reader = pool
	return nil
}

// limitWait makes SQLite itself wait for other processes no longer than patience, so that begin can check the context.
func (d *db) limitWait(ctx context.Context, conn *sql.Conn) error {
	wait := min(d.wait, patience*time.Millisecond)
	_, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", wait.Milliseconds()))
	return err
}

// source returns the data source name of a connection. None of its settings changes the file of another program.
func (d *db) source(o Options, lock string) string {
	settings := url.Values{
		"_txlock": {lock},
		"_pragma": {
			"busy_timeout(" + strconv.FormatInt(d.wait.Milliseconds(), 10) + ")",
			"synchronous(FULL)", // a commit reaches the disk, not only the operating system
			"foreign_keys(ON)",
			"secure_delete(ON)",            // overwrite deleted data
			"journal_size_limit(67108864)", // after a large transaction
			"trusted_schema(OFF)",
		},
	}
	if o.MaxSize > 0 {
		settings.Add("_pragma", "max_page_count("+strconv.FormatInt(max(1, o.MaxSize/pageSize), 10)+")")
	}
	if d.path == InMemory {
		return InMemory + "?" + settings.Encode()
	}
	settings.Add("mode", "rw")
	path, err := filepath.Abs(d.path)
	if err != nil {
		path = d.path // the working directory was deleted; SQLite reports it
	}
	path = "/" + strings.TrimPrefix(filepath.ToSlash(path), "/") // also before C:
	return (&url.URL{Scheme: "file", Path: path, RawQuery: settings.Encode()}).String()
}

// prepareFile creates an empty file and its folder, unless the file exists, because SQLite would make the file readable
// for everyone. It does not open an existing file, because closing it would release all locks of this process on it.
func prepareFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.Mode().IsRegular() && info.Size() > 0 && info.Size() < minFile:
		return fmt.Errorf("%s: %w: %d bytes", path, ErrForeign, info.Size()) // SQLite would take it for empty
	case err == nil && info.Mode().IsRegular():
		return nil
	case err == nil:
		return fmt.Errorf("%s: %w: not a regular file", path, ErrForeign)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("%s: %w: %w", path, ErrReadOnly, err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil // another process was faster
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	}
	return file.Close()
}
