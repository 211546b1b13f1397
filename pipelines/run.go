package pipelines

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
)

// ErrExhausted is the error of a pipeline that a stage with StopExhausted ended.
var ErrExhausted = errors.New("the retries are used up")

// Run runs stages one after another on one window and returns an outcome for each, also beside an error. Each stage begins
// with ResetStage: what was submitted, done and read stays known in the window's record, and everything else that it is
// to know is in its prompt. A gate's retry goes on with the window, and is told the reason and nothing else.
//
// The error is that of a stage that failed or panicked, ErrExhausted, or the end of ctx; the stages behind it are skipped.
// A stage that degraded is none. Run returns when everything that it started has ended.
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
		case short != "" && s.OnDegrade != RunDegraded:
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

// run runs a stage to its end. A panic of its prompt, its gate, its observer or its model is its error.
func (s *Stage) run(ctx context.Context, w *contextwindow.Window, input string, done []Outcome, o *Outcome) (err error) {
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

// attempts asks until the gate is content, or has no attempt left to ask for.
func (s *Stage) attempts(ctx context.Context, w *contextwindow.Window, prompt string, o *Outcome) error {
	budget, left := s.Budget, cmp.Or(s.RetryBudget.Times, 1)
	for {
		result, err := s.attempt(ctx, w, prompt, budget)
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
		if v.Decision != Again || left <= 0 || result.Stop == agent.TimeLimit || result.Stop == agent.CostLimit {
			return s.settle(v, o)
		}
		left--
		prompt, budget = v.Reason, s.RetryBudget.Budget
	}
}

// attempt runs the agent once on the window. What it yields is observed here, on the goroutine of the caller.
func (s *Stage) attempt(ctx context.Context, w *contextwindow.Window, prompt string, b Budget) (*agent.Result, error) {
	task := agent.Task{Prompt: prompt, Window: w, Scope: s.Scope, Limits: agent.Limits{Steps: b.Steps, Time: b.Time}}
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
	return s.Gate(Attempt{Stage: s.Name, Number: len(o.Results), Result: o.Results[len(o.Results)-1], Handover: o.Handover})
}

// settle ends a stage by its last verdict.
func (s *Stage) settle(v Verdict, o *Outcome) error {
	switch v.Decision {
	case Accept:
		o.Status = Passed
	case Lower:
		o.Status, o.Reason = Degraded, v.Reason
	case Again:
		o.Status, o.Reason = Exhausted, v.Reason
		if s.OnExhausted == StopExhausted {
			return fmt.Errorf("%w: %s", ErrExhausted, v.Reason)
		}
	}
	return nil
}
