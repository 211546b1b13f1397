package store

import (
	"errors"
	"fmt"

	"github.com/forayhq/foray/agent/store/internal/packed"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// The errors of a database. They name the file. ErrLocked has a method Timeout that returns true.
var (
	ErrLocked   error = timeout("another process is writing to the database")
	ErrFull           = errors.New("the database cannot grow: the disk is full or its size limit is reached")
	ErrReadOnly       = errors.New("the database cannot be written")
	ErrDamaged        = packed.ErrDamaged
	ErrForeign        = errors.New("not a database of foray, or its first bytes are damaged")
	ErrNewer          = errors.New("the database was written by a newer foray")
)

// A timeout is an error after a wait: another attempt waits as long.
type timeout string

func (t timeout) Error() string { return string(t) }

// Timeout is what a [longterm.Store] says of such an error.
func (t timeout) Timeout() bool { return true }

// The errors of a call.
var (
	ErrClosed   = errors.New("the store is closed")
	ErrTooLarge = packed.ErrTooLarge
	ErrInvalid  = packed.ErrInvalid
)

// kinds are the errors for SQLite's primary result codes.
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

// explain adds to an error what the call was doing and, for an error of the database, the file and the kind of error.
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
