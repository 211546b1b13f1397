package sessionfile

import (
	"cmp"
	"encoding/json"
	"slices"
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
	Output    json.RawMessage `json:"output"`
	Summary   json.RawMessage `json:"summary"` // of reasoning; a text in the context of a turn
	Encrypted string          `json:"encrypted_content"`
	// Of the session, and of a turn.
	Instructions string `json:"instructions"`
	Base         struct {
		Text string `json:"text"`
	} `json:"base_instructions"`
	Dir       string          `json:"cwd"`
	Model     string          `json:"model"`
	Timestamp json.RawMessage `json:"timestamp"`
	Forked    string          `json:"forked_from_id"`
	// Of a compaction.
	Message     string            `json:"message"`
	Replacement []json.RawMessage `json:"replacement_history"`
	// Of turns that the user took back, of a message of another agent, and of a history in another file.
	Turns   int             `json:"num_turns"`
	Author  string          `json:"author"`
	History json.RawMessage `json:"history_base"`
}

// A codexSession is what the model saw since the last compaction, and the runs before.
type codexSession struct {
	meta   Run
	run    draft
	before []draft
}

// codex adds a line of a session: an item, or an event that repeats what items say.
func (r *Reader) codex(raw []byte, p *probe) error {
	kind, payload := p.Type, []byte(p.Payload)
	if len(payload) == 0 {
		kind, payload = "response_item", raw
	}
	var item codexItem
	switch kind {
	case "session_meta", "response_item", "compacted", "turn_context", "event_msg", "inter_agent_communication":
		if err := json.Unmarshal(payload, &item); err != nil && kind == "event_msg" {
			return nil // most events have other fields
		} else if err != nil {
			return err
		}
	}
	s := &r.rollout
	at := place{line: r.n}
	switch kind {
	case "session_meta":
		if s.begin(&item); len(item.History) > 0 && string(item.History) != "null" {
			s.run.drops = append(s.run.drops, note{elsewhere, at})
		}
	case "turn_context":
		s.meta.Model, s.meta.Dir = cmp.Or(item.Model, s.meta.Model), cmp.Or(s.meta.Dir, item.Dir)
	case "response_item":
		return s.item(&item, at)
	case "inter_agent_communication":
		c := output(item.Content)
		if item.Encrypted != "" {
			c.notes = append(c.notes, encrypted)
		}
		s.run.said = append(s.run.said,
			said{role: "user", text: "[message of agent " + item.Author + "]\n" + c.text, notes: c.notes, at: at})
	case "rollout_reference":
		s.run.drops = append(s.run.drops, note{elsewhere, at})
	case "compacted":
		return s.compacted(&item, at)
	case "event_msg":
		if item.Type == "thread_rolled_back" {
			s.takeBack(item.Turns)
		}
	}
	return nil
}

// begin keeps what is known of the session. A fork repeats the session that it came from after its own line.
func (s *codexSession) begin(item *codexItem) {
	m := &s.meta
	if m.Session == "" {
		m.Parent, m.Created = item.Forked, created(item.Timestamp)
	}
	m.Session, m.Dir = cmp.Or(m.Session, item.ID), cmp.Or(m.Dir, item.Dir)
	m.System = cmp.Or(m.System, item.Instructions, item.Base.Text)
}

// takeBack removes the newest turns.
func (s *codexSession) takeBack(turns int) {
	for ; turns > 0 && len(s.run.said) > 0; turns-- {
		at := len(s.run.said) - 1
		for at > 0 && s.run.said[at].role != "user" {
			at--
		}
		for _, m := range s.run.said[at:] {
			s.run.drops = append(s.run.drops, note{undone, m.at})
		}
		s.run.said = s.run.said[:at]
	}
}

// item appends what an item records.
func (s *codexSession) item(item *codexItem, at place) error {
	id := cmp.Or(item.CallID, item.ID)
	call := func(name string, args json.RawMessage) {
		s.assistant(&said{calls: []called{{id, name, args}}, at: at})
	}
	switch item.Type {
	case "message":
		m := chatMessage{Role: item.Role, Content: item.Content}
		all, err := m.said(at)
		if err != nil {
			return err
		}
		if m.Role != "assistant" {
			s.run.said = append(s.run.said, all...)
		} else {
			s.assistant(&all[len(all)-1])
		}
	case "reasoning":
		s.reasoning(item, at)
	case "function_call":
		call(item.Name, item.Args)
	case "custom_tool_call":
		call(item.Name, argument("input", item.Input))
	case "local_shell_call":
		call("local_shell", argument("command", item.Action.Command))
	case "function_call_output", "custom_tool_call_output":
		c := output(item.Output)
		s.run.said = append(s.run.said, said{role: "tool", callID: id, text: c.text, notes: c.notes, at: at})
	case "compaction", "compaction_summary", "context_compaction":
		s.run.drops = append(s.run.drops, note{encrypted, at})
	case "", "ghost_snapshot", "session_meta": // no part of the conversation
	default:
		s.run.drops = append(s.run.drops, note{foreign, at})
	}
	return nil
}

// reasoning appends the plain parts of reasoning.
func (s *codexSession) reasoning(item *codexItem, at place) {
	c := content{}
	c.reason(&block{Summary: item.Summary, Content: item.Content, Encrypted: item.Encrypted})
	if c.reasoning == "" {
		for _, k := range c.notes {
			s.run.drops = append(s.run.drops, note{k, at})
		}
		return
	}
	s.assistant(&said{reasoning: c.reasoning, notes: c.notes, at: at})
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
func (s *codexSession) assistant(part *said) {
	if last := len(s.run.said) - 1; last >= 0 && s.run.said[last].role == "assistant" {
		s.run.said[last].join(part)
		return
	}
	part.role = "assistant"
	s.run.said = append(s.run.said, *part)
}

// output reads an output: a string, an array of parts, or an object with one of these as content.
func output(raw json.RawMessage) content {
	if c, err := parseContent(raw); err == nil {
		return c
	}
	var wrapped struct {
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(raw, &wrapped) == nil && len(wrapped.Content) > 0 {
		if c, err := parseContent(wrapped.Content); err == nil {
			return c
		}
	}
	return content{text: string(raw)}
}

// compacted begins a run with what replaced the messages so far.
func (s *codexSession) compacted(item *codexItem, at place) error {
	s.before, s.run = append(s.before, s.run), draft{}
	for _, raw := range item.Replacement {
		var one codexItem
		if err := json.Unmarshal(raw, &one); err != nil {
			return err
		}
		if err := s.item(&one, at); err != nil {
			return err
		}
	}
	if len(s.run.said) == 0 && item.Message != "" {
		s.run.said = []said{{role: "user", text: item.Message, at: at}}
	}
	return nil
}

// runs returns the runs of the session, each with its instructions.
func (s *codexSession) runs() []draft {
	runs := append(slices.Clip(s.before), s.run)
	for i := range runs {
		d := &runs[i]
		if d.Run = s.meta; s.meta.System != "" {
			d.said = slices.Insert(d.said, 0, said{role: "system", text: s.meta.System})
		}
	}
	return runs
}
