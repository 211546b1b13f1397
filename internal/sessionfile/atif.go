package sessionfile

import (
	"cmp"
	"encoding/json"
	"errors"
)

// An atifTrajectory is a run in ATIF, of any version. What the format requires is not checked here: see package atif of
// the evaluation.
type atifTrajectory struct {
	Session string `json:"session_id"`
	ID      string `json:"trajectory_id"`
	Agent   struct {
		Name  string `json:"name"`
		Model string `json:"model_name"`
	} `json:"agent"`
	Steps     []json.RawMessage `json:"steps"`
	Subagents []json.RawMessage `json:"subagent_trajectories"`
}

type atifStep struct {
	Timestamp json.RawMessage `json:"timestamp"`
	Source    string          `json:"source"` // system, user or agent
	Model     string          `json:"model_name"`
	Message   json.RawMessage `json:"message"`
	Reasoning string          `json:"reasoning_content"`
	Calls     []struct {
		ID   string          `json:"tool_call_id"`
		Name string          `json:"function_name"`
		Args json.RawMessage `json:"arguments"`
	} `json:"tool_calls"`
	Observation struct {
		Results []atifResult `json:"results"`
	} `json:"observation"`
	Extra struct {
		Compaction json.RawMessage `json:"compaction"` // foray's own: the step is a notice
	} `json:"extra"`
}

type atifResult struct {
	Call    string          `json:"source_call_id"`
	Content json.RawMessage `json:"content"`
	Extra   struct {
		Error json.RawMessage `json:"error"`
	} `json:"extra"`
}

// maxNested is how deep trajectories of subagents may lie.
const maxNested = 16

// atif adds a trajectory, and then those of its subagents.
func (r *Reader) atif(raw []byte) error { return r.trajectory(raw, "", 0) }

func (r *Reader) trajectory(raw []byte, parent string, depth int) error {
	var t atifTrajectory
	if err := json.Unmarshal(raw, &t); err != nil {
		return err
	}
	d := draft{Run: Run{ID: cmp.Or(t.Session, t.ID), Session: cmp.Or(t.Session, t.ID), Parent: parent,
		Model: t.Agent.Model}}
	if depth > 0 {
		d.ID = cmp.Or(t.ID, t.Session)
		d.Session = d.ID
	}
	for i, raw := range t.Steps {
		at := place{r.n, i + 1, ""}
		if err := d.step(raw, at); err != nil {
			r.report.skip(at, plain(err))
		}
	}
	if len(d.said) == 0 && len(t.Subagents) == 0 {
		return errors.New("the trajectory has no steps")
	}
	r.sessions(atif, d)
	if depth == maxNested && len(t.Subagents) > 0 {
		return errors.New("trajectories of subagents lie too deep")
	}
	for _, sub := range t.Subagents {
		if err := r.trajectory(sub, d.Session, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// step adds a step: what somebody said, and the results of its calls.
func (d *draft) step(raw []byte, at place) error {
	var s atifStep
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	if d.Created.IsZero() {
		d.Created = created(s.Timestamp)
	}
	c, err := parseContent(s.Message)
	if err != nil {
		return err
	}
	one := said{role: s.Source, text: c.text, reasoning: s.Reasoning, notes: c.notes, at: at}
	if s.Source == "agent" {
		one.role, d.Model = "assistant", cmp.Or(s.Model, d.Model)
	}
	for _, call := range s.Calls {
		one.calls = append(one.calls, called{call.ID, call.Name, call.Args})
	}
	if len(s.Extra.Compaction) == 0 {
		d.said = append(d.said, one)
	}
	for _, result := range s.Observation.Results {
		c, err := parseContent(result.Content)
		if err != nil {
			return err
		}
		id := result.Call
		if id == "" && len(one.calls) == 1 {
			id = one.calls[0].id
		}
		d.said = append(d.said, said{role: "tool", callID: id, text: c.text, notes: c.notes, at: at,
			failed: len(result.Extra.Error) > 0 && string(result.Extra.Error) != "null"})
	}
	return nil
}
