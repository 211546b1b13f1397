package trial

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"strings"
	"time"

	"github.com/forayhq/foray/evals/check"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/internal/secret"
	"github.com/forayhq/foray/providers"
)

const (
	grace     = 10 * time.Second // for a subject or a check to end after its context did
	judgeTime = 10 * time.Minute // for the checks of a trial, beside their own limits

	maxAnswer = 65_536 // bytes
	maxCalls  = 1_000
	maxArgs   = 4_096 // bytes
	maxText   = 4_096 // bytes, of a failure
)

// trial runs one trial and judges it. It returns nil if ctx ended first.
func (r *runner) trial(ctx context.Context, j job) *Row {
	row := &Row{
		Task: j.task.ID, Subject: j.subject.Name, Trial: j.trial, Tags: j.task.Tags,
		Started: time.Now().UTC().Truncate(time.Millisecond),
	}
	began := time.Now()
	dir, err := r.workingCopy(ctx, j.task)
	if err != nil {
		row.Failure = failure(Harness, "%v", err)
	} else {
		r.play(ctx, j, row, dir)
	}
	row.Seconds = time.Since(began).Seconds()
	if ctx.Err() != nil {
		return nil // the end of the run may have failed it; keeping only what passed would flatter the subject
	}
	return row
}

// play lets the subject do the task in dir, and the checks judge it. It removes dir unless somebody may still use it.
func (r *runner) play(ctx context.Context, j job, row *Row, dir string) {
	trace := &traceFile{dir: r.plan.Dir, name: traceName(row.Task, row.Subject, row.Trial)}
	began := time.Now()
	out, failed, hangs := r.do(ctx, j, Input{Task: j.task, Trial: j.trial, Dir: dir, Trace: trace, scratch: &r.scratch})
	took := time.Since(began)
	name, err := trace.close()
	row.Trace = name
	if err != nil && failed == nil {
		failed = failure(Harness, "%v", err)
	}
	if out != nil {
		out.Prompt, out.Dir = cmp.Or(out.Prompt, j.task.Prompt), dir
		out.Took = cmp.Or(out.Took, took)
		if dir != "" {
			out.Fresh = func(ctx context.Context, to string) error { return r.plan.Set.Materialize(ctx, j.task, to) }
		}
		row.fill(out)
	}
	if failed == nil {
		failed = overBudget(&j.task.Budget, out)
	}
	row.Failure = failed
	if failed == nil {
		hangs = r.judge(ctx, j.task, row, out)
	}
	if dir != "" && !hangs {
		removeAll(dir)
	}
}

// do calls the subject. If it hangs after its time, do returns without it.
func (r *runner) do(ctx context.Context, j job, in Input) (out *check.Outcome, failed *Failure, hangs bool) {
	limit, class, whose := r.plan.Timeout, Harness, "the run allows each trial"
	if s := j.task.Budget.Seconds; s > 0 {
		limit, class, whose = time.Duration(min(s, 1e6)*float64(time.Second)), Agent, "its budget is"
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var done *check.Outcome                              // not out, which a subject that hangs could write later
	err := errors.New("the subject ended its goroutine") // until it returns
	ended := within(ctx, func() { done, err = call(ctx, j.subject, in) })
	if !ended {
		r.abandon()
		return nil, failure(Harness, "it still runs %v after its time-out of %v", grace, limit), true
	}
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return done, failure(class, "out of time: %s %v (%v)", whose, limit, err), false
	}
	if err == nil && done == nil {
		err = errors.New("the subject returned nothing")
	}
	return done, classify(err), false
}

// within calls fn in a goroutine and waits until it returns, or for the grace after ctx ended. If it returns false, fn
// still runs, and what it writes must not be read.
func within(ctx context.Context, fn func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn()
	}()
	select {
	case <-done:
		return true
	case <-ctx.Done():
	}
	last := time.NewTimer(grace)
	defer last.Stop()
	select {
	case <-done:
		return true
	case <-last.C:
		return false
	}
}

// call calls the subject. A panic becomes an error.
func call(ctx context.Context, s *Subject, in Input) (out *check.Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, failure(Agent, "panic: %v\n%s", p, debug.Stack())
		}
	}()
	return s.Do(ctx, in)
}

// classify says whose fault an error of a subject is.
func classify(err error) *Failure {
	var own *Failure
	var model *providers.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		return failure(own.Class, "%v", own.Text)
	case errors.As(err, &model):
		return failure(Provider, "%v", err)
	}
	return failure(Agent, "%v", err)
}

// failure makes a failure, whose text reports and CI systems show: a program that crashed may have written its
// credentials to standard error.
func failure(c Class, format string, args ...any) *Failure {
	text := truncate(fmt.Sprintf(format, args...), 2*maxText) // else a credential at the end would be cut and not found
	return &Failure{Class: c, Text: truncate(string(secret.Mask([]byte(text))), maxText)}
}

// overBudget returns the failure of an outcome that took more than the task allows.
func overBudget(b *task.Budget, o *check.Outcome) *Failure {
	tokens := o.Usage.Input + o.Usage.Output
	switch {
	case b.Steps > 0 && o.Steps > b.Steps:
		return failure(Agent, "over budget: %d steps, of %d", o.Steps, b.Steps)
	case b.Tokens > 0 && tokens > b.Tokens:
		return failure(Agent, "over budget: %d tokens, of %d", tokens, b.Tokens)
	case b.Dollars > 0 && o.Cost > b.Dollars:
		return failure(Agent, "over budget: %.4f US dollars, of %.4f", o.Cost, b.Dollars)
	}
	return nil
}

// judge runs the checks of a task. It reports whether one hangs.
func (r *runner) judge(ctx context.Context, t *task.Task, row *Row, out *check.Outcome) (hangs bool) {
	limit := judgeTime
	for _, c := range t.Judges {
		limit += c.Limit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var verdicts []check.Verdict
	if !within(ctx, func() { verdicts = check.Judge(ctx, t.Judges, out) }) {
		r.abandon()
		row.Failure = failure(Check, "the checks still run %v after their time-out of %v", grace, limit)
		return true
	}
	if len(verdicts) != len(t.Judges) {
		row.Failure = failure(Check, "a check ended its goroutine: it must return")
		return false
	}
	row.Checks, row.Passed = verdicts, true
	for _, v := range verdicts {
		if v.Err != "" && row.Failure == nil {
			row.Failure = failure(Check, "%s: %s", v.Check, v.Err)
		}
		row.Passed = row.Passed && v.Passed
		row.Score += v.Score
	}
	row.Score /= float64(len(verdicts))
	if row.Failure != nil {
		row.Passed, row.Score = false, 0
	}
	return false
}

// fill takes over what a row keeps of an outcome.
func (r *Row) fill(o *check.Outcome) {
	r.Answer, r.Stop, r.Steps = truncate(o.Answer, maxAnswer), truncate(o.Stop, maxText), o.Steps
	r.Usage, r.Cost, r.Priced = o.Usage, o.Cost, o.Priced || o.Cost > 0
	if math.IsNaN(r.Cost) || math.IsInf(r.Cost, 0) {
		r.Cost, r.Priced = 0, false
	}
	r.Calls = append(r.Calls, o.Calls[:min(len(o.Calls), maxCalls)]...)
	for i, c := range r.Calls {
		switch {
		case len(c.Args) > maxArgs:
			r.Calls[i].Args = nil
		case len(c.Args) > 0 && !json.Valid(c.Args): // a model wrote them
			r.Calls[i].Args, _ = json.Marshal(string(c.Args)) // a text has a form in JSON
		}
	}
}

// truncate shortens a text to so many bytes, and makes it valid UTF-8.
func truncate(s string, max int) string {
	return strings.ToValidUTF8(s[:min(len(s), max)], "")
}

// workingCopy makes the files of a trial; "" if its task has none.
func (r *runner) workingCopy(ctx context.Context, t *task.Task) (string, error) {
	if !t.HasCopy() {
		return "", nil
	}
	dir, err := r.scratch.make()
	if err != nil {
		return "", err
	}
	if err := r.plan.Set.Materialize(ctx, t, dir); err != nil {
		removeAll(dir)
		return "", err
	}
	return dir, nil
}
