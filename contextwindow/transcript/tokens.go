package transcript

import "github.com/forayhq/foray/toollimit"

// What a request takes besides its texts, in tokens. Chat formats frame a message with three to four tokens and a call
// with its id and punctuation; providers render a tool's schema with about eight more.
const (
	messageOverhead = 4
	callOverhead    = 12
	resultOverhead  = 8
	schemaOverhead  = 8
)

// Tokens estimates what the message takes of a request, framing included.
func (m Message) Tokens() int {
	tokens := m.Framing() + toollimit.Tokens(m.Text)
	for i := range m.Calls {
		tokens += m.Calls[i].Tokens()
	}
	if m.ProviderData != nil {
		tokens += m.ProviderData.Tokens
	}
	return tokens
}

// Framing estimates what the message takes besides its text, calls and provider data.
func (m Message) Framing() int {
	if m.Role == Tool {
		return messageOverhead + resultOverhead
	}
	return messageOverhead
}

// Tokens estimates what the call takes of a request, framing included.
func (c ToolCall) Tokens() int {
	return callOverhead + toollimit.Tokens(c.Name) + toollimit.Tokens(string(c.Args))
}

// Tokens estimates what the schema takes of a request, framing included.
func (t ToolSchema) Tokens() int {
	return schemaOverhead + toollimit.Tokens(t.Name) + toollimit.Tokens(t.Description) + toollimit.Tokens(string(t.Schema))
}
