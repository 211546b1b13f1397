//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package ui

import "golang.org/x/sys/unix"

// How BSDs read and set the modes of a terminal, and mark a control character that it has not.
const (
	getTermios, setTermios = unix.TIOCGETA, unix.TIOCSETA
	disabled               = 0xff
)
