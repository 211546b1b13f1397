package dispatch

import (
	"bufio"
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

// A Reply says that a job has ended.
type Reply struct {
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
	ended chan struct{} // closed after err is set

	mu      sync.Mutex // guards what follows, and writing
	next    int
	waiting map[int]chan<- string
	err     error // how the program ended
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
	c := &Client{name: program, ended: make(chan struct{}), waiting: make(map[int]chan<- string)}
	c.input, err = cmd.StdinPipe()
	output, failed := cmd.StdoutPipe()
	if err = errors.Join(err, failed); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("starting %s: %w", program, err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		err := c.read(output)
		if err != nil {
			_ = cmd.Process.Kill() // it says what foray does not understand
		}
		if failed := cmd.Wait(); err == nil {
			err = failed
		}
		c.end(err)
		cancel(c.err)
	}()
	return ctx, c, nil
}

// read takes replies until the program ends.
func (c *Client) read(output io.Reader) error {
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var r Reply
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

// end notes how the program ended.
func (c *Client) end(err error) {
	if c.err = fmt.Errorf("%s ended early", c.name); err != nil {
		c.err = fmt.Errorf("%s ended early: %w", c.name, err)
	}
	close(c.ended)
}

// Do has a job run, and returns when it ended, with its error. The job's ID is set here. If ctx ends first, the job is
// not heard of any more; Close cancels it.
func (c *Client) Do(ctx context.Context, j Job) error {
	reply := make(chan string, 1)
	if err := c.send(j, reply); err != nil {
		return err
	}
	select {
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

func (c *Client) send(j Job, reply chan<- string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	j.ID = c.next
	c.waiting[j.ID] = reply
	if err := json.NewEncoder(c.input).Encode(j); err != nil {
		delete(c.waiting, j.ID)
		return fmt.Errorf("sending a trial to %s: %w", c.name, err)
	}
	return nil
}

// Close ends the program, which cancels the jobs that run, and waits up to 20 seconds for it.
func (c *Client) Close() {
	_ = c.input.Close() // the program may have ended
	select {
	case <-c.ended:
	case <-time.After(grace):
	}
}

// Serve is the side of a program: it calls do for each job that in has, in a goroutine of its own, and writes replies
// to out. At the end of in it cancels the context of the calls, waits for them, and returns nil.
func Serve(ctx context.Context, in io.Reader, out io.Writer, do func(context.Context, Job) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var jobs sync.WaitGroup
	defer jobs.Wait()
	defer cancel()
	var mu sync.Mutex // guards out
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var j Job
		if err := json.Unmarshal(lines.Bytes(), &j); err != nil {
			return fmt.Errorf("reading the job %.80q: %w", lines.Text(), err)
		}
		jobs.Go(func() {
			r := Reply{ID: j.ID}
			if err := do(ctx, j); err != nil {
				r.Error = err.Error()
			}
			mu.Lock()
			defer mu.Unlock()
			_ = json.NewEncoder(out).Encode(r) // without a reader, in ends soon
		})
	}
	return lines.Err()
}
