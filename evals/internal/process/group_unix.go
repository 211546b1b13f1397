//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// Isolate puts a command that was not started yet into a process group of its own, which dies with it when its context
// ends. A child that leaves the group escapes.
func Isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = grace
}

// End kills what is left of the group of a command that has ended.
func End(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // fails if nothing is left
}
