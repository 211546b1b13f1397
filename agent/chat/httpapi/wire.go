package httpapi

import (
	"encoding/json"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/memory/summary"
	"github.com/forayhq/foray/contextwindow/memory/task"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
)

// JSON forms for clients, without what only a Chat or a provider needs (state, provider data).
type (
	wireThread struct {
		ID       string    `json:"id"`
		User     string    `json:"user"`
		Title    string    `json:"title"`
		Created  time.Time `json:"created"`
		Updated  time.Time `json:"updated"`
		Messages int       `json:"messages"`
		Last     int64     `json:"last"`
	}
	wireMessage struct {
		Seq     int64           `json:"seq"`
		Time    time.Time       `json:"time"`
		Role    transcript.Role `json:"role"`
		Text    string          `json:"text"`
		Partial bool            `json:"partial,omitempty"`
		Calls   []wireCall      `json:"calls,omitempty"`
		CallID  string          `json:"call_id,omitempty"`
		Name    string          `json:"name,omitempty"`
		Agent   string          `json:"agent,omitempty"` // of an answer
		Kind    toollimit.Kind  `json:"kind,omitempty"`
		Failed  bool            `json:"failed,omitempty"`
	}
	wireCall struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	}
	messageList struct {
		Messages []wireMessage `json:"messages"`
	}
	wireTurn struct {
		Thread   string           `json:"thread"`
		Agent    string           `json:"agent"` // that answered; empty: none
		Text     string           `json:"text"`
		Partial  bool             `json:"partial"`
		Stop     agent.Stop       `json:"stop"` // empty: the run did not start
		Steps    int              `json:"steps"`
		Usage    *providers.Usage `json:"usage,omitempty"`
		Messages []wireMessage    `json:"messages"`
		Warnings []string         `json:"warnings"`
		Problem  *problem         `json:"problem,omitempty"` // in the last event of a stream: why it failed
	}
	wireRun struct {
		Name       string    `json:"name"`
		Started    time.Time `json:"started"`
		DurationMS int64     `json:"duration_ms"`
		Tokens     int       `json:"tokens"`
		Input      string    `json:"input"`
		Output     string    `json:"output"`
	}
	wireContext struct {
		Thread        wireThread            `json:"thread"`
		Tokens        int                   `json:"tokens"` // of all messages
		Summary       *summary.Thread       `json:"summary"`
		Pins          []int64               `json:"pins"`
		Task          *task.Active          `json:"task"`
		Told          contextbuilder.Stats  `json:"told"`
		SummaryTokens int                   `json:"summary_tokens"`
		Runs          []wireRun             `json:"runs"`
		LastRun       *contextwindow.Report `json:"last_run"`
		Settings      chat.Settings         `json:"config"`
		Agent         string                `json:"agent"` // that answers next
	}
)

func threadOf(t chat.Thread) wireThread {
	return wireThread{t.ID, t.User, t.Title, t.Created, t.Updated, t.Messages, t.Last}
}

func messagesOf(ms []chat.Message) []wireMessage {
	list := make([]wireMessage, len(ms))
	for i, m := range ms {
		list[i] = messageOf(m)
	}
	return list
}

func messageOf(m chat.Message) wireMessage {
	w := wireMessage{Seq: m.Seq, Time: m.Time, Role: m.Role, Text: m.Described(), Partial: m.Partial,
		CallID: m.CallID, Name: m.Name, Kind: m.Kind, Failed: m.Failed}
	if m.Role == transcript.Assistant {
		w.Name, w.Agent = "", m.Name
	}
	for _, c := range m.Calls {
		w.Calls = append(w.Calls, callOf(c))
	}
	return w
}

// callOf returns a call for clients. Arguments that are not JSON become a string.
func callOf(c transcript.ToolCall) wireCall {
	w := wireCall{ID: c.ID, Name: c.Name, Args: c.Args}
	if !json.Valid(c.Args) {
		w.Args, _ = json.Marshal(string(c.Args)) // a string always encodes
	}
	return w
}

func turnOf(t *chat.Turn) wireTurn {
	w := wireTurn{
		Thread: t.Thread, Agent: t.Agent, Text: t.Text, Partial: t.Partial,
		Messages: messagesOf(t.Messages), Warnings: some(t.Warnings),
	}
	if r := t.Result; r != nil {
		w.Stop, w.Steps, w.Usage = r.Stop, r.Steps, &r.Usage
		w.Warnings = append(w.Warnings, r.Warnings...)
	}
	return w
}

func contextOf(r chat.ThreadContext) wireContext {
	w := wireContext{
		Thread: threadOf(r.Thread), Tokens: r.Tokens, Pins: some(r.Pins), Told: statsOf(r.Stats),
		SummaryTokens: r.SummaryTokens, Runs: make([]wireRun, len(r.Runs)), LastRun: r.Window,
		Settings: settingsOf(r.Settings), Agent: r.Agent,
	}
	for i, x := range r.Runs {
		w.Runs[i] = wireRun{x.Name, x.Started, x.Duration.Milliseconds(), x.Tokens, x.Input, x.Output}
	}
	if r.Summary.Text != "" {
		w.Summary = &r.Summary
	}
	if r.Task.Status != "" {
		w.Task = &r.Task
	}
	return w
}

// statsOf returns stats whose empty lists are [] in JSON, and not null.
func statsOf(s contextbuilder.Stats) contextbuilder.Stats {
	s.Sections, s.Decisions, s.Compactions = some(s.Sections), some(s.Decisions), some(s.Compactions)
	b := &s.Injection
	b.Injected, b.Shortened, b.Dropped = some(b.Injected), some(b.Shortened), some(b.Dropped)
	s.Warnings = some(s.Warnings)
	return s
}

// settingsOf returns settings whose list of agents is [] in JSON, and not null.
func settingsOf(s chat.Settings) chat.Settings {
	s.Agents = some(s.Agents)
	return s
}

// some returns an empty list for nil, so that its JSON is [] and not null.
func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
