//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package ui

import "errors"

// byKeys fails: here, a terminal gives whole lines.
func byKeys(int) (restore func(), err error) { return nil, errors.ErrUnsupported }
