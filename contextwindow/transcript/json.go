package transcript

import (
	"encoding/json"
	"unicode/utf8"
)

// A messageJSON is the stored form of a message. Text that is not UTF-8 is kept as bytes, so that a loaded log gives
// the bytes that were saved.
type messageJSON struct {
	messageFields
	TextBytes []byte `json:"text_bytes,omitempty"`
}

// messageFields are a Message's fields without its methods.
type messageFields Message

// MarshalJSON stores a message so that [Message.UnmarshalJSON] gives the same bytes.
func (m Message) MarshalJSON() ([]byte, error) {
	stored := messageJSON{messageFields: messageFields(m)}
	if !utf8.ValidString(m.Text) {
		stored.Text, stored.TextBytes = "", []byte(m.Text)
	}
	return json.Marshal(stored)
}

// UnmarshalJSON reads what [Message.MarshalJSON] stored.
func (m *Message) UnmarshalJSON(data []byte) error {
	var stored messageJSON
	if err := json.Unmarshal(data, &stored); err != nil {
		return err
	}
	*m = Message(stored.messageFields)
	if len(stored.TextBytes) > 0 {
		m.Text = string(stored.TextBytes)
	}
	return nil
}

// A callJSON is the stored form of a call. Arguments are kept as text, since a model's JSON may be invalid and its
// spaces matter.
type callJSON struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args,omitempty"`
}

// MarshalJSON stores a call so that [ToolCall.UnmarshalJSON] gives the same bytes.
func (c ToolCall) MarshalJSON() ([]byte, error) {
	return json.Marshal(callJSON{c.ID, c.Name, string(c.Args)})
}

// UnmarshalJSON reads what [ToolCall.MarshalJSON] stored.
func (c *ToolCall) UnmarshalJSON(data []byte) error {
	var stored callJSON
	if err := json.Unmarshal(data, &stored); err != nil {
		return err
	}
	*c = ToolCall{stored.ID, stored.Name, rawText(stored.Args)}
	return nil
}

// A schemaJSON is the stored form of a tool's schema, which is kept as text like arguments.
type schemaJSON struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Schema      string `json:"schema,omitempty"`
}

// MarshalJSON stores a schema so that [ToolSchema.UnmarshalJSON] gives the same bytes.
func (t ToolSchema) MarshalJSON() ([]byte, error) {
	return json.Marshal(schemaJSON{t.Name, t.Description, string(t.Schema)})
}

// UnmarshalJSON reads what [ToolSchema.MarshalJSON] stored.
func (t *ToolSchema) UnmarshalJSON(data []byte) error {
	var stored schemaJSON
	if err := json.Unmarshal(data, &stored); err != nil {
		return err
	}
	*t = ToolSchema{stored.Name, stored.Description, rawText(stored.Schema)}
	return nil
}

func rawText(text string) json.RawMessage { return append(json.RawMessage(nil), text...) } // nil for ""
