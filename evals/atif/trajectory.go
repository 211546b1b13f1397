package atif

import "encoding/json"

// version is that of the format.
const version = "ATIF-v1.7"

// A trajectory is a run of an agent.
type trajectory struct {
	Version   string         `json:"schema_version"`
	Session   string         `json:"session_id,omitempty"`
	ID        string         `json:"trajectory_id,omitempty"`
	Agent     agent          `json:"agent"`
	Steps     []step         `json:"steps"`
	Notes     string         `json:"notes,omitempty"`
	Final     *final         `json:"final_metrics,omitempty"`
	Extra     map[string]any `json:"extra,omitempty"`
	Subagents []*trajectory  `json:"subagent_trajectories,omitempty"`
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
	Message     string         `json:"message"`
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
	Content string         `json:"content"`
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
