package pipelines

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
)

// Run runs stages one after another on one window and returns an outcome for each, even beside an error. Each stage
// begins with ResetStage: the window's digest keeps what was submitted, done and read, and the stage's prompt says
// everything else. A retry continues on the same window, with the gate's reason as its prompt.
//
// The error is that of a stage that failed or panicked, that of [Stage.StopExhausted], or that of ctx; later stages
// are skipped. A degraded stage is not an error. Run returns when everything that it started has ended.
func Run(ctx context.Context, window *contextwindow.Window, input string, stages ...Stage) ([]Outcome, error) {
	if err := check(window, stages); err != nil {
		return nil, err
	}
	var outcomes []Outcome
	var ended error
	short := "" // the stage that degraded
	for _, s := range stages {
		o := Outcome{Stage: s.Name}
		switch {
		case ended != nil:
			o.Status, o.Reason = Skipped, "a stage before it failed"
		case short != "" && !s.RunDegraded:
			o.Status, o.Reason = Skipped, short+" did not pass"
		default:
			ended = s.run(ctx, window, input, outcomes, &o)
		}
		if o.Status == Degraded || o.Status == Exhausted {
			short = cmp.Or(short, s.Name)
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, ended
}

// check refuses stages that cannot run.
func check(window *contextwindow.Window, stages []Stage) error {
	if window == nil {
		return errors.New("pipelines: no window")
	}
	if len(stages) == 0 {
		return errors.New("pipelines: no stages")
	}
	names := make(map[string]bool)
	for i, s := range stages {
		switch {
		case s.Agent == nil || s.Prompt == nil:
			return fmt.Errorf("pipelines: stage %d (%s) has no agent or no prompt", i+1, s.Name)
		case s.Name == "" || names[s.Name]:
			return fmt.Errorf("pipelines: stage %d has the name %q, which is empty or another's", i+1, s.Name)
		}
		names[s.Name] = true
	}
	return nil
}

// run runs a stage to its end. A panic in its prompt, gate, observer or model becomes its error.
func (s *Stage) run(ctx context.Context, w *contextwindow.Window, input string, done []Outcome,
	o *Outcome) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
		if err == nil {
			return
		}
		if o.Status == "" {
			o.Status = Failed
		}
		o.Reason = err.Error()
		err = fmt.Errorf("stage %s: %w", s.Name, err)
	}()
	if err := ctx.Err(); err != nil {
		o.Status = Cancelled
		return err
	}
	if err := w.ResetStage(); err != nil {
		return fmt.Errorf("resetting the window: %w", err)
	}
	return s.attempts(ctx, w, s.Prompt(input, done), o)
}

// attempts runs the agent until the gate decides or no attempt is left.
func (s *Stage) attempts(ctx context.Context, w *contextwindow.Window, prompt string, o *Outcome) error {
	limits, left := s.Limits, cmp.Or(s.Retries, 1)
	for {
		result, err := s.attempt(ctx, w, prompt, limits)
		if result != nil {
			o.Results = append(o.Results, result)
			o.Handover.add(result)
		}
		switch {
		case ctx.Err() != nil:
			o.Status = Cancelled
			return ctx.Err()
		case err != nil:
			return err
		}
		v := s.judge(o)
		if v.decision != again || left <= 0 || result.Stop == agent.TimeLimit || result.Stop == agent.CostLimit {
			return s.settle(v, o)
		}
		left--
		prompt, limits = v.Reason, s.RetryLimits
	}
}

// attempt runs the agent once on the window. Observe is called on the goroutine of the caller.
func (s *Stage) attempt(ctx context.Context, w *contextwindow.Window, prompt string,
	limits agent.Limits) (*agent.Result, error) {
	task := agent.Task{Prompt: prompt, Window: w, Scope: s.Scope, Limits: limits}
	for e, err := range s.Agent.Stream(ctx, task) {
		if s.Observe != nil {
			s.Observe(e)
		}
		if done, ok := e.(agent.RunFinished); ok {
			return done.Result, err
		}
	}
	return nil, errors.New("the run ended without a result")
}

// judge asks the gate about the newest attempt.
func (s *Stage) judge(o *Outcome) Verdict {
	if s.Gate == nil {
		return Pass()
	}
	return s.Gate(Attempt{Stage: s.Name, Number: len(o.Results), Result: o.Results[len(o.Results)-1],
		Handover: o.Handover})
}

// settle ends a stage by its last verdict.
func (s *Stage) settle(v Verdict, o *Outcome) error {
	switch v.decision {
	case accept:
		o.Status = Passed
	case lower:
		o.Status, o.Reason = Degraded, v.Reason
	case again:
		o.Status, o.Reason = Exhausted, v.Reason
		if s.StopExhausted {
			return fmt.Errorf("no attempt is left: %s", v.Reason)
		}
	}
	return nil
}
