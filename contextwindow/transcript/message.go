package transcript

import (
	"encoding/json"
	"strings"

	"github.com/forayhq/foray/toollimit"
)

// A Role says who wrote a message.
type Role string

// The roles of a message. System prompts are not messages; they are part of a window's prefix.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// An Origin says where a message came from, as far as compaction needs to know. The zero value is the run itself.
type Origin string

// The origins of a message.
const (
	Prompt  Origin = "prompt"  // opens a run: every view shows it whole
	History Origin = "history" // from an earlier run, before the prompt: evicted first
	Runtime Origin = "record"  // written by the runtime: the digest of what was evicted, or a note
)

// A ToolCall is one call that an assistant message asks for. Args is the JSON text as the model wrote it.
type ToolCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

// A Message is one message of a request. Only [Assistant] messages carry Calls and ProviderData, and only the others
// Images. A [Tool] message answers the call CallID of the tool Name with text of a Kind; Failed says that the call
// failed.
type Message struct {
	Role         Role              `json:"role"`
	Text         string            `json:"text,omitempty"`
	Calls        []ToolCall        `json:"calls,omitempty"`
	CallID       string            `json:"call_id,omitempty"`
	Name         string            `json:"name,omitempty"`
	Kind         toollimit.Kind    `json:"kind,omitempty"`
	Failed       bool              `json:"failed,omitempty"`
	Origin       Origin            `json:"origin,omitempty"`
	Images       []toollimit.Image `json:"images,omitempty"`
	ProviderData *ProviderData     `json:"opaque,omitempty"` // the name in logs saved by older versions
}

// ProviderData is what a provider wants back byte for byte with an assistant message: reasoning items, signatures.
// Data keeps the form and order of the dialect; other dialects and models ignore it. Editing the message drops it.
//
// Services bind signed and encrypted reasoning to every byte of the request before it, and refuse it, or drop it
// silently, once one of them has changed. A window writes into Prefix which request that was, and shows the data only
// after the same bytes. A window does not show history whose data has no Prefix.
type ProviderData struct {
	Dialect string `json:"dialect"`
	Model   string `json:"model"`
	Tokens  int    `json:"tokens,omitempty"` // estimated size
	Data    []byte `json:"data"`
	Prefix  string `json:"prefix,omitempty"`  // fingerprint of the request and its answer; "" for unknown
	Unbound bool   `json:"unbound,omitempty"` // plain reasoning, which may follow other bytes than it was issued for
	// Compacts says that Data holds what the service made of all that precedes the message. Where it goes back to the
	// service, the model reads it in place of the messages before.
	Compacts bool `json:"compacts,omitempty"`
}

// A ToolSchema describes one tool to a model: its name, its purpose, and the JSON schema of its arguments.
type ToolSchema struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"`
}

// Framing in tokens. Chat formats frame a message with three to four tokens and a call with its id and punctuation;
// providers render a tool's schema with about eight more.
const (
	messageOverhead = 4
	callOverhead    = 12
	resultOverhead  = 8
	schemaOverhead  = 8
)

// Tokens estimates the size of the message in a request, framing included.
func (m Message) Tokens() int {
	tokens := m.Framing() + toollimit.Tokens(m.Text)
	for i := range m.Calls {
		tokens += m.Calls[i].Tokens()
	}
	if m.ProviderData != nil {
		tokens += m.ProviderData.Tokens
	}
	return tokens + m.ImageTokens()
}

// Described returns the text of the message and what its pictures are, in words, for those who cannot see them.
func (m Message) Described() string {
	if len(m.Images) == 0 {
		return m.Text
	}
	var b strings.Builder
	b.WriteString(m.Text)
	for i := range m.Images {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("[picture: " + m.Images[i].String() + "]")
	}
	return b.String()
}

// ImageTokens estimates the size of the pictures of the message.
func (m Message) ImageTokens() int {
	tokens := 0
	for i := range m.Images {
		tokens += m.Images[i].Size()
	}
	return tokens
}

// Framing estimates the size of the message without its text, calls and provider data.
func (m Message) Framing() int {
	if m.Role == Tool {
		return messageOverhead + resultOverhead
	}
	return messageOverhead
}

// empty reports whether the message has no text, no pictures, no calls and no provider data.
func (m *Message) empty() bool {
	return len(m.Calls) == 0 && len(m.Images) == 0 && m.ProviderData == nil && strings.TrimSpace(m.Text) == ""
}

// Tokens estimates the size of the call in a request, framing included.
func (c ToolCall) Tokens() int {
	return callOverhead + toollimit.Tokens(c.Name) + toollimit.Tokens(string(c.Args))
}

// Tokens estimates the size of the schema in a request, framing included.
func (t ToolSchema) Tokens() int {
	return schemaOverhead + toollimit.Tokens(t.Name) + toollimit.Tokens(t.Description) + toollimit.Tokens(string(t.Schema))
}
