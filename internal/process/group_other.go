//go:build !unix

package process

import "os/exec"

// Isolate bounds how long a command is waited for when its context ends. Its children live on.
func Isolate(cmd *exec.Cmd) { cmd.WaitDelay = grace }

// End does nothing on this system.
func End(*exec.Cmd) {}
