package ui

import "golang.org/x/sys/unix"

// How Linux reads and sets the modes of a terminal, and marks a control character that it has not.
const (
	getTermios, setTermios = unix.TCGETS, unix.TCSETS
	disabled               = 0
)
