package mcp

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"github.com/forayhq/foray/internal/process"
)

// A program is a running server. Its streams are the connection.
type program struct {
	stdin  io.WriteCloser
	stdout *os.File
	said   *said
	ended  chan struct{} // closed when it has ended, with its group
}

// lastWords is how much of what a program writes to standard error is kept for errors, in bytes.
const lastWords = 2_000

// said is the end of what a program wrote to standard error.
type said struct {
	mu   sync.Mutex
	tail process.Tail
}

// Write never fails.
func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tail.Write(p)
}

// String returns what is kept.
func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tail.String()
}

// start starts a server in a process group of its own, which dies when ctx ends.
func start(ctx context.Context, s Server) (*program, error) {
	cmd := exec.CommandContext(ctx, s.Command, s.Args...)
	cmd.Dir, cmd.Env = s.Dir, process.Environment()
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	p := &program{said: &said{tail: process.Tail{Keep: lastWords}}, ended: make(chan struct{})}
	cmd.Stderr = p.said
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.stdin, p.stdout, cmd.Stdout = stdin, out, in
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // see process.Isolate
		defer runtime.UnlockOSThread()
		defer close(p.ended)
		process.Isolate(cmd)
		err := cmd.Start()
		in.Close()
		started <- err
		if err == nil {
			_ = cmd.Wait() // its connection says how it ended
			process.End(cmd)
		}
	}()
	if err := <-started; err != nil {
		out.Close()
		return nil, fmt.Errorf("it cannot be started: %w", err)
	}
	return p, nil
}

// quitTime is how long a program may take to end by itself once its input is closed.
const quitTime = time.Second

// wait waits for the end of the program, at most quitTime.
func (p *program) wait() {
	select {
	case <-p.ended:
	case <-time.After(quitTime):
	}
}
