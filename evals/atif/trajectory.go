package atif

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// version is what Write writes.
const version = "ATIF-v1.7"

// A Trajectory is a run of an agent.
type Trajectory struct {
	Version   string         `json:"schema_version"`
	Session   string         `json:"session_id,omitempty"`
	ID        string         `json:"trajectory_id,omitempty"`
	Agent     agent          `json:"agent"`
	Steps     []step         `json:"steps"`
	Notes     string         `json:"notes,omitempty"`
	Final     *final         `json:"final_metrics,omitempty"`
	Extra     map[string]any `json:"extra,omitempty"`
	Subagents []*Trajectory  `json:"subagent_trajectories,omitempty"`
}

type agent struct {
	Name    string           `json:"name"`
	Version string           `json:"version"`
	Model   string           `json:"model_name,omitempty"`
	Tools   []toolDefinition `json:"tool_definitions,omitempty"`
}

type toolDefinition struct {
	Type     string `json:"type"` // "function"
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
	} `json:"function"`
}

type step struct {
	ID          int            `json:"step_id"` // from 1
	Timestamp   string         `json:"timestamp,omitempty"`
	Source      string         `json:"source"` // "system", "user" or "agent"
	Message     content        `json:"message"`
	Reasoning   string         `json:"reasoning_content,omitempty"`
	Calls       []call         `json:"tool_calls,omitempty"`
	Observation *observation   `json:"observation,omitempty"`
	Metrics     *metrics       `json:"metrics,omitempty"`
	Requests    *int           `json:"llm_call_count,omitempty"`
	Extra       map[string]any `json:"extra,omitempty"`
}

type call struct {
	ID        string          `json:"tool_call_id"`
	Function  string          `json:"function_name"`
	Arguments json.RawMessage `json:"arguments"` // an object
}

type observation struct {
	Results []result `json:"results"`
}

type result struct {
	Call    string         `json:"source_call_id,omitempty"`
	Content content        `json:"content"`
	Extra   map[string]any `json:"extra,omitempty"`
}

// metrics and final are in tokens and US dollars.
type metrics struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Cached     int `json:"cached_tokens,omitempty"`
}

type final struct {
	Prompt     int      `json:"total_prompt_tokens"`
	Completion int      `json:"total_completion_tokens"`
	Cached     int      `json:"total_cached_tokens,omitempty"`
	Cost       *float64 `json:"total_cost_usd,omitempty"` // nil: unknown
	Steps      int      `json:"total_steps"`
}

// content is a text. Trajectories of others may have parts instead, whose texts it joins.
type content string

// UnmarshalJSON reads a text or parts. Pictures and sounds are left out.
func (c *content) UnmarshalJSON(raw []byte) error {
	var parts []struct{ Text string }
	if json.Unmarshal(raw, &parts) != nil {
		return json.Unmarshal(raw, (*string)(c))
	}
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.Text)
	}
	*c = content(strings.Join(texts, "\n"))
	return nil
}

// Read reads a trajectory of any version from 1.0, and checks what the format requires: steps numbered from 1, results
// that belong to calls of their step, and calls and metrics only of the agent.
func Read(r io.Reader) (*Trajectory, error) {
	t := &Trajectory{}
	if err := json.NewDecoder(r).Decode(t); err != nil {
		return nil, fmt.Errorf("reading a trajectory: %w", err)
	}
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("reading a trajectory: %w", err)
	}
	return t, nil
}

func (t *Trajectory) check() error {
	switch {
	case !strings.HasPrefix(t.Version, "ATIF-v1."):
		return fmt.Errorf("schema_version is %q, not ATIF-v1", t.Version)
	case len(t.Steps) == 0:
		return fmt.Errorf("it has no steps")
	}
	for i, s := range t.Steps {
		if s.ID != i+1 {
			return fmt.Errorf("step %d has the id %d", i+1, s.ID)
		}
		if err := s.check(); err != nil {
			return fmt.Errorf("step %d: %w", s.ID, err)
		}
	}
	for _, sub := range t.Subagents {
		if sub == nil || sub.ID == "" {
			return fmt.Errorf("an embedded trajectory has no trajectory_id")
		}
		if err := sub.check(); err != nil {
			return fmt.Errorf("trajectory %s: %w", sub.ID, err)
		}
	}
	return nil
}

func (s *step) check() error {
	calls := make(map[string]bool)
	for _, c := range s.Calls {
		calls[c.ID] = true
	}
	switch s.Source {
	case "agent":
		if s.Requests != nil && *s.Requests == 0 && (s.Metrics != nil || s.Reasoning != "") {
			return fmt.Errorf("metrics or reasoning without a request of a model")
		}
	case "system", "user":
		if s.Calls != nil || s.Metrics != nil || s.Reasoning != "" {
			return fmt.Errorf("only the agent has calls, metrics and reasoning, not %s", s.Source)
		}
	default:
		return fmt.Errorf("source is %q, not system, user or agent", s.Source)
	}
	if s.Observation != nil {
		for _, r := range s.Observation.Results {
			if r.Call != "" && !calls[r.Call] {
				return fmt.Errorf("a result belongs to the call %q, which the step does not have", r.Call)
			}
		}
	}
	return nil
}
