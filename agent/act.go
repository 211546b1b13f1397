package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sourcegraph/conc/panics"
	"github.com/sourcegraph/conc/pool"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// act makes the calls of an answer and appends it with their results as one unit.
func (r *run) act(answer *providers.Response) error {
	head := answer.Message
	if len(head.Calls) == 0 {
		return r.answer(answer)
	}
	head.Calls = uniqueIDs(head.Calls, r.step.Number)
	if answer.Finish == providers.Length {
		r.warn("the answer was cut off by its length limit behind its calls")
	}
	records := r.call(head.Calls)
	results := make([]contextwindow.Message, len(records))
	for i := range records {
		results[i] = resultOf(&records[i])
	}
	unit, err := r.window.Append(head, results...)
	if err != nil {
		return err
	}
	r.step.Text, r.step.Finish = head.Text, answer.Finish
	r.step.Calls = make([]StepCall, len(records))
	for i := range records {
		rec := &records[i]
		rec.TokensIn, rec.TokensOut = unit.Received[i+1], unit.Shown[i+1]
		rec.Cut = unit.Messages[i+1].Text != results[i].Text
		r.step.Calls[i] = StepCall{Name: rec.Call.Name, Args: rec.Call.Args, Result: unit.Messages[i+1].Text, Failed: rec.Err != nil}
		r.watch(rec.Call, results[i].Text)
	}
	r.result.Tools = append(r.result.Tools, records...)
	r.carried, r.lengths = "", 0
	return nil
}

// uniqueIDs gives a call without an id, or with one that is taken, an id of its own.
func uniqueIDs(calls []contextwindow.ToolCall, step int) []contextwindow.ToolCall {
	for i, c := range calls {
		taken := slices.ContainsFunc(calls[:i], func(o contextwindow.ToolCall) bool { return o.ID == c.ID })
		if c.ID == "" || taken {
			calls = slices.Clone(calls)
			calls[i].ID = providers.CallID(step, i+1)
		}
	}
	return calls
}

// call makes calls: those side by side that change nothing, those with effects alone and in order. The records are in
// the order of the calls; their ends are told as they come.
func (r *run) call(calls []contextwindow.ToolCall) []ToolRecord {
	records := make([]ToolRecord, len(calls))
	ready := make([]*tools.Tool, len(calls))
	for i, c := range calls {
		records[i] = ToolRecord{Step: r.step.Number, Call: c}
		ready[i], records[i].Err = r.admit(i, c)
	}
	for from := 0; from < len(calls); {
		to := from + 1
		if !effects(ready[from]) {
			for to < len(calls) && !effects(ready[to]) {
				to++
			}
		}
		r.callTogether(records[from:to], ready[from:to])
		from = to
	}
	return records
}

func effects(t *tools.Tool) bool { return t != nil && t.Effects }

// admit returns the tool of a call, or why the call is not made.
func (r *run) admit(i int, c contextwindow.ToolCall) (*tools.Tool, error) {
	if limit := r.config.Limits.CallsPerStep; limit > 0 && i >= limit {
		return nil, fmt.Errorf("not executed: limit %d calls a step; call again in the next step", limit)
	}
	tool, ok := r.tools.Lookup(c.Name)
	if !ok {
		return nil, r.unknownTool(c.Name)
	}
	if err := r.tools.Validate(c.Name, c.Args); err != nil {
		bad := (*tools.ArgumentError)(nil)
		if _, unparsed := providers.Unparsed(c.Args); unparsed && errors.As(err, &bad) {
			return nil, fmt.Errorf("%w\nthe schema of the arguments is %s", err, tool.Schema)
		}
		return nil, err
	}
	return &tool, nil
}

func (r *run) unknownTool(name string) error {
	if len(r.schemas) == 0 {
		return fmt.Errorf("there is no tool %q: this run has no tools; answer in text", name)
	}
	names := make([]string, len(r.schemas))
	for i, s := range r.schemas {
		names[i] = s.Name
	}
	return fmt.Errorf("there is no tool %q; nearest: %s; tools: %v", name, r.tools.Nearest(name), names)
}

// callTogether makes calls side by side and tells their ends as they come. It waits for all of them, as long as each
// may take.
func (r *run) callTogether(records []ToolRecord, ready []*tools.Tool) {
	ends := make(chan int, len(records))
	p := pool.New().WithMaxGoroutines(r.config.Limits.Parallel)
	waiting := 0
	for i := range records {
		if ready[i] == nil {
			r.emit(ToolEnded{Agent: r.config.Name, Step: r.step.Number, Record: records[i]})
			continue
		}
		waiting++
		r.emit(ToolStarted{Agent: r.config.Name, Step: r.step.Number, Call: records[i].Call})
	}
	go func() {
		for i := range records {
			if ready[i] != nil {
				p.Go(func() {
					r.callOne(&records[i], *ready[i])
					ends <- i
				})
			}
		}
		p.Wait()
		close(ends)
	}()
	for i := range ends {
		waiting--
		if records[i].Abandoned {
			r.result.Abandoned++
			r.warn(fmt.Sprintf("tool %s ignored the end of its time and was abandoned", records[i].Call.Name))
		}
		r.emit(ToolEnded{Agent: r.config.Name, Step: r.step.Number, Record: records[i]})
	}
}

// callOne makes one call. A panic is its error; when its time is over and it does not return, it is left behind.
func (r *run) callOne(rec *ToolRecord, tool tools.Tool) {
	started := time.Now()
	timeout := tool.Timeout
	if timeout <= 0 {
		timeout = r.config.Limits.ToolTimeout
	}
	ctx, cancel := context.WithTimeout(r.ctx, timeout)
	defer cancel()
	ctx = tools.WithRun(ctx, r.facts(rec.Call))
	type outcome struct {
		value any
		err   error
	}
	ended := make(chan outcome, 1)
	go func() {
		var o outcome
		if caught := panics.Try(func() { o.value, o.err = tool.Call(ctx, rec.Call.Args) }); caught != nil {
			o.err = fmt.Errorf("tool %s panicked: %v", tool.Name, caught.Value)
		}
		ended <- o
	}()
	select {
	case o := <-ended:
		rec.Value, rec.Err = o.value, o.err
	case <-ctx.Done():
		select {
		case o := <-ended:
			rec.Value, rec.Err = o.value, o.err
		case <-time.After(r.config.Limits.ToolGrace):
			rec.Abandoned, rec.Err = true, ctx.Err()
		}
	}
	if rec.Err != nil {
		rec.Value = nil
		if errors.Is(ctx.Err(), context.DeadlineExceeded) && r.ctx.Err() == nil {
			rec.Err = fmt.Errorf("timed out after %v: %w", timeout, rec.Err)
		}
	}
	rec.Duration = time.Since(started)
}

// facts are what a tool may know of the run.
func (r *run) facts(c contextwindow.ToolCall) tools.Run {
	facts := tools.Run{
		Thread: r.task.Thread, User: r.task.User, Agent: r.config.Name, Input: r.task.Prompt,
		Repository: r.task.Repository, Step: r.step.Number, CallID: c.ID,
	}
	if r.scope != nil {
		facts.Scope = r.scope.ID()
	}
	return facts
}

// resultOf renders what a call gave as the message that answers it.
func resultOf(rec *ToolRecord) contextwindow.Message {
	m := contextwindow.Message{Role: contextwindow.Tool, CallID: rec.Call.ID, Name: rec.Call.Name}
	if rec.Err != nil {
		m.Kind, m.Text, m.Failed = toollimit.Error, rec.Err.Error(), true
		return m
	}
	m.Kind, m.Text = tools.Render(rec.Value)
	return m
}
