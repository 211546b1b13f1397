package agent

import (
	"errors"
	"fmt"

	"github.com/forayhq/foray/contextwindow/transcript"
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
	head.Calls = withIDs(head.Calls, r.step.Number)
	if answer.Finish == providers.Length {
		r.warn("the answer was cut off by its length limit behind its calls")
	}
	records, results := r.call(head.Calls)
	head.Calls = r.stored(head.Calls)
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
		r.watch(rec, results[i].Text)
	}
	r.takeCalls(records)
	r.result.Tools = append(r.result.Tools, records...)
	r.carried, r.lengths = "", 0
	return nil
}

// call makes calls: those side by side that change nothing, those with effects alone and in order. The records and the
// messages that answer the calls are in the order of the calls; their ends are told as they come.
func (r *run) call(calls []transcript.ToolCall) ([]ToolRecord, []transcript.Message) {
	records, results := make([]ToolRecord, len(calls)), make([]transcript.Message, len(calls))
	ready := make([]*tools.Tool, len(calls))
	for i, c := range calls {
		records[i] = ToolRecord{Step: r.step.Number, Call: c}
		ready[i], records[i].Err = r.admit(i, c)
	}
	for from := 0; from < len(calls); {
		to := from + 1
		if effects(ready[from]) {
			r.approve(&records[from])
		} else {
			for to < len(calls) && !effects(ready[to]) {
				to++
			}
		}
		t := together{run: r, records: records[from:to], results: results[from:to], ready: ready[from:to], first: from}
		t.callTogether()
		from = to
	}
	for i, c := range calls {
		m := &results[i]
		m.Role, m.CallID, m.Name = transcript.Tool, c.ID, c.Name
		if err := records[i].Err; err != nil {
			m.Kind, m.Text, m.Failed = toollimit.Error, err.Error(), true
		}
	}
	return records, results
}

func effects(t *tools.Tool) bool { return t != nil && t.Effects }

// admit returns the tool of a call, or why the call is not made.
func (r *run) admit(i int, c transcript.ToolCall) (*tools.Tool, error) {
	if limit := r.config.Limits.CallsPerStep; limit > 0 && i >= limit {
		return nil, fmt.Errorf("%w: limit %d calls a step; call again in the next step", errNotExecuted, limit)
	}
	tool, ok := r.tools.Lookup(c.Name)
	if !ok {
		return nil, r.unknownTool(c.Name)
	}
	if r.typed.by(c.Name) {
		return &tool, nil // it says itself what is wrong
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

// facts are what a tool may know of the run.
func (r *run) facts(c transcript.ToolCall) tools.Run {
	facts := tools.Run{
		Thread: r.task.Thread, User: r.task.User, Agent: r.config.Name, Input: r.task.Prompt,
		Repository: r.task.Repository, Step: r.step.Number, CallID: c.ID,
		Scope: r.task.Scope,
	}
	if r.scope != nil {
		facts.Scope = r.scope.ID()
	}
	return facts
}
