//go:build unix && !linux

package process

import "os/exec"

// killStrays does nothing on this system.
func killStrays(*exec.Cmd) {}
