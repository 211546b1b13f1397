package recording

import (
	"cmp"
	"encoding/json"
)

// codexItems are the types of items that lines held directly before they had a payload.
var codexItems = []string{"message", "reasoning", "function_call", "function_call_output", "custom_tool_call",
	"custom_tool_call_output", "local_shell_call"}

// A codexItem is what a line of a session of Codex records: a message, a call, the output of one, or the session.
type codexItem struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	ID      string          `json:"id"`
	CallID  string          `json:"call_id"`
	Name    string          `json:"name"`
	Args    json.RawMessage `json:"arguments"`
	Input   string          `json:"input"`
	Action  struct {
		Command json.RawMessage `json:"command"`
	} `json:"action"`
	Output json.RawMessage `json:"output"`
	// Of the session, and of a compaction.
	Instructions string            `json:"instructions"`
	Message      string            `json:"message"`
	Replacement  []json.RawMessage `json:"replacement_history"`
}

// A codexSession is what the model saw since the last compaction, and the runs before.
type codexSession struct {
	system string
	run    recordedRun
	before []recordedRun
}

// codex adds a line of a session: an item, or an event that repeats what items say.
func (f *file) codex(line []byte, p *probe) error {
	kind, payload := p.Type, p.Payload
	if len(payload) == 0 {
		kind, payload = "response_item", line
	}
	var item codexItem
	switch kind {
	case "session_meta", "response_item", "compacted":
		if err := json.Unmarshal(payload, &item); err != nil {
			return err
		}
	}
	s := &f.rollout
	switch kind {
	case "session_meta":
		s.system = cmp.Or(s.system, item.Instructions)
	case "response_item":
		return s.item(&item)
	case "compacted":
		return s.compacted(&item)
	}
	return nil
}

// item appends what an item records.
func (s *codexSession) item(item *codexItem) error {
	id := cmp.Or(item.CallID, item.ID)
	switch item.Type {
	case "message":
		m := chatMessage{Role: item.Role, Content: item.Content}
		if m.Role != "assistant" {
			return s.run.say(&m)
		}
		said, err := m.recorded()
		if err != nil {
			return err
		}
		s.assistant(&said[0])
	case "function_call":
		s.assistant(&recordedMessage{Calls: []recordedCall{{id, item.Name, item.Args}}})
	case "custom_tool_call":
		s.assistant(&recordedMessage{Calls: []recordedCall{{id, item.Name, argument("input", item.Input)}}})
	case "local_shell_call":
		s.assistant(&recordedMessage{Calls: []recordedCall{{id, "local_shell", argument("command", item.Action.Command)}}})
	case "function_call_output", "custom_tool_call_output":
		s.run.Messages = append(s.run.Messages, recordedMessage{Role: "tool", CallID: id, Content: outputText(item.Output)})
	}
	return nil
}

// argument returns the arguments of a call with one argument.
func argument(name string, value any) json.RawMessage {
	raw, err := json.Marshal(map[string]any{name: value})
	if err != nil {
		return nil // the value came out of JSON
	}
	return raw
}

// assistant appends a part of a response. The items of one response become one message: no result separates them.
func (s *codexSession) assistant(part *recordedMessage) {
	if last := len(s.run.Messages) - 1; last >= 0 && s.run.Messages[last].Role == "assistant" {
		s.run.Messages[last].join(part)
		return
	}
	part.Role = "assistant"
	s.run.Messages = append(s.run.Messages, *part)
}

// outputText returns the text of an output: a string, an array of parts, or an object with one of these as content.
func outputText(raw json.RawMessage) string {
	if c, err := parseContent(raw); err == nil {
		return c.text
	}
	var wrapped struct {
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(raw, &wrapped) == nil && len(wrapped.Content) > 0 {
		if c, err := parseContent(wrapped.Content); err == nil {
			return c.text
		}
	}
	return string(raw)
}

// compacted begins a run with what replaced the messages so far.
func (s *codexSession) compacted(item *codexItem) error {
	s.before, s.run = append(s.before, s.run), recordedRun{}
	for _, raw := range item.Replacement {
		var one codexItem
		if err := json.Unmarshal(raw, &one); err != nil {
			return err
		}
		if err := s.item(&one); err != nil {
			return err
		}
	}
	if len(s.run.Messages) == 0 && item.Message != "" {
		s.run.Messages = []recordedMessage{{Role: "user", Content: item.Message}}
	}
	return nil
}

// runs returns the runs of the session, each with its instructions.
func (s *codexSession) runs() (runs []recordedRun) {
	for _, run := range append(s.before, s.run) {
		if !run.answered() {
			continue
		}
		if s.system != "" {
			run.Messages = append([]recordedMessage{{Role: "system", Content: s.system}}, run.Messages...)
		}
		runs = append(runs, run)
	}
	return runs
}
