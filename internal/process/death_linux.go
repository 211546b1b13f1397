package process

import "syscall"

// dieWithParent lets a command die even if this process is killed and can end nothing any more.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
