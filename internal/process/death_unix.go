//go:build unix && !linux

package process

import "syscall"

// dieWithParent does nothing on this system.
func dieWithParent(*syscall.SysProcAttr) {}
