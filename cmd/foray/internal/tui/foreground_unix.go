//go:build unix

package tui

import (
	"os"

	"golang.org/x/sys/unix"
)

// inForeground reports whether the process may read from its terminal: the system stops one in the background that
// does.
func inForeground(terminal *os.File) bool {
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}
