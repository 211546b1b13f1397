//go:build unix

package filelock

import (
	"errors"
	"os"
	"slices"
	"syscall"
)

// noLocks are the errors of file systems that have no locks.
var noLocks = []error{syscall.ENOTSUP, syscall.EOPNOTSUPP, syscall.ENOSYS, syscall.ENOLCK}

// Take creates and locks a file, or returns [ErrHeld]. The file is nil if the file system has no locks. The kernel
// frees the lock when the process ends, however it ends; the programs that the process starts do not inherit it.
func Take(path string) (*os.File, error) {
	for {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
		if err != nil {
			return nil, err
		}
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil && isAt(file, path) {
			return file, nil
		}
		_ = file.Close() // nothing was written
		switch {
		case err == nil || errors.Is(err, syscall.EINTR): // its last owner removed it meanwhile
		case errors.Is(err, syscall.EWOULDBLOCK):
			return nil, ErrHeld
		case slices.ContainsFunc(noLocks, func(e error) bool { return errors.Is(err, e) }):
			return nil, nil
		default:
			return nil, &os.PathError{Op: "flock", Path: path, Err: err}
		}
	}
}

// isAt reports whether an open file is the one at a path.
func isAt(file *os.File, path string) bool {
	opened, err := file.Stat()
	if err != nil {
		return false
	}
	found, err := os.Lstat(path)
	return err == nil && os.SameFile(opened, found)
}

// Free removes the file while it is still locked: whoever has opened it notices, and tries again.
func Free(file *os.File, path string) {
	_ = os.Remove(path) // a file that stays is locked again by the next owner
	_ = file.Close()
}
