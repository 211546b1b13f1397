package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"os"
)

//go:embed migrations/*.sql
var migrations embed.FS

// steps are the files that bring a database from one version to the next, in order: the first makes version 1. A step
// that has been released is never changed, and none leads back.
var steps = []string{"migrations/0001_initial.sql", "migrations/0002_sessions_changes.sql"}

// applicationID marks a file as foray's: "fory" in ASCII.
const applicationID = 0x666f7279

// adopt checks that the database is ours, whole and not newer, and brings it to the newest version. It writes nothing
// before that is sure.
func (d *db) adopt(ctx context.Context, conn *sql.Conn) error {
	version, err := d.versionOf(ctx, conn)
	if err != nil {
		return err
	}
	if err := d.checkLength(ctx, conn); err != nil {
		return err
	}
	if d.path != InMemory {
		var mode string
		if err := conn.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
			return err
		}
		if mode != "wal" {
			return fmt.Errorf("%s: no write-ahead log here (%s): is it on a network disk?", d.path, mode)
		}
	}
	if version == len(steps) {
		return nil
	}
	return d.transact(ctx, conn, func(tx *sql.Tx) error { return d.migrate(ctx, tx) })
}

// versionOf returns the version of the database, 0 of one that is empty.
func (d *db) versionOf(ctx context.Context, from interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}) (int, error) {
	var id, version, tables int
	err := from.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)`).Scan(&id, &version, &tables)
	switch {
	case err != nil:
		return 0, err
	case id == 0 && version == 0 && tables == 0:
		return 0, nil
	case id != applicationID || version < 1:
		return 0, fmt.Errorf("%s: %w: it holds something else", d.path, ErrForeign)
	case version > len(steps):
		return 0, fmt.Errorf("%s: %w: it is of version %d, known are those up to %d", d.path, ErrNewer, version, len(steps))
	}
	return version, nil
}

// migrate takes the steps that are missing. Another process may have taken them since it was looked at.
func (d *db) migrate(ctx context.Context, tx *sql.Tx) error {
	version, err := d.versionOf(ctx, tx)
	if err != nil {
		return err
	}
	for _, name := range steps[version:] {
		script, err := migrations.ReadFile(name)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(string(script)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	_, err = tx.Exec(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, len(steps)))
	return err
}

// checkLength reports a file that is shorter than it says. While there is a write-ahead log the rest may be in that.
func (d *db) checkLength(ctx context.Context, conn *sql.Conn) error {
	if d.path == InMemory || d.logged() {
		return nil
	}
	var want int64
	err := conn.QueryRowContext(ctx, `SELECT page_count * page_size FROM pragma_page_count, pragma_page_size`).Scan(&want)
	if err != nil {
		return err
	}
	info, err := os.Stat(d.path)
	if err != nil {
		return err
	}
	if info.Size() < want && !d.logged() {
		return fmt.Errorf("%w: it has %d bytes of %d", ErrDamaged, info.Size(), want)
	}
	return nil
}

// logged reports whether there is something in the write-ahead log.
func (d *db) logged() bool {
	info, err := os.Stat(d.path + "-wal")
	return err == nil && info.Size() > 0
}
