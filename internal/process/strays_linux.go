package process

import (
	"bytes"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// markPrefix begins the name of the variable by which the descendants of a command are found. The name is unique, so
// that a program which runs programs itself, by this package too, keeps the mark of each.
const markPrefix = "FORAY_GROUP_"

// Mark lets [End] find the descendants of a command that leave its group, such as daemons: it gives the command a
// variable that they inherit. Call it once the environment of the command is set. It works on Linux only.
func Mark(cmd *exec.Cmd) { cmd.Env = append(cmd.Environ(), markPrefix+rand.Text()+"=1") }

// maxPasses bounds how often the processes are searched: while some are killed, they may start others.
const maxPasses = 10

// killStrays kills the descendants of a marked command. One that cleared its environment escapes.
func killStrays(cmd *exec.Cmd) {
	if len(cmd.Env) == 0 || !strings.HasPrefix(cmd.Env[len(cmd.Env)-1], markPrefix) {
		return
	}
	variable := append([]byte(cmd.Env[len(cmd.Env)-1]), 0)
	for range maxPasses {
		found := false
		environments, _ := filepath.Glob("/proc/[0-9]*/environ") // fails only for a bad pattern
		for _, name := range environments {
			env, err := os.ReadFile(name)
			if err != nil || !bytes.Contains(env, variable) { // it has ended, or belongs to another user
				continue
			}
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil {
				_ = syscall.Kill(pid, syscall.SIGKILL) // fails if it has ended
				found = true
			}
		}
		if !found {
			return
		}
	}
}
