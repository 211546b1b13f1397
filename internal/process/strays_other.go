//go:build !linux

package process

import "os/exec"

// Mark does nothing on this system.
func Mark(*exec.Cmd) {}
