package transcript

import (
	"encoding/json"
	"unicode/utf8"
)

// messageFields are a Message's fields without its methods.
type messageFields Message

// messageJSON is the stored form of a message: what is not UTF-8 is kept as bytes, so that a loaded log gives the same
// bytes as the one that was saved.
type messageJSON struct {
	messageFields
	TextBytes []byte `json:"text_bytes,omitempty"`
}

// MarshalJSON stores a message so that UnmarshalJSON gives the same bytes.
func (m Message) MarshalJSON() ([]byte, error) {
	stored := messageJSON{messageFields: messageFields(m)}
	if !utf8.ValidString(m.Text) {
		stored.Text, stored.TextBytes = "", []byte(m.Text)
	}
	return json.Marshal(stored)
}

// UnmarshalJSON reads what MarshalJSON stored.
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

// callJSON is the stored form of a call: its arguments are kept as text, since a model's JSON need be neither compact
// nor valid.
type callJSON struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args,omitempty"`
}

// MarshalJSON stores a call so that UnmarshalJSON gives the same bytes.
func (c ToolCall) MarshalJSON() ([]byte, error) {
	return json.Marshal(callJSON{c.ID, c.Name, string(c.Args)})
}

// UnmarshalJSON reads what MarshalJSON stored.
func (c *ToolCall) UnmarshalJSON(data []byte) error {
	var stored callJSON
	if err := json.Unmarshal(data, &stored); err != nil {
		return err
	}
	*c = ToolCall{ID: stored.ID, Name: stored.Name}
	if stored.Args != "" {
		c.Args = json.RawMessage(stored.Args)
	}
	return nil
}

// schemaJSON is the stored form of a tool's schema, which is kept as text like a call's arguments.
type schemaJSON struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Schema      string `json:"schema,omitempty"`
}

// MarshalJSON stores a schema so that UnmarshalJSON gives the same bytes.
func (t ToolSchema) MarshalJSON() ([]byte, error) {
	return json.Marshal(schemaJSON{t.Name, t.Description, string(t.Schema)})
}

// UnmarshalJSON reads what MarshalJSON stored.
func (t *ToolSchema) UnmarshalJSON(data []byte) error {
	var stored schemaJSON
	if err := json.Unmarshal(data, &stored); err != nil {
		return err
	}
	*t = ToolSchema{Name: stored.Name, Description: stored.Description}
	if stored.Schema != "" {
		t.Schema = json.RawMessage(stored.Schema)
	}
	return nil
}
