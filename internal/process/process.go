// Package process runs programs that may hang, flood their output or leave children.
//
// Start with [Run]. [Mark], [Isolate] and [End] do its part for a command that is run otherwise.
package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/forayhq/foray/internal/lazyregexp"
)

// A Command is a program to run.
type Command struct {
	Args  []string
	Dir   string
	Env   []string      // beside those of [Environment], as NAME=value
	Limit time.Duration // until it is killed; 0: only ctx ends it
	Keep  int           // bytes kept of the output, the last ones; 0: none
}

// A Result is how a program ended.
type Result struct {
	Exit   int    // code; -1 if it was killed
	Output string // the end of what it wrote to both outputs
	Late   bool   // it was killed at its limit
}

// grace is how long the pipes of a dead program may stay open in its children, before they are closed.
const grace = time.Second

// Run runs a program, and kills it with its children when it ends, at its limit, and when ctx ends. It returns an error
// if the program cannot be started, and that of ctx.
func Run(ctx context.Context, c Command) (Result, error) {
	limited, cancel := ctx, context.CancelFunc(func() {})
	if c.Limit > 0 {
		limited, cancel = context.WithTimeout(ctx, c.Limit)
	}
	defer cancel()
	cmd := exec.CommandContext(limited, c.Args[0], c.Args[1:]...)
	out := &Tail{Keep: c.Keep}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.Dir, append(Environment(), c.Env...), out, out
	runtime.LockOSThread() // see Isolate
	defer runtime.UnlockOSThread()
	Mark(cmd)
	Isolate(cmd)
	if err := cmd.Start(); err != nil {
		return Result{}, fmt.Errorf("running %s: %w", c.Args[0], err)
	}
	err := cmd.Wait()
	End(cmd)
	r := Result{Exit: cmd.ProcessState.ExitCode(), Output: out.String(), Late: limited.Err() != nil && ctx.Err() == nil}
	exited := (*exec.ExitError)(nil)
	switch {
	case ctx.Err() != nil:
		return r, context.Cause(ctx)
	case err != nil && !r.Late && !errors.As(err, &exited) && !errors.Is(err, exec.ErrWaitDelay):
		return r, fmt.Errorf("running %s: %w", c.Args[0], err)
	}
	return r, nil
}

// secret finds names of variables that may hold a credential.
var secret = lazyregexp.New(`(?i)key|token|secret|pass|_pwd|(^|_)pat(_|$)|credential|auth`)

// Environment returns the environment of this process without variables that may hold a credential.
func Environment() []string {
	var env []string
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !secret.MatchString(name) {
			env = append(env, v)
		}
	}
	return env
}

// A Tail keeps the last bytes that are written to it.
type Tail struct {
	Keep int
	text []byte
}

// Write never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p[max(0, len(p)-t.Keep):]...)
	if len(t.text) > 2*t.Keep {
		t.text = append(t.text[:0], t.text[len(t.text)-t.Keep:]...)
	}
	return len(p), nil
}

// String returns the last bytes as valid UTF-8.
func (t *Tail) String() string {
	return strings.ToValidUTF8(string(t.text[max(0, len(t.text)-t.Keep):]), "")
}
