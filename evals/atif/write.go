package atif

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/turns"
	"github.com/forayhq/foray/evals/task"
	"github.com/forayhq/foray/evals/trial"
)

// Write writes the trajectory of a trial. open opens its trace twice; nil means that the trial has none, which leaves
// the messages of the task, the calls without their results, and the answer. The task may be nil. Foray is the version
// of foray that ran it.
func Write(w io.Writer, row *trial.Row, of *task.Task, foray string, open func() (io.ReadCloser, error)) error {
	t := newTrajectory(row.Subject, foray)
	t.Session = fmt.Sprintf("%s/%s/%d", row.Task, row.Subject, row.Trial)
	t.Extra = map[string]any{"task": row.Task, "trial": row.Trial, "passed": row.Passed, "score": row.Score,
		"stop": row.Stop, "checks": row.Checks}
	if row.Failure != nil {
		t.Extra["failure"] = row.Failure
	}
	if open == nil {
		t.untraced(row, of)
	} else {
		run, err := turns.Read(open)
		if err != nil {
			return fmt.Errorf("writing the trajectory of %s: %w", t.Session, err)
		}
		t.fill(run, row, foray)
		if len(t.Steps) == 0 {
			t.prompt(row, of)
		}
	}
	t.Final = &final{row.Usage.Input, row.Usage.Output, row.Usage.Cached, nil, len(t.Steps)}
	if row.Priced {
		t.Final.Cost = &row.Cost
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(t); err != nil {
		return fmt.Errorf("writing the trajectory of %s: %w", t.Session, err)
	}
	return nil
}

// prompt adds what the subject was asked.
func (t *trajectory) prompt(row *trial.Row, of *task.Task) {
	s := step{Source: "user"}
	if of != nil {
		s.Message = of.Prompt
	}
	t.add(s, row.Started)
}

// untraced adds what is known without a trace: the messages of the task, the calls without their results, and the
// answer.
func (t *trajectory) untraced(row *trial.Row, of *task.Task) {
	if of != nil && of.System != "" {
		t.add(step{Source: "system", Message: of.System}, row.Started)
	}
	if of != nil {
		for i := range of.Messages {
			t.said(&of.Messages[i], row.Started)
		}
	}
	t.prompt(row, of)
	calls := step{Source: "agent"}
	for i, c := range row.Calls {
		id := fmt.Sprint("call-", i+1)
		calls.Calls = append(calls.Calls, call{id, c.Name, argumentsOf(c.Args)})
		if c.Failed {
			calls.observe(result{Call: id, Extra: map[string]any{"error": "failed"}})
		}
	}
	if len(calls.Calls) > 0 {
		t.add(calls, row.Started)
	}
	t.add(step{Source: "agent", Message: row.Answer}, row.Started)
}

// said adds a message of a task. The result of a tool belongs to the step that called it.
func (t *trajectory) said(m *transcript.Message, at time.Time) {
	switch m.Role {
	case transcript.User:
		t.add(step{Source: "user", Message: m.Text}, at)
	case transcript.Assistant:
		s := step{Source: "agent", Message: m.Text}
		for _, c := range m.Calls {
			s.Calls = append(s.Calls, call{c.ID, c.Name, argumentsOf(c.Args)})
		}
		t.add(s, at)
	case transcript.Tool:
		for i := len(t.Steps) - 1; i >= 0; i-- {
			if slices.ContainsFunc(t.Steps[i].Calls, func(c call) bool { return c.ID == m.CallID }) {
				t.Steps[i].observe(result{Call: m.CallID, Content: m.Text})
				return
			}
		}
	}
}

func (s *step) observe(r result) {
	if s.Observation == nil {
		s.Observation = &observation{}
	}
	s.Observation.Results = append(s.Observation.Results, r)
}

// argumentsOf are arguments that are an object, or else none.
func argumentsOf(raw json.RawMessage) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil || object == nil {
		return json.RawMessage("{}")
	}
	return raw
}

func newTrajectory(name, foray string) *trajectory {
	if foray == "" {
		foray = "unknown"
	}
	return &trajectory{Version: version, Agent: agent{Name: name, Version: foray}}
}

func (t *trajectory) add(s step, at time.Time) {
	s.ID, s.Timestamp = len(t.Steps)+1, at.UTC().Format(time.RFC3339Nano)
	t.Steps = append(t.Steps, s)
}

// fill adds the steps of a run. The first agent is the trajectory, others are embedded.
func (t *trajectory) fill(run *turns.Run, row *trial.Row, foray string) {
	t.Notes = run.Incomplete
	t.Agent.Model = run.Model
	of := make(map[string]*trajectory)
	for _, e := range run.Events {
		to := of[e.Agent]
		if to == nil {
			to = t
			if len(of) > 0 {
				to = newTrajectory(e.Agent, foray)
				to.ID, to.Agent.Model = e.Agent, run.Model
				t.Subagents = append(t.Subagents, to)
			}
			of[e.Agent] = to
		}
		to.event(run, &e, row.Started.Add(e.At))
	}
	t.Subagents = slices.DeleteFunc(t.Subagents, func(s *trajectory) bool { return len(s.Steps) == 0 })
}

func (t *trajectory) event(run *turns.Run, e *turns.Event, at time.Time) {
	switch {
	case e.Compaction != nil:
		c := e.Compaction
		t.add(step{Source: "system", Extra: map[string]any{"compaction": map[string]any{
			"tokens_before": c.Before, "tokens_after": c.After, "level": c.Level, "steps": c.Steps, "evicted": c.Evicted}},
			Message: fmt.Sprintf("The window was compacted from %d to %d tokens.", c.Before, c.After)}, at)
	case e.Turn != nil:
		if len(t.Agent.Tools) == 0 {
			t.describe(e.Turn.Tools)
		}
		if !t.begun() {
			t.begin(run, e.Turn, at)
		}
		if e.Turn.Answered {
			t.add(stepOf(run, e.Turn), at)
		}
	case e.Kind == "joined":
		t.add(step{Source: "user", Message: e.Text}, at)
	default:
		t.add(step{Source: "system", Message: e.Kind + ": " + e.Text}, at)
	}
}

// begun reports whether the trajectory has what the user said.
func (t *trajectory) begun() bool {
	return slices.ContainsFunc(t.Steps, func(s step) bool { return s.Source == "user" })
}

// begin adds the system prompt and the messages of the first request.
func (t *trajectory) begin(run *turns.Run, first *turns.Turn, at time.Time) {
	if first.System != "" {
		t.add(step{Source: "system", Message: first.System}, at)
	}
	for _, i := range first.Input {
		if m := run.Pool[i]; m.Role == transcript.User {
			t.add(step{Source: "user", Message: m.Text}, at)
		}
	}
}

func (t *trajectory) describe(tools []transcript.ToolSchema) {
	for _, tool := range tools {
		d := toolDefinition{Type: "function"}
		d.Function.Name, d.Function.Description, d.Function.Parameters = tool.Name, tool.Description, tool.Schema
		t.Agent.Tools = append(t.Agent.Tools, d)
	}
}

// stepOf is a turn as a step. A run without a model has no requests, and what it says of its reasons is the message.
func stepOf(run *turns.Run, turn *turns.Turn) step {
	requests := 1
	s := step{Source: "agent", Message: turn.Answer.Text, Reasoning: turn.Reasoning, Requests: &requests,
		Metrics: &metrics{turn.Usage.Input, turn.Usage.Output, turn.Usage.Cached}}
	if run.Model == "" {
		requests, s.Metrics, s.Reasoning = 0, nil, ""
		s.Message = turn.Reasoning + turn.Answer.Text
	}
	for _, c := range turn.Calls {
		s.Calls = append(s.Calls, call{c.ID, c.Name, argumentsOf(c.Args)})
		r := result{Call: c.ID, Content: c.Result}
		if c.Error != "" {
			r.Extra = map[string]any{"error": c.Error}
		}
		s.observe(r)
	}
	return s
}
