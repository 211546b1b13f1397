package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/forayhq/foray/agent/session"
)

// sessionLock, before the id of a session, keeps its lock apart from that of a thread with the same id.
const sessionLock = "session\x00"

// lockPatience is how long [Sessions.LockSession] tries: longer than [Sessions.List] holds a lock to see whether it is
// free.
const lockPatience = 50 * time.Millisecond

// LockSession implements [session.Store], with the same kind of lock as [Store.LockThread]. The error names the process
// that runs the session.
func (s *Sessions) LockSession(ctx context.Context, id string) (unlock func(), err error) {
	doing := "locking a session"
	if err := errors.Join(checkID("session", id), ctx.Err()); err != nil {
		return nil, s.store.explain(doing, err)
	}
	path := lockPath(s.store.real, sessionLock+id)
	unlock, err = s.store.lock(ctx, path, id, lockPatience)
	if !errors.Is(err, errHeld) {
		return unlock, err
	}
	o := holder(path, id)
	if o.PID == 0 {
		return nil, fmt.Errorf("session %q: %w by another process", id, session.ErrInUse)
	}
	return nil, fmt.Errorf("session %q: %w: %s (process %d on %s) runs it since %s", id, session.ErrInUse, o.Command,
		o.PID, o.Host, o.Since.Local().Format("15:04:05"))
}

// running reports whether a process runs a session. A lock that is free leaves no file, unless its holder was killed.
func (d *db) running(ctx context.Context, id string) bool {
	path := lockPath(d.real, sessionLock+id)
	if _, err := os.Stat(path); err != nil && d.path != InMemory {
		return false
	}
	unlock, err := d.lock(ctx, path, id, 0)
	if err == nil {
		unlock()
	}
	return errors.Is(err, errHeld)
}
