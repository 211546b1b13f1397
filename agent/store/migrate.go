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

// steps migrate a database from one version to the next; the first makes version 1. A released step never
// changes, and migrations cannot be undone.
var steps = []string{
	"migrations/0001_initial.sql",
	"migrations/0002_sessions_changes.sql",
	"migrations/0003_sessions.sql",
}

// applicationID marks a file as foray's: "fory" in ASCII.
const applicationID = 0x666f7279

// adopt checks that the database is foray's, complete and not newer than this program, and then migrates it. It writes
// nothing before these checks.
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
			return fmt.Errorf("%s: no write-ahead log (%s): is the file on a network disk?", d.path, mode)
		}
	}
	if version == len(steps) {
		return nil
	}
	return d.transact(ctx, conn, func(tx *sql.Tx) error { return d.migrate(ctx, tx) })
}

// versionOf returns the version of the database, 0 if it is empty.
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
		return 0, fmt.Errorf("%s: %w: another program wrote it", d.path, ErrForeign)
	case version > len(steps):
		return 0, fmt.Errorf("%s: %w: it has version %d, this foray knows versions up to %d", d.path, ErrNewer, version,
			len(steps))
	}
	return version, nil
}

// migrate runs the missing steps. It reads the version again, since another process may have migrated meanwhile.
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

// checkLength reports a file that is shorter than its header says, unless the rest may be in the write-ahead log.
func (d *db) checkLength(ctx context.Context, conn *sql.Conn) error {
	if d.path == InMemory || d.hasWAL() {
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
	if info.Size() < want && !d.hasWAL() {
		return fmt.Errorf("%w: %d of %d bytes", ErrDamaged, info.Size(), want)
	}
	return nil
}

// hasWAL reports whether the write-ahead log has data. SQLite keeps it beside the file that a symbolic link names.
func (d *db) hasWAL() bool {
	info, err := os.Stat(d.real + "-wal")
	return err == nil && info.Size() > 0
}
