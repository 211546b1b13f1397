package temporal

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/session"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// The names of the signals and of the query of [Run].
const (
	Decide = "decide" // a [session.Verdict]
	Say    = "say"    // a string: a message to the run, or the prompt of another one
	State  = "state"  // returns a [Summary]
)

// An Input begins or resumes a run. Durations and counts that are 0 get the defaults in parentheses.
type Input struct {
	Session string          `json:"session"`          // its id in the store
	Agent   string          `json:"agent"`            // a name of [Worker].Agents
	Setup   json.RawMessage `json:"setup,omitempty"`  // for the function that makes the agent (that of the session)
	Prompt  string          `json:"prompt,omitempty"` // "": resume the last run of the session

	Wait      time.Duration `json:"wait,omitempty"`      // for another prompt once a run is over (not at all)
	StepTime  time.Duration `json:"step_time,omitempty"` // of the longest step (30 min)
	Heartbeat time.Duration `json:"heartbeat,omitempty"` // until a silent worker counts as dead (30 s)
	Attempts  int32         `json:"attempts,omitempty"`  // at a step, those of dead workers too (20)

	Messages []string `json:"messages,omitempty"` // for the inbox
}

// A run is the state of a workflow.
type run struct {
	Input
	Summary
}

// Run is the workflow of a run: a step is an activity. It returns how far the session is when the run is over and no
// message came that begins another one. At a step that keeps failing it returns the error; the session can be resumed.
// When its history grows long, it continues as a new workflow.
func Run(ctx workflow.Context, in Input) (*Summary, error) {
	r := &run{Input: in}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: cmp.Or(in.StepTime, 30*time.Minute),
		HeartbeatTimeout:    cmp.Or(in.Heartbeat, 30*time.Second),
		WaitForCancellation: true,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, MaximumInterval: time.Minute, MaximumAttempts: cmp.Or(in.Attempts, 20),
		},
	})
	err := workflow.SetQueryHandler(ctx, State, func() (Summary, error) { return r.Summary, nil })
	if err != nil {
		return nil, err
	}
	if err := r.call(ctx, stepName, stepInput{Session: in.Session, Run: -1}); err != nil {
		return nil, err
	}
	switch {
	case r.Prompt == "" && r.Runs == 0:
		return nil, final(badInput, fmt.Errorf("session %q: %w: begin it with a prompt", in.Session, session.ErrUnknown))
	case r.Prompt != "" && r.Runs > 0 && r.Stop.Resumable():
		return nil, final(badInput, fmt.Errorf(
			"session %q has a run that is not over: resume it, without a prompt", in.Session))
	}
	for {
		if err := r.run(ctx); err != nil || !r.next(ctx) {
			return &r.Summary, err
		}
	}
}

// call runs an activity, and takes its summary.
func (r *run) call(ctx workflow.Context, name string, args ...any) error {
	var s Summary
	if err := workflow.ExecuteActivity(ctx, name, args...).Get(ctx, &s); err != nil {
		return err
	}
	r.Summary = s
	r.Messages = append(r.Messages, s.Unread...)
	return nil
}

// run makes the steps of a run until it is over.
func (r *run) run(ctx workflow.Context) error {
	in := stepInput{Session: r.Session, Agent: r.Agent, Run: r.Runs - 1, Step: r.Steps}
	if r.Prompt != "" {
		in.Run, in.Step, in.Prompt, in.Setup = r.Runs, 0, r.Prompt, r.Setup
	}
	for {
		in.Messages = r.messages(ctx)
		r.Messages = nil
		if err := r.call(ctx, stepName, in); err != nil {
			return err
		}
		r.Prompt, in.Prompt, in.Setup, in.Step = "", "", nil, r.Steps
		switch r.Stop {
		case agent.Paused:
		case agent.Waiting:
			if err := r.decide(ctx); err != nil {
				return err
			}
		default:
			return nil
		}
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			r.Messages = r.messages(ctx)
			return workflow.NewContinueAsNewError(ctx, runName, r.Input)
		}
	}
}

// messages returns the messages that the run has not read, with those that came meanwhile.
func (r *run) messages(ctx workflow.Context) []string {
	all := r.Messages
	for text := ""; workflow.GetSignalChannel(ctx, Say).ReceiveAsync(&text); {
		all = append(all, text)
	}
	return all
}

// decide waits until a person has decided about each call for which the run waits.
func (r *run) decide(ctx workflow.Context) error {
	for len(r.Waiting) > 0 {
		var v session.Verdict
		if !receive(ctx, Decide, &v, 0) {
			return ctx.Err()
		}
		err := r.call(ctx, decideName, r.Session, v)
		var wrong *temporal.ApplicationError
		if errors.As(err, &wrong) && wrong.Type() == badInput {
			workflow.GetLogger(ctx).Warn("The decision is ignored.", "error", err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// next reports whether a message begins another run, and makes it the prompt.
func (r *run) next(ctx workflow.Context) bool {
	r.Messages = r.messages(ctx)
	if len(r.Messages) == 0 {
		text := ""
		if r.Wait <= 0 || !receive(ctx, Say, &text, r.Wait) {
			return false
		}
		r.Messages = []string{text}
	}
	r.Prompt, r.Messages = r.Messages[0], r.Messages[1:]
	return r.Prompt != ""
}

// receive waits for a signal, at most for a time if that is not 0. It reports false if none came or the workflow was
// cancelled.
func receive(ctx workflow.Context, signal string, into any, wait time.Duration) (got bool) {
	timer, cancel := workflow.WithCancel(ctx)
	defer cancel()
	s := workflow.NewSelector(ctx)
	s.AddReceive(workflow.GetSignalChannel(ctx, signal), func(c workflow.ReceiveChannel, _ bool) {
		c.Receive(ctx, into)
		got = true
	})
	s.AddReceive(ctx.Done(), func(workflow.ReceiveChannel, bool) {})
	if wait > 0 {
		s.AddFuture(workflow.NewTimer(timer, wait), func(workflow.Future) {})
	}
	s.Select(ctx)
	return got
}
