package sessionfile

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/forayhq/foray/toollimit"
)

// A chatRun is a run in one value.
type chatRun struct {
	ID       string            `json:"id"`
	Session  string            `json:"session_id"`
	Source   string            `json:"source"`
	Title    string            `json:"title"`
	Task     string            `json:"task"`
	Model    string            `json:"model"`
	Dir      string            `json:"cwd"`
	Created  json.RawMessage   `json:"created"`
	Messages []json.RawMessage `json:"messages"`
	Meta     struct {
		Dir string `json:"cwd"`
	} `json:"meta"`
}

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

	Reasoning        json.RawMessage `json:"reasoning"`
	ReasoningContent string          `json:"reasoning_content"`
	ReasoningDetails []struct {
		Type string `json:"type"`
	} `json:"reasoning_details"`

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

// roles are those of messages. The result of a call of a function has the role function in older recordings.
var roles = []string{"system", "developer", "user", "assistant", "tool", "function"}

// functionCall is the id of the one call that a message with a function_call makes.
const functionCall = "function_call"

// said returns the messages that a chat message holds: a user's may hold results besides a text.
func (m *chatMessage) said(at place) ([]said, error) {
	content, err := parseContent(m.Content)
	if err != nil {
		return nil, fmt.Errorf("content: %w", err)
	}
	one := said{role: m.Role, text: cmp.Or(content.text, m.Text, m.Refusal), calls: content.calls, notes: content.notes,
		callID: cmp.Or(m.CallID, m.OwnCallID), name: m.Name, kind: m.Kind, failed: m.Failed, at: at}
	if m.Role == "function" {
		one.role, one.callID = "tool", functionCall
	}
	for _, call := range slices.Concat(m.Calls, m.OwnCalls) {
		c := called{call.ID, call.Name, call.Args}
		if call.Function != nil {
			c.name, c.args = call.Function.Name, call.Function.Args
		}
		one.calls = append(one.calls, c)
	}
	if m.Function != nil {
		one.calls = append(one.calls, called{functionCall, m.Function.Name, m.Function.Args})
	}
	one.reasoning = joined(m.reasoning(), content.reasoning)
	for _, detail := range m.ReasoningDetails {
		if detail.Type == "reasoning.encrypted" {
			one.notes = append(one.notes, encrypted)
		}
	}
	for i := range content.results {
		content.results[i].at = at
	}
	if len(content.results) > 0 && one.text == "" && m.Role != "assistant" {
		content.results[0].notes = one.notes
		return content.results, nil
	}
	return append(content.results, one), nil
}

// reasoning returns the first of the fields that services have for it: they repeat each other.
func (m *chatMessage) reasoning() string {
	c, err := parseContent(m.Reasoning)
	if err != nil {
		return m.ReasoningContent
	}
	return cmp.Or(m.ReasoningContent, c.text)
}

// run adds a run in one value.
func (r *Reader) run(raw []byte) error {
	var chat chatRun
	if err := json.Unmarshal(raw, &chat); err != nil {
		return err
	}
	if !r.options.Strict {
		chat.ID = cmp.Or(chat.ID, r.name)
	}
	d := draft{Run: Run{ID: chat.ID, Session: cmp.Or(chat.Session, chat.ID), Source: cmp.Or(chat.Source, r.name),
		Title: chat.Title, Model: chat.Model, Dir: cmp.Or(chat.Dir, chat.Meta.Dir), Created: created(chat.Created)},
		Task: chat.Task}
	for i, message := range chat.Messages {
		if err := r.say(&d, message, place{r.n, i + 1, ""}); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	if len(d.said) == 0 {
		return errors.New("no messages")
	}
	r.add(&d)
	return nil
}

// array adds an array of runs, or one run that is an array of messages.
func (r *Reader) array(raw []byte) error {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return err
	}
	d := draft{Run: Run{ID: r.name, Source: r.name}}
	for i, item := range items {
		var p probe
		err := json.Unmarshal(item, &p)
		switch {
		case err != nil:
		case len(p.Messages) > 0:
			err = r.object(item, &p)
		default:
			err = r.say(&d, item, place{r.n, i + 1, ""})
		}
		if err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	if len(d.said) > 0 {
		r.add(&d)
	}
	return nil
}

// say appends the messages that a chat message holds. Unless the reader is strict, what is not a message is skipped.
func (r *Reader) say(d *draft, raw []byte, at place) error {
	var m chatMessage
	err := json.Unmarshal(raw, &m)
	if err == nil && r.options.Strict && !slices.Contains(roles, m.Role) {
		err = fmt.Errorf("unknown role %q", m.Role)
	}
	var all []said
	if err == nil {
		all, err = m.said(at)
	}
	d.said = append(d.said, all...)
	if err != nil && !r.options.Strict && at.message > 0 {
		r.report.skip(at, plain(err))
		return nil
	}
	return err
}

// created reads a time: RFC 3339, or seconds or milliseconds since 1970. Anything else is the zero time.
func created(raw json.RawMessage) time.Time {
	var t time.Time
	var n float64
	switch {
	case json.Unmarshal(raw, &t) == nil:
	case json.Unmarshal(raw, &n) == nil && n > 1e11 && n < 1e14:
		t = time.UnixMilli(int64(n)).UTC()
	case json.Unmarshal(raw, &n) == nil && n > 1e8 && n < 1e11:
		t = time.Unix(int64(n), 0).UTC()
	}
	return t
}

// Messages reads an array of the messages of one conversation, in the form of package transcript or of chat services.
// It refuses what is not a message.
func Messages(raw json.RawMessage) (*Run, *Report, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, nil, errors.New("must be an array of messages")
	}
	r := Reader{options: Options{Strict: true}, report: &Report{Format: chat}}
	var d draft
	for i, item := range items {
		if err := r.say(&d, item, place{message: i + 1}); err != nil {
			return nil, nil, fmt.Errorf("message %d: %w", i+1, plain(err))
		}
	}
	return d.finish(r.report), r.report, nil
}
