package recording

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/toollimit"
)

// The form of a recorded run, and what its messages become.
type (
	chatRun struct {
		ID       string        `json:"id"`
		Source   string        `json:"source"`
		Task     string        `json:"task"`
		Messages []chatMessage `json:"messages"`
	}
	recordedRun struct {
		ID, Source, Task string
		Messages         []recordedMessage
	}
	recordedMessage struct {
		Role, Content string
		Calls         []recordedCall
		CallID, Name  string
		// Of a result, if the recording knows them.
		Kind   toollimit.Kind
		Failed bool
	}
	recordedCall struct {
		ID, Name string
		Args     json.RawMessage
	}
)

// A chatMessage is a message of a run in the forms of several services: calls with name and args, as the functions of
// OpenAI's chat completions, or as blocks of the content. Or it has the form of package transcript.
type chatMessage struct {
	Role     string          `json:"role"`
	Content  json.RawMessage `json:"content"`
	Refusal  string          `json:"refusal"`
	CallID   string          `json:"tool_call_id"`
	Name     string          `json:"name"`
	Calls    []chatCall      `json:"tool_calls"`
	Function *chatFunction   `json:"function_call"`

	// Of package transcript.
	Text      string         `json:"text"`
	OwnCalls  []chatCall     `json:"calls"`
	OwnCallID string         `json:"call_id"`
	Kind      toollimit.Kind `json:"kind"`
	Failed    bool           `json:"failed"`
}

type chatCall struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Args     json.RawMessage `json:"args"`
	Function *chatFunction   `json:"function"`
}

type chatFunction struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"arguments"`
}

// A block is a part of a message's content.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
}

// Roles of messages. The result of a call of a function has the role function in older recordings.
var roles = []string{"system", "developer", "user", "assistant", "tool", "function"}

// functionCall is the id of the one call that a message with a function_call makes.
const functionCall = "function_call"

// recorded returns the messages that a chat message holds: a user's may hold results besides a text.
func (m *chatMessage) recorded() ([]recordedMessage, error) {
	if !slices.Contains(roles, m.Role) {
		return nil, fmt.Errorf("unknown role %q", m.Role)
	}
	content, err := parseContent(m.Content)
	if err != nil {
		return nil, fmt.Errorf("content: %w", err)
	}
	said := recordedMessage{Role: m.Role, Content: cmp.Or(content.text, m.Text), Calls: content.calls,
		CallID: cmp.Or(m.CallID, m.OwnCallID), Name: m.Name, Kind: m.Kind, Failed: m.Failed}
	if m.Role == "function" {
		said.Role, said.CallID = "tool", functionCall
	}
	if said.Content == "" {
		said.Content = m.Refusal
	}
	for _, call := range slices.Concat(m.Calls, m.OwnCalls) {
		one := recordedCall{call.ID, call.Name, call.Args}
		if call.Function != nil {
			one.Name, one.Args = call.Function.Name, call.Function.Args
		}
		said.Calls = append(said.Calls, one)
	}
	if m.Function != nil {
		said.Calls = append(said.Calls, recordedCall{functionCall, m.Function.Name, m.Function.Args})
	}
	if len(content.results) > 0 && said.Content == "" {
		return content.results, nil
	}
	return append(content.results, said), nil
}

// A content is what the parts of a message's content say.
type content struct {
	text    string
	calls   []recordedCall
	results []recordedMessage
}

// parseContent reads the content of a message: null, a string, or an array of strings and blocks. Reasoning is left
// out; blocks without a text, such as images, are named.
func parseContent(raw json.RawMessage) (c content, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		return c, nil
	}
	if json.Unmarshal(raw, &c.text) == nil {
		return c, nil
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil {
		return c, errors.New("neither a text nor an array of parts")
	}
	var texts []string
	for _, part := range parts {
		var text string
		if json.Unmarshal(part, &text) == nil {
			texts = append(texts, text)
			continue
		}
		var b block
		if err := json.Unmarshal(part, &b); err != nil {
			return c, err
		}
		switch b.Type {
		case "thinking", "redacted_thinking", "reasoning":
		case "tool_use":
			c.calls = append(c.calls, recordedCall{b.ID, b.Name, b.Input})
		case "tool_result":
			inner, err := parseContent(b.Content)
			if err != nil {
				return c, err
			}
			c.results = append(c.results, recordedMessage{Role: "tool", CallID: b.ToolUseID, Content: inner.text})
		default:
			if b.Text == "" && !strings.HasSuffix(b.Type, "text") {
				b.Text = "[" + b.Type + "]"
			}
			texts = append(texts, b.Text)
		}
	}
	c.text = strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), "\n")
	return c, nil
}

// run adds a recorded run to the collection.
func (f *file) run(line []byte) error {
	var chat chatRun
	if err := json.Unmarshal(line, &chat); err != nil {
		return err
	}
	run := recordedRun{ID: chat.ID, Source: chat.Source, Task: chat.Task}
	for i := range chat.Messages {
		if err := run.say(&chat.Messages[i]); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	if len(run.Messages) == 0 {
		return errors.New("no messages")
	}
	f.add(run, f.name())
	return nil
}

// array adds an array of runs, or one run that is an array of messages.
func (f *file) array(line []byte) error {
	var items []json.RawMessage
	if err := json.Unmarshal(line, &items); err != nil {
		return err
	}
	var run recordedRun
	for i, item := range items {
		var p probe
		err := json.Unmarshal(item, &p)
		switch {
		case err != nil:
		case len(p.Messages) > 0:
			err = f.run(item)
		default:
			err = run.line(item)
		}
		if err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	if len(run.Messages) > 0 {
		f.add(run, f.name())
	}
	return nil
}

// line appends a chat message that is a line of its own.
func (r *recordedRun) line(line []byte) error {
	var m chatMessage
	if err := json.Unmarshal(line, &m); err != nil {
		return err
	}
	return r.say(&m)
}

// say appends the messages that a chat message holds.
func (r *recordedRun) say(m *chatMessage) error {
	all, err := m.recorded()
	r.Messages = append(r.Messages, all...)
	return err
}
