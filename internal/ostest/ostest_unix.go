//go:build unix

// Package ostest gives tests what only some operating systems have. Start with [Fifo].
package ostest

import (
	"syscall"
	"time"
)

// Fifo makes a named pipe at path. Elsewhere than on Unix it returns [errors.ErrUnsupported].
func Fifo(path string) error { return syscall.Mkfifo(path, 0o600) }

// CPUTime returns the processor time that this process has used. Elsewhere than on Unix it returns
// [errors.ErrUnsupported].
func CPUTime() (time.Duration, error) {
	var u syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
}
