package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/internal/filelock"
	"github.com/forayhq/foray/internal/queue"
)

// A process that waits for the lock of a thread tries it every lockPause. While another process waits, this one leaves
// a lock that it has released free for lockRest, so that the other one gets it.
const (
	lockPause = 20 * time.Millisecond
	lockRest  = 50 * time.Millisecond
)

// locks are the locks that a process waits for or has just released.
type locks struct {
	*queue.Queue // of paths
	mu           sync.Mutex
	wanted       map[string]time.Time // by path: when it was released, if another process waited for it
}

func newLocks() *locks { return &locks{Queue: queue.New(0, nil), wanted: make(map[string]time.Time)} }

// released notes that this process has released a lock for which another one waits.
func (l *locks) released(path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.wanted, func(_ string, at time.Time) bool { return time.Since(at) > lockRest })
	l.wanted[path] = time.Now()
}

// rest waits until another process has had time to take a lock.
func (l *locks) rest(ctx context.Context, path string) {
	l.mu.Lock()
	at := l.wanted[path]
	l.mu.Unlock()
	if left := lockRest - time.Since(at); left > 0 {
		pause(ctx, left)
	}
}

// pause waits for a time or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// LockThread implements [chat.Store]. See the package comment for how the lock works.
func (s *Store) LockThread(ctx context.Context, id string, wait time.Duration) (unlock func(), err error) {
	if s.path == InMemory {
		return func() {}, nil
	}
	path, started := lockPath(s.real, id), time.Now()
	unlock, err = s.lock(ctx, path, id, wait)
	if !errors.Is(err, errHeld) {
		return unlock, err
	}
	o := holder(path, id)
	used := &chat.InUseError{Thread: id, PID: o.PID, Host: o.Host, Command: o.Command, Since: o.Since,
		Waited: time.Since(started)}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%w: %w", used, ctx.Err())
	}
	return nil, used
}

// errHeld says that a lock was held all the time, by this or another process.
var errHeld = errors.New("the lock is held")

// lock takes a lock within a time, or returns errHeld.
func (d *db) lock(ctx context.Context, path, id string, wait time.Duration) (unlock func(), err error) {
	within, cancel := context.WithDeadline(ctx, time.Now().Add(wait))
	defer cancel()
	leave, err := d.locks.Enter(within, path, nil)
	if err != nil {
		return nil, errHeld
	}
	if d.path == InMemory {
		return sync.OnceFunc(leave), nil
	}
	d.locks.rest(within, path)
	file, err := lockWithin(within, path)
	switch {
	case errors.Is(err, filelock.ErrHeld):
		leave()
		return nil, errHeld
	case err != nil:
		leave()
		return nil, fmt.Errorf("locking %q: %w: %w", id, ErrReadOnly, err)
	}
	return d.unlocker(file, path, id, leave), nil
}

// lockWithin tries to lock a file until ctx ends, at least once. The file is nil if the file system has no locks:
// SaveThread alone guards the thread then. The error may be filelock.ErrHeld.
func lockWithin(ctx context.Context, path string) (*os.File, error) {
	for {
		file, err := filelock.Take(path)
		if !errors.Is(err, filelock.ErrHeld) || ctx.Err() != nil {
			return file, err
		}
		now := time.Now()
		_ = os.Chtimes(path, now, now) // its owner sees that another process waits; without it, the wait may be longer
		pause(ctx, lockPause)
	}
}

// unlocker writes the owner into the file of a lock and returns what releases it.
func (d *db) unlocker(file *os.File, path, id string, leave func()) (unlock func()) {
	if file == nil {
		return sync.OnceFunc(leave)
	}
	ownerOf(id, d.command).write(file)
	before, err := file.Stat()
	return sync.OnceFunc(func() {
		now, statErr := file.Stat()
		filelock.Free(file, path)
		if err == nil && statErr == nil && !now.ModTime().Equal(before.ModTime()) {
			d.locks.released(path)
		}
		leave()
	})
}

// lockPath returns the path of the lock of a thread or, with sessionLock before its id, of a session. A hash tells ids
// apart where the file system ignores case.
func lockPath(database, id string) string {
	sum := sha256.Sum256([]byte(id))
	return database + "-lock-" + hex.EncodeToString(sum[:8])
}

// realPath returns the path of an existing database without symbolic links: SQLite, too, keeps its log beside the file
// itself, so that all names of a database lead to the same locks.
func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// An owner is who holds a lock, as its file says. It is only for people: the lock itself is the operating system's.
type owner struct {
	Thread  string    `json:"thread"` // or session
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Command string    `json:"command"`
	Since   time.Time `json:"since"`
}

// ownerOf returns this process as an owner.
func ownerOf(id, command string) owner {
	host, _ := os.Hostname() // unknown: ""
	return owner{id, os.Getpid(), host, command, time.Now()}
}

// write replaces the text of a lock's file. An error leaves the owner unknown.
func (o owner) write(file *os.File) {
	text, _ := json.Marshal(o) // plain fields always encode
	if file.Truncate(0) == nil {
		_, _ = file.WriteAt(text, 0)
	}
}

// maxOwner is more than the file of a lock has, in bytes.
const maxOwner = 64 << 10

// holder returns who holds a lock, or the zero owner if nobody knows.
func holder(path, id string) (o owner) {
	file, err := os.Open(path)
	if err != nil {
		return o // released meanwhile
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxOwner))
	if err != nil || json.Unmarshal(text, &o) != nil || o.Thread != id {
		return owner{}
	}
	return o
}
