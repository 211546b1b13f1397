package servertest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/temporal"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
)

// register opens a worker over a folder until the test ends.
func register(t *testing.T, dir string) *temporal.Worker {
	t.Helper()
	w, closeStore, err := newWorker(dir)
	must(t, err)
	t.Cleanup(func() { must(t, closeStore()) })
	return w
}

// checkWalk waits for a workflow and compares its run with an undisturbed one.
func checkWalk(t *testing.T, dir, name string, w client.WorkflowRun, want []string, steps int) {
	t.Helper()
	var got temporal.Summary
	must(t, w.Get(t.Context(), &got))
	if got.Stop != agent.Answered || got.Steps != steps || got.Runs != 1 {
		t.Errorf("%s: %+v, want %d steps", name, got, steps)
	}
	if sent := lines(dir, name+".sent"); !slices.Equal(sent, want) {
		t.Errorf("%s: %d requests, and not those %d of an undisturbed run", name, len(sent), len(want))
	}
}

// history returns the size of a workflow's history.
func history(t *testing.T, c client.Client, w client.WorkflowRun) (bytes, events int64) {
	t.Helper()
	d, err := c.DescribeWorkflowExecution(context.Background(), w.GetID(), w.GetRunID())
	must(t, err)
	return d.WorkflowExecutionInfo.GetHistorySizeBytes(), d.WorkflowExecutionInfo.GetHistoryLength()
}

// Rule: runs over workers that stop in turn, each in the middle of a step, send the requests of undisturbed runs.
func TestWorkersStop(t *testing.T) {
	want, steps := undisturbed(t, 120)
	server, dir := start(t), t.TempDir()
	c := server.GetDefaultClient()
	work := func() worker.Worker {
		w := worker.New(c, queue, worker.Options{})
		register(t, dir).Register(w)
		must(t, w.Start())
		return w
	}
	workers := []worker.Worker{work(), work(), work()}
	var runs []client.WorkflowRun
	for i := range 3 {
		runs = append(runs, begin(t, c, input(fmt.Sprint("walk", i), 120)))
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for _, w := range runs {
			_ = w.Get(context.Background(), nil)
		}
	}()
	stops := 0
	for i, over := 0, false; !over; i = (i + 1) % len(workers) {
		select {
		case <-ended:
			over = true
		case <-time.After(500 * time.Millisecond):
			workers[i].Stop()
			workers[i] = work()
			stops++
		}
	}
	for i, w := range runs {
		checkWalk(t, dir, fmt.Sprint("walk", i), w, want, steps)
		bytes, events := history(t, c, w)
		t.Logf("%d steps, %d bytes of history (%d a step), %d events", steps, bytes, bytes/int64(steps), events)
	}
	t.Logf("stopped %d workers", stops)
	for _, w := range workers {
		w.Stop()
	}
}

// Rule: the same for processes that are killed. No call with effects is made twice.
func TestWorkersKilled(t *testing.T) {
	const pages = 60
	want, steps := undisturbed(t, pages)
	server, dir := start(t), t.TempDir()
	c := server.GetDefaultClient()
	work := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), dirEnv+"="+dir, addressEnv+"="+server.GetFrontendHostPort(),
			namespaceEnv+"="+server.GetDefaultNamespace())
		cmd.Stderr = os.Stderr
		must(t, cmd.Start())
		return cmd
	}
	kills := 4
	if n, err := strconv.Atoi(os.Getenv("FORAY_KILL")); err == nil {
		kills = n
	}
	workers := []*exec.Cmd{work(), work(), work()}
	kill := func(w *exec.Cmd) {
		_ = w.Process.Kill()
		_ = w.Wait()
	}
	name, round := "walk", 0
	for killed := 0; killed < kills; round++ {
		name = fmt.Sprint("walk", round)
		w := begin(t, c, input(name, pages))
		for i := 0; ; i = (i + 1) % len(workers) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			err := w.Get(ctx, nil)
			cancel()
			if err == nil {
				break
			}
			if killed++; killed <= kills {
				kill(workers[i])
				workers[i] = work()
			}
		}
		checkWalk(t, dir, name, w, want, steps)
	}
	for _, w := range workers {
		kill(w)
	}
	t.Logf("%d runs of %d steps, %d workers killed", round, steps, kills)
}

// Rule: a step adds the same few bytes to the history, however long the conversation is.
func TestHistory(t *testing.T) {
	pages := 100
	if n, err := strconv.Atoi(os.Getenv("FORAY_TEMPORAL_PAGES")); err == nil {
		pages = n
	}
	server, dir := start(t), t.TempDir()
	server.NewWorker(queue, register(t, dir).Register)
	c := server.GetDefaultClient()
	var last int64
	for _, pages := range []int{pages / 2, pages} {
		began := time.Now()
		w := begin(t, c, input(fmt.Sprint("walk", pages), pages))
		var got temporal.Summary
		must(t, w.Get(t.Context(), &got))
		bytes, events := history(t, c, w)
		a := bytes / int64(got.Steps)
		t.Logf("%d steps in %v: %d bytes of history, %d a step, %d events", got.Steps, time.Since(began), bytes, a, events)
		if a > 2000 || last > 0 && a > last*11/10 {
			t.Errorf("a step adds %d bytes, before %d", a, last)
		}
		last = a
	}
}

// A slow model answers when the test says so. It counts the messages of the user.
type slow struct{ asked, answer chan struct{} }

func (slow) Info() providers.Info { return providers.Info{Provider: "test", Name: "slow"} }

func (m slow) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		users := 0
		for _, msg := range req.Messages {
			if msg.Role == transcript.User {
				users++
			}
		}
		select {
		case m.asked <- struct{}{}:
		case <-ctx.Done():
			yield(providers.Delta{}, ctx.Err())
			return
		}
		select {
		case <-m.answer:
			yield(providers.Delta{Text: fmt.Sprintf("%d messages", users), Finish: providers.Stop}, nil)
		case <-ctx.Done():
			yield(providers.Delta{}, ctx.Err())
		}
	}
}

// A cancelled workflow stops its step, and another one resumes the session. A message that comes while the last request
// is out begins another run.
func TestCancelAndSay(t *testing.T) {
	server, dir := start(t), t.TempDir()
	c := server.GetDefaultClient()
	w := register(t, dir)
	m := slow{make(chan struct{}), make(chan struct{})}
	w.Agents["slow"] = func(json.RawMessage) (*agent.Agent, error) { return agent.New(agent.Config{Model: m}) }
	server.NewWorker(queue, w.Register)
	in := input("s", 0)
	in.Agent = "slow"
	run := begin(t, c, in)
	<-m.asked
	must(t, c.CancelWorkflow(t.Context(), run.GetID(), ""))
	var cancelled *sdk.CanceledError
	if err := run.Get(t.Context(), nil); !errors.As(err, &cancelled) {
		t.Fatalf("a cancelled workflow: %v", err)
	}
	in.Prompt = ""
	run = begin(t, c, in)
	<-m.asked
	must(t, c.SignalWorkflow(t.Context(), run.GetID(), "", temporal.Say, "And then?"))
	m.answer <- struct{}{}
	<-m.asked
	m.answer <- struct{}{}
	var got temporal.Summary
	must(t, run.Get(t.Context(), &got))
	state, err := session.Load(t.Context(), w.Store, "s")
	must(t, err)
	if got.Runs != 2 || got.Stop != agent.Answered || state.Last().End.Text != "2 messages" {
		t.Errorf("%+v: %q", got, state.Last().End.Text)
	}
}
