package store

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// What can be wrong with a database. An error that is one of these names the file.
var (
	ErrLocked   = errors.New("another process is writing to the database")
	ErrFull     = errors.New("no room for the database to grow: the disk is full, or the limit on its size is reached")
	ErrReadOnly = errors.New("the database cannot be written")
	ErrDamaged  = errors.New("the database is damaged")
	ErrForeign  = errors.New("not a database of foray, or its first bytes are damaged")
	ErrNewer    = errors.New("the database was written by a newer foray")
)

// What a Store can find wrong with what it is asked.
var (
	ErrClosed   = errors.New("the store is closed")
	ErrTooLarge = errors.New("too large to keep")
	ErrInvalid  = errors.New("cannot be kept")
	ErrConflict = errors.New("the log has other entries by now") // somebody else wrote to it
)

// kinds says which error stands for a primary result code of SQLite.
var kinds = map[int]error{
	sqlite3.SQLITE_BUSY:     ErrLocked,
	sqlite3.SQLITE_LOCKED:   ErrLocked,
	sqlite3.SQLITE_FULL:     ErrFull,
	sqlite3.SQLITE_READONLY: ErrReadOnly,
	sqlite3.SQLITE_CANTOPEN: ErrReadOnly,
	sqlite3.SQLITE_PERM:     ErrReadOnly,
	sqlite3.SQLITE_CORRUPT:  ErrDamaged,
	sqlite3.SQLITE_NOTADB:   ErrForeign,
	sqlite3.SQLITE_TOOBIG:   ErrTooLarge,
}

// explain says of an error what was being done and, if it is the database's, with which file, and which kind it is.
func (d *db) explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	var failed *sqlite.Error
	switch {
	case errors.Is(err, ErrDamaged):
		return fmt.Errorf("%s: %s: %w", doing, d.path, err)
	case !errors.As(err, &failed):
		return fmt.Errorf("%s: %w", doing, err)
	}
	kind := kinds[failed.Code()&0xff]
	if kind == nil {
		return fmt.Errorf("%s: %s: %w", doing, d.path, err)
	}
	return fmt.Errorf("%s: %s: %w: %w", doing, d.path, kind, err)
}
