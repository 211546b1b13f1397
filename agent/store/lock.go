package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/forayhq/foray/agent/chat"
)

// errHeld says that another open file holds a lock.
var errHeld = errors.New("the lock is held")

// lockPause is how long LockThread waits between two attempts.
const lockPause = 20 * time.Millisecond

// LockThread implements [chat.Store]. See the package comment for how the lock works.
func (s *Store) LockThread(ctx context.Context, id string, wait time.Duration) (unlock func(), err error) {
	if s.path == InMemory {
		return func() {}, nil
	}
	path := lockPath(s.real, id)
	for started := time.Now(); ; {
		file, err := lockFile(path)
		switch {
		case err == nil && file == nil: // the file system has no locks: SaveThread alone guards the thread
			return func() {}, nil
		case err == nil:
			ownerOf(id, s.command).write(file)
			return sync.OnceFunc(func() { unlockFile(file, path) }), nil
		case !errors.Is(err, errHeld):
			return nil, fmt.Errorf("locking a thread: %w: %w", ErrReadOnly, err)
		}
		waited := time.Since(started)
		if waited >= wait {
			return nil, inUse(path, id, waited)
		}
		select {
		case <-time.After(min(lockPause, wait-waited)):
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", inUse(path, id, waited), ctx.Err())
		}
	}
}

// lockPath returns the path of the lock of a thread. A hash tells ids apart where the file system ignores case.
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
	Thread  string    `json:"thread"`
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

// inUse returns the error for a lock that another holds.
func inUse(path, id string, waited time.Duration) *chat.InUseError {
	e := &chat.InUseError{Thread: id, Waited: waited}
	file, err := os.Open(path)
	if err != nil {
		return e // released meanwhile
	}
	defer file.Close()
	var o owner
	text, err := io.ReadAll(io.LimitReader(file, maxOwner))
	if err == nil && json.Unmarshal(text, &o) == nil && o.Thread == id {
		e.PID, e.Host, e.Command, e.Since = o.PID, o.Host, o.Command, o.Since
	}
	return e
}
