package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/temporal/internal/heartbeat"
	"github.com/forayhq/foray/providers"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// A Worker makes the steps of runs. All workers of a task queue need the same agents, and a store that they share.
type Worker struct {
	Store session.Store

	// Agents make agents, by the name in [Input].Agent, from its Setup. An agent is made for each step. An error is
	// retried, as one of the step.
	Agents map[string]func(setup json.RawMessage) (*agent.Agent, error)
}

// The names under which workflows and activities are registered.
const (
	runName    = "foray.Run"
	stepName   = "foray.Step"
	decideName = "foray.Decide"
)

// Register registers [Run] and its activities.
func (w *Worker) Register(r worker.Registry) {
	r.RegisterWorkflowWithOptions(Run, workflow.RegisterOptions{Name: runName})
	r.RegisterActivityWithOptions(w.step, activity.RegisterOptions{Name: stepName})
	r.RegisterActivityWithOptions(w.decide, activity.RegisterOptions{Name: decideName})
}

// A stepInput is what a step needs to know. It never holds the conversation.
type stepInput struct {
	Session  string          `json:"session"`
	Agent    string          `json:"agent"`
	Run      int             `json:"run"`                // index in the session; -1: look only
	Step     int             `json:"step"`               // whole steps of the run so far
	Prompt   string          `json:"prompt,omitempty"`   // of the first step of a run
	Setup    json.RawMessage `json:"setup,omitempty"`    // of a run that begins; else that of the session
	Messages []string        `json:"messages,omitempty"` // for the inbox
}

// A Summary is how far a session is after a step.
type Summary struct {
	Runs    int                `json:"runs"`
	Stop    agent.Stop         `json:"stop,omitempty"` // of the newest run; [agent.Paused]: it has more steps to make
	Steps   int                `json:"steps"`          // whole ones of the newest run
	Usage   providers.Usage    `json:"usage"`          // of the newest run
	Waiting []session.Question `json:"waiting,omitempty"`
	Unread  []string           `json:"unread,omitempty"` // messages that came too late for the run
}

// Kinds of errors that another attempt cannot repair.
const (
	badInput = "foray.BadInput"
	damaged  = "foray.Damaged"
	refused  = "foray.Refused"
)

// final returns an error that is not retried.
func final(kind string, err error) error {
	return temporal.NewNonRetryableApplicationError(err.Error(), kind, nil)
}

// classify marks errors that another attempt cannot repair. If the context has ended, it returns the cause: the
// workflow was cancelled, or the worker stops.
func classify(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	switch providers.ClassOf(err) {
	case providers.Auth, providers.Invalid, providers.Spent:
		return final(refused, err)
	}
	switch {
	case errors.Is(err, session.ErrDamaged):
		return final(damaged, err)
	case errors.Is(err, session.ErrUnknown):
		return final(badInput, err)
	}
	return err
}

// step makes one step. It is idempotent: an attempt that finds the step made returns its summary.
func (w *Worker) step(ctx context.Context, in stepInput) (*Summary, error) {
	defer heartbeat.Start(ctx)()
	if in.Step == 0 || in.Run < 0 || activity.GetInfo(ctx).Attempt > 1 {
		state, err := session.Open(ctx, w.Store, in.Session)
		switch {
		case errors.Is(err, session.ErrUnknown) && in.Run < 0:
			return &Summary{}, nil
		case errors.Is(err, session.ErrUnknown) && in.Run == 0 && in.Prompt != "":
		case err != nil:
			return nil, classify(ctx, err)
		case in.Run < 0:
			return summaryOf(state), nil
		case len(state.Runs) > in.Run && len(state.Last().Steps) > in.Step: // an earlier attempt made it
			s := summaryOf(state)
			if end := state.Last().End; end != nil {
				s.Unread = end.Unread
			}
			return s, nil
		case len(state.Runs) > in.Run:
			in.Prompt = "" // an earlier attempt began it
		}
	}
	result, err := w.do(ctx, in)
	if result == nil || result.Stop == agent.Failed || result.Stop == agent.Cancelled {
		return nil, classify(ctx, err)
	}
	return &Summary{in.Run + 1, result.Stop, result.Steps, result.Usage, result.Waiting, result.Unread}, nil
}

// do resumes the session, or begins a run with the prompt, for one step.
func (w *Worker) do(ctx context.Context, in stepInput) (*agent.Result, error) {
	a, err := w.agent(ctx, in)
	if err != nil {
		return nil, err
	}
	inbox := new(agent.Inbox)
	for _, text := range in.Messages {
		inbox.Send(text)
	}
	return a.Do(ctx, agent.Task{
		Prompt:  in.Prompt,
		Inbox:   inbox,
		Session: &agent.Session{Store: w.Store, ID: in.Session, Setup: in.Setup, Steps: 1},
	})
}

// agent makes the agent, with the setup that the session was begun with.
func (w *Worker) agent(ctx context.Context, in stepInput) (*agent.Agent, error) {
	newAgent := w.Agents[in.Agent]
	if newAgent == nil {
		known := strings.Join(slices.Sorted(maps.Keys(w.Agents)), ", ")
		return nil, final(badInput, fmt.Errorf("unknown agent %q: this worker has %s", in.Agent, known))
	}
	if len(in.Setup) > 0 {
		return newAgent(in.Setup)
	}
	for r, err := range w.Store.Records(ctx, in.Session) {
		switch {
		case errors.Is(err, session.ErrUnknown):
		case err != nil:
			return nil, classify(ctx, err)
		case r.Run != nil:
			return newAgent(r.Run.Setup)
		}
		break
	}
	return newAgent(nil)
}

// summaryOf returns how far a session is.
func summaryOf(state *session.State) *Summary {
	last := state.Last()
	s := &Summary{Runs: len(state.Runs), Stop: agent.Paused, Steps: len(last.Steps), Waiting: last.Waiting()}
	if n := len(last.Steps); n > 0 {
		s.Usage = last.Steps[n-1].Usage
	}
	switch {
	case last.Finished():
		s.Stop, s.Usage = agent.Stop(last.End.Stop), last.End.Usage
	case len(s.Waiting) > 0:
		s.Stop = agent.Waiting
	}
	return s
}

// decide records a decision. It is idempotent, too.
func (w *Worker) decide(ctx context.Context, id string, v session.Verdict) (*Summary, error) {
	err := session.Decide(ctx, w.Store, id, v)
	if errors.Is(err, session.ErrInUse) || ctx.Err() != nil {
		return nil, err
	}
	state, failed := session.Open(ctx, w.Store, id)
	if failed != nil {
		return nil, classify(ctx, failed)
	}
	if p := state.Last().Pending; err != nil && (p == nil || p.Verdicts[v.Index] != v) {
		return nil, final(badInput, err)
	}
	return summaryOf(state), nil
}
