package dispatch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"
)

// A Job is a trial to run.
type Job struct {
	ID   int      `json:"id"`   // that its reply repeats
	Key  string   `json:"key"`  // of the trial: the same for the same trial of the same folder of results
	Dir  string   `json:"dir"`  // the working directory
	Args []string `json:"args"` // of foray
}

// A reply says that a job has ended.
type reply struct {
	ID    int    `json:"id"`
	Error string `json:"error,omitempty"` // "": it exited with code 0
}

const (
	maxLine = 1 << 20 // bytes of a job or a reply
	grace   = 20 * time.Second
)

// A Client sends jobs to a program. Its methods are safe for concurrent use.
type Client struct {
	name  string
	input io.WriteCloser
	jobs  chan []byte   // lines to write
	ended chan struct{} // closed after err is set
	err   error         // how the program ended
	kill  func() error

	mu      sync.Mutex // guards what follows
	next    int
	waiting map[int]chan<- string
}

// Start starts a program, whose standard error goes to stderr. The context that it returns ends when the program does,
// with the reason as its cause, or with ctx. Call Close when no job runs.
func Start(ctx context.Context, stderr io.Writer, program string, args ...string) (context.Context, *Client, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return nil, nil, fmt.Errorf("starting %s: %w", program, err)
	}
	cmd := exec.Command(path, args...) // not of ctx: it ends when its input does, and cancels what runs
	cmd.Stderr, cmd.WaitDelay = stderr, grace
	c := &Client{
		name: program, jobs: make(chan []byte), ended: make(chan struct{}), waiting: make(map[int]chan<- string),
		kill: func() error { return cmd.Process.Kill() },
	}
	c.input, err = cmd.StdinPipe()
	output, failed := cmd.StdoutPipe()
	if err = errors.Join(err, failed); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("starting %s: %w", program, err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go c.write()
	go func() {
		err := c.read(output)
		if err != nil {
			_ = c.kill() // it says what foray does not understand
		}
		if failed := cmd.Wait(); err == nil {
			err = failed
		}
		if c.err = fmt.Errorf("%s ended early", program); err != nil {
			c.err = fmt.Errorf("%s ended early: %w", program, err)
		}
		cancel(c.err) // before a job fails: the run ends, and not one trial after the other
		close(c.ended)
	}()
	return ctx, c, nil
}

// write writes jobs, until the input is closed or the program ends.
func (c *Client) write() {
	for {
		select {
		case line := <-c.jobs:
			if _, err := c.input.Write(line); err != nil {
				return // the program has ended, or does soon
			}
		case <-c.ended:
			return
		}
	}
}

// read takes replies until the program ends.
func (c *Client) read(output io.Reader) error {
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var r reply
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return fmt.Errorf("its reply %.80q: %w", lines.Text(), err)
		}
		c.mu.Lock()
		waits := c.waiting[r.ID]
		delete(c.waiting, r.ID)
		c.mu.Unlock()
		if waits != nil {
			waits <- r.Error
		}
	}
	return lines.Err()
}

// Do has a job run, and returns when it ended, with its error. The job's ID is set here. If ctx ends first, the job is
// not heard of any more; Close cancels it.
func (c *Client) Do(ctx context.Context, j Job) error {
	reply := make(chan string, 1)
	c.mu.Lock()
	c.next++
	j.ID = c.next
	c.waiting[j.ID] = reply
	c.mu.Unlock()
	line, err := json.Marshal(j)
	if err != nil {
		return fmt.Errorf("sending a trial to %s: %w", c.name, err)
	}
	line = append(line, '\n')
	jobs := c.jobs
	for {
		select {
		case jobs <- line:
			jobs = nil // sent
		case text := <-reply:
			if text != "" {
				return errors.New(text)
			}
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-c.ended:
			return c.err
		}
	}
}

// Close ends the program: it closes its input, so that the program cancels the jobs that run, and kills it if it still
// runs after 20 seconds.
func (c *Client) Close() {
	_ = c.input.Close() // the program may have ended
	select {
	case <-c.ended:
	case <-time.After(grace):
		_ = c.kill()
	}
}

// Serve is the side of a program: it calls do for each job that in has, in a goroutine of its own, and writes replies
// to out. At the end of in it cancels the context of the calls, waits for them, and returns nil. It does the same if
// ctx ends, and returns the cause. Calls that are cancelled get no reply.
func Serve(ctx context.Context, in io.Reader, out io.Writer, do func(context.Context, Job) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var jobs sync.WaitGroup
	defer jobs.Wait()
	defer cancel()
	var mu sync.Mutex // guards out
	send := func(r reply) {
		mu.Lock()
		defer mu.Unlock()
		_ = json.NewEncoder(out).Encode(r) // without a reader, in ends soon
	}
	lines, ended := make(chan []byte), make(chan error, 1)
	go scan(ctx, in, lines, ended)
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case err := <-ended:
			return err
		case line := <-lines:
			var j Job
			if err := json.Unmarshal(line, &j); err != nil {
				return fmt.Errorf("reading the job %.80q: %w", line, err)
			}
			jobs.Go(func() {
				r := reply{ID: j.ID}
				if err := do(ctx, j); err != nil {
					r.Error = err.Error()
				}
				if r.Error == "" || ctx.Err() == nil {
					send(r)
				}
			})
		}
	}
}

// scan sends the lines of in, and then how it ended. A read that nobody ends outlives ctx.
func scan(ctx context.Context, in io.Reader, lines chan<- []byte, ended chan<- error) {
	s := bufio.NewScanner(in)
	s.Buffer(nil, maxLine)
	for s.Scan() {
		select {
		case lines <- bytes.Clone(s.Bytes()):
		case <-ctx.Done():
			return
		}
	}
	ended <- s.Err()
}
