package transcript

import (
	"encoding/json"

	"github.com/forayhq/foray/toollimit"
)

// A Role says who speaks in a message.
type Role string

// The roles of a message. A system prompt is no message: it stands in the Frame.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// An Origin says where a message came from, where that matters to compaction. The zero value is the run itself.
type Origin string

// The origins of a message.
const (
	Prompt  Origin = "prompt"  // opens a run: kept whole in every view
	History Origin = "history" // an earlier run's message, handed in before the prompt: the first to go
	Runtime Origin = "record"  // written by the runtime in place of what a compaction folded
)

// A ToolCall is one call that an assistant message asks for. Args is the JSON text as the model wrote it.
type ToolCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

// A Message is one message of a request. An Assistant message may hold Calls; a Tool message answers the call CallID
// of the tool Name, with text of a Kind, Failed if the call did.
type Message struct {
	Role         Role           `json:"role"`
	Text         string         `json:"text,omitempty"`
	Calls        []ToolCall     `json:"calls,omitempty"`
	CallID       string         `json:"call_id,omitempty"`
	Name         string         `json:"name,omitempty"`
	Kind         toollimit.Kind `json:"kind,omitempty"`
	Failed       bool           `json:"failed,omitempty"`
	Origin       Origin         `json:"origin,omitempty"`
	ProviderData *ProviderData  `json:"opaque,omitempty"`
}

// ProviderData is what a provider wants back byte for byte with an assistant message: reasoning items, signatures. Data
// keeps the form and order of the dialect; other dialects and models ignore it. Editing the message drops it. Saved
// logs call it "opaque". Tokens estimates its size.
type ProviderData struct {
	Dialect string `json:"dialect"`
	Model   string `json:"model"`
	Tokens  int    `json:"tokens,omitempty"`
	Data    []byte `json:"data"`
}

// A ToolSchema describes one tool to a model: its name, what it is for, and the JSON schema of its arguments.
type ToolSchema struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"`
}
