package store

import (
	"cmp"
	"context"
	"errors"
	"time"
)

// InMemory is the path of a database that is in memory and goes with its Store.
const InMemory = ":memory:"

// maxRecord is the most that one message, body or entry may take as it is stored, in bytes: half of what a session's
// working memory may hold.
const maxRecord = 32 << 20

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
type Store struct{ *db }

// Open opens the database at a path, brings it to the form of this program, and makes it, readable for its owner only,
// and its folder if there is none. A path of ":memory:" keeps it in memory. Errors are ErrLocked, ErrReadOnly,
// ErrDamaged, ErrForeign and ErrNewer; the file is then as it was.
func Open(ctx context.Context, path string, o *Options) (*Store, error) {
	s := &Store{&db{path: path}}
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
