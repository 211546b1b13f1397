package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"time"

	"github.com/forayhq/foray/agent/temporal/internal/heartbeat"
	"github.com/forayhq/foray/evals/dispatch"
	"github.com/forayhq/foray/internal/process"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// The names under which the workflow and its activity are registered.
const (
	workflowName = "foray.Trial"
	activityName = "foray.RunTrial"
)

const (
	silence  = 10 * time.Second // until a silent worker counts as dead
	attempts = 20               // at a trial, those of dead workers too: a trial may be what kills them
	longest  = 7 * 24 * time.Hour
	ending   = 15 * time.Second // for foray to clean up, before it is killed
	keep     = 2_000            // bytes of the end of its standard error
)

// Trial is the workflow of a trial.
func Trial(ctx workflow.Context, j dispatch.Job) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: longest, // foray eval trial has its own time-out
		HeartbeatTimeout:    silence,
		WaitForCancellation: true,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 100 * time.Millisecond, MaximumInterval: 10 * time.Second, MaximumAttempts: attempts,
		},
	})
	return workflow.ExecuteActivity(ctx, activityName, j).Get(ctx, nil)
}

// work runs trials until ctx ends.
func work(ctx context.Context, c client.Client, o *options, _ io.Reader, _, stderr io.Writer) error {
	path, err := exec.LookPath(o.foray)
	if err != nil {
		return fmt.Errorf("finding foray: %w; --foray names it", err)
	}
	alive, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	w := worker.New(c, o.queue, worker.Options{
		OnFatalError:                       stop,
		MaxConcurrentActivityExecutionSize: o.jobs, MaxHeartbeatThrottleInterval: silence / 4,
		WorkerStopTimeout: ending + time.Second,
	})
	w.RegisterWorkflowWithOptions(Trial, workflow.RegisterOptions{Name: workflowName})
	w.RegisterActivityWithOptions(foray(path).trial, activity.RegisterOptions{Name: activityName})
	if err := w.Start(); err != nil {
		return fmt.Errorf("starting the worker: %w", err)
	}
	fmt.Fprintf(stderr, "foray-temporal: running up to %d trials at a time from the queue %s\n", o.jobs, o.queue)
	<-alive.Done()
	w.Stop()
	if ctx.Err() == nil {
		return fmt.Errorf("the worker was stopped: %w", context.Cause(alive))
	}
	return nil
}

// A foray is the path of the program.
type foray string

// trial runs foray eval trial, which ends early when its standard input does: so also if the worker is killed.
func (f foray) trial(ctx context.Context, j dispatch.Job) error {
	if len(j.Args) < 2 || !slices.Equal(j.Args[:2], []string{"eval", "trial"}) {
		return temporal.NewNonRetryableApplicationError("a worker runs foray eval trial only", "foray.Refused", nil)
	}
	defer heartbeat.Start(ctx)()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-activity.GetWorkerStopChannel(ctx):
			cancel(errors.New("the worker was stopped"))
		case <-ctx.Done():
		}
	}()
	stderr := &process.Tail{Keep: keep}
	cmd := exec.Command(string(f), j.Args...)
	cmd.Dir, cmd.Stderr, cmd.WaitDelay = j.Dir, stderr, ending
	input, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	unwatch := context.AfterFunc(ctx, func() {
		_ = input.Close() // asks it to end
		time.AfterFunc(ending, func() { _ = cmd.Process.Kill() })
	})
	err = cmd.Wait()
	unwatch()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return fmt.Errorf("%w: %s", err, stderr)
}
