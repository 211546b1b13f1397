package store

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/forayhq/foray/agent/store/internal/packed"
)

// InMemory is the path of a database in memory, which ends with its [Store].
const InMemory = ":memory:"

// maxRecord is the largest message, text or record that is stored, in bytes: half of what a session of working memory
// holds.
const maxRecord = packed.MaxText

// defaultWait is longer than any transaction, and short enough for a person to wait.
const defaultWait = 5 * time.Second

// Options are the settings of a [Store]. Zero values mean the defaults.
type Options struct {
	Wait    time.Duration // how long a write waits for another process (5 s); less than a millisecond: not at all
	MaxSize int64         // of the file in bytes, rounded down to pages of 4,096 (unlimited)
	Redact  bool          // mask credentials in the records of sessions before they are stored, as tools do in files
	Command string        // names this process to others that wait for it (its program); put no secret into it
}

// A Store is one database. It is safe for concurrent use, also by several processes: one writes at a time while
// others read.
type Store struct{ *db }

// Open opens the database at a path and migrates it to the current schema. If the file does not exist, Open creates it
// and its folder; only the owner can read them. The path [InMemory] keeps the database in memory. If the error is
// [ErrLocked], [ErrReadOnly], [ErrDamaged], [ErrForeign] or [ErrNewer], the file is unchanged.
func Open(ctx context.Context, path string, o *Options) (*Store, error) {
	s := &Store{&db{path: path, locks: newLocks()}}
	opts := Options{}
	if o != nil {
		opts = *o
	}
	s.wait = cmp.Or(opts.Wait, defaultWait)
	s.redact = opts.Redact
	s.command = cmp.Or(opts.Command, filepath.Base(os.Args[0]))
	err := s.open(ctx, opts)
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// Path returns the path that was given to [Open].
func (s *Store) Path() string { return s.path }

// Close waits for running calls and closes the database. Later calls return [ErrClosed]; a second Close returns nil.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return s.explain("closing the database", s.close())
}
