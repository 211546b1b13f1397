package sqliteread

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// magic begins every SQLite database.
const magic = "SQLite format 3\x00"

// ErrForeign says that a file is not a SQLite database.
var ErrForeign = errors.New("not a SQLite database")

// Is reports whether a file begins like a SQLite database. Errors are those of the file system.
func Is(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, len(magic))
	n, _ := f.Read(head) // a short file is not a database
	return string(head[:n]) == magic, nil
}

// Open opens a database for reading with one connection. It waits up to two seconds for a program that is writing. If
// the write-ahead log of the database is empty, no program uses it, and Open neither locks it nor writes files beside
// it. The caller closes the database.
func Open(path string) (*sql.DB, error) {
	ok, err := Is(path)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), ErrForeign)
	}
	settings := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(2000)", "trusted_schema(OFF)", "query_only(ON)"}}
	if log, err := os.Stat(path + "-wal"); err != nil || log.Size() == 0 {
		settings.Set("immutable", "1")
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	full = "/" + strings.TrimPrefix(filepath.ToSlash(full), "/") // also before C:
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: full, RawQuery: settings.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}
