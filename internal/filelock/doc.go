// Package filelock locks files against other processes: with an exclusive flock, on Windows with an open that shares
// nothing. The system frees a lock when its process ends, however it ends.
//
// Start with [Take].
package filelock

import "errors"

// ErrHeld says that another open file holds a lock.
var ErrHeld = errors.New("the lock is held")
