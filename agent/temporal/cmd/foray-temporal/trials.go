package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/forayhq/foray/evals/dispatch"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
)

// trials starts a workflow for each job that in has, and writes to out how they end.
func trials(ctx context.Context, c client.Client, o *options, in io.Reader, out, stderr io.Writer) error {
	signal.Ignore(os.Interrupt) // which a terminal sends to foray, too: it ends the input, once it takes no more replies
	if idle(ctx, c, o.queue) {
		fmt.Fprintf(stderr, "foray-temporal: no worker listens on the queue %s yet: run foray-temporal work on each "+
			"machine\n", o.queue)
	}
	return dispatch.Serve(ctx, in, out, func(ctx context.Context, j dispatch.Job) error {
		return plain(await(ctx, c, o.queue, j))
	})
}

// await starts the workflow of a job and waits for it. If ctx ends, it cancels it. A workflow of the same trial that
// still runs is of a foray that was interrupted or killed, and is terminated.
func await(ctx context.Context, c client.Client, queue string, j dispatch.Job) error {
	id := "foray-trial-" + queue + "-" + j.Key
	w, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: id, TaskQueue: queue,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING,
	}, workflowName, j)
	if err == nil {
		err = w.Get(ctx, nil)
	}
	if ctx.Err() != nil { // the server may have started it, also if nobody heard that
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		return errors.Join(err, c.CancelWorkflow(ctx, id, ""))
	}
	return err
}

// plain leaves of an error of a workflow what its activity said.
func plain(err error) error {
	var failed *temporal.ApplicationError
	if errors.As(err, &failed) {
		return errors.New(failed.Message())
	}
	return err
}

// idle reports whether the queue is known to have no worker.
func idle(ctx context.Context, c client.Client, queue string) bool {
	d, err := c.DescribeTaskQueue(ctx, queue, enums.TASK_QUEUE_TYPE_ACTIVITY)
	return err == nil && len(d.GetPollers()) == 0
}
