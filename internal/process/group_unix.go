//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// Isolate puts a command that was not started yet into a process group of its own, which dies with it when its context
// ends. A child that leaves the group escapes, unless the command is marked: see [Mark]. On Linux the command itself,
// but not its children, also dies with the thread that starts it: call [runtime.LockOSThread] first, and unlock it only
// after the command has ended.
func Isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = grace
}

// End kills what is left of the group of a command that has ended, and what left the group if the command is marked.
func End(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // fails if nothing is left
	killStrays(cmd)
}
