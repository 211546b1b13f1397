package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	library "github.com/sashabaranov/go-openai"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
)

// ownFields are the fields of a request that this package writes.
var ownFields = []string{
	"model", "messages", "tools", "tool_choice", "max_tokens", "max_completion_tokens", "response_format", "stream",
	"stream_options", "n",
}

// A body is a request as the wire has it. The library's own type is not used, for it leaves out what is empty or zero,
// cannot carry a field that it does not know, and refuses names of models that it takes for OpenAI's.
type body struct {
	Model               string                                `json:"model"`
	Messages            []message                             `json:"messages"`
	Tools               []tool                                `json:"tools,omitempty"`
	ToolChoice          providers.ToolChoice                  `json:"tool_choice,omitempty"`
	MaxTokens           int                                   `json:"max_tokens,omitempty"`
	MaxCompletionTokens int                                   `json:"max_completion_tokens,omitempty"`
	ResponseFormat      *library.ChatCompletionResponseFormat `json:"response_format,omitempty"`
	Stream              bool                                  `json:"stream"`
	StreamOptions       *library.StreamOptions                `json:"stream_options,omitempty"`
}

// A message is one message on the wire. A nil Content is left out, an empty one is not.
type message struct {
	Role             string            `json:"role"`
	Content          *string           `json:"content,omitempty"`
	ReasoningContent *string           `json:"reasoning_content,omitempty"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details,omitempty"`
	ToolCalls        []call            `json:"tool_calls,omitempty"`
	ToolCallID       string            `json:"tool_call_id,omitempty"`
}

type call struct {
	ID           string               `json:"id"`
	Type         string               `json:"type"`
	Function     library.FunctionCall `json:"function"`
	ExtraContent json.RawMessage      `json:"extra_content,omitempty"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// noOutput is the content of a result without text: servers refuse a result without content, and models take an empty
// one for a fault.
const noOutput = "(no output)"

// noParameters is the schema of a tool that has none.
const noParameters = `{"type":"object","properties":{}}`

// encode returns req as the wire has it.
func (m *Model) encode(req *providers.Request) ([]byte, error) {
	b := body{Model: m.config.Name, Messages: m.messages(req), Tools: toolsOf(req), Stream: true}
	if len(b.Tools) > 0 { // a choice without tools is refused
		b.ToolChoice = req.Choice
	}
	if isOpenAI(m.base) { // which refuses the old name for its newer models; most other servers know only that
		b.MaxCompletionTokens = req.MaxOutput
	} else {
		b.MaxTokens = req.MaxOutput
	}
	if req.Schema != nil {
		b.ResponseFormat = &library.ChatCompletionResponseFormat{
			Type:       library.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &library.ChatCompletionResponseFormatJSONSchema{Name: "answer", Schema: req.Schema, Strict: true},
		}
	}
	if !m.config.NoUsage {
		b.StreamOptions = &library.StreamOptions{IncludeUsage: true}
	}
	raw, err := marshal(b)
	if err != nil {
		return nil, fmt.Errorf("encoding the request: %w", err)
	}
	if len(m.extra) == 0 {
		return raw, nil
	}
	return append(append(raw[:len(raw)-1:len(raw)-1], m.extra...), '}'), nil
}

// marshal encodes without the escapes for HTML, so that texts and opaque parts are the bytes that they were.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

func toolsOf(req *providers.Request) []tool {
	tools := make([]tool, 0, len(req.Tools))
	for _, t := range req.Tools {
		parameters := t.Schema
		if len(parameters) == 0 {
			parameters = json.RawMessage(noParameters)
		}
		tools = append(tools, tool{Type: "function", Function: function{t.Name, t.Description, parameters}})
	}
	return tools
}

// messages returns the messages on the wire; one that says nothing is left out, for servers refuse it.
func (m *Model) messages(req *providers.Request) []message {
	out := make([]message, 0, len(req.Messages)+1)
	if req.System != "" {
		out = append(out, message{Role: "system", Content: &req.System})
	}
	for i := range req.Messages {
		in := &req.Messages[i]
		switch in.Role {
		case contextwindow.User:
			if in.Text != "" {
				out = append(out, message{Role: "user", Content: &in.Text})
			}
		case contextwindow.Assistant:
			if in.Text != "" || len(in.Calls) > 0 {
				out = append(out, m.assistant(in))
			}
		case contextwindow.Tool:
			text := in.Text
			if text == "" {
				text = noOutput
			}
			out = append(out, message{Role: "tool", Content: &text, ToolCallID: in.CallID})
		}
	}
	fillReasoning(out)
	return out
}

// fillReasoning gives every message of the model an empty reasoning where another one has its own: a server that wants
// reasoning back refuses a conversation in which one message has lost it, as by an edit.
func fillReasoning(messages []message) {
	if !slices.ContainsFunc(messages, func(m message) bool { return m.ReasoningContent != nil }) {
		return
	}
	for i := range messages {
		if m := &messages[i]; m.Role == "assistant" && m.ReasoningContent == nil {
			m.ReasoningContent = new(string)
		}
	}
}

func (m *Model) assistant(in *contextwindow.Message) message {
	out := message{Role: "assistant"}
	if in.Text != "" {
		out.Content = &in.Text
	}
	for _, c := range in.Calls {
		out.ToolCalls = append(out.ToolCalls, call{
			ID: c.ID, Type: "function", Function: library.FunctionCall{Name: c.Name, Arguments: arguments(c.Args)},
		})
	}
	m.restore(in.Opaque, &out)
	return out
}

// arguments returns args as the wire has them. What the model wrote in place of an object is put into one: servers
// that render calls with a template of the model's refuse anything else, for this and all later requests.
func arguments(args json.RawMessage) string {
	if len(args) == 0 {
		return "{}"
	}
	text, bad := providers.Unparsed(args)
	if !bad {
		return string(args)
	}
	object, err := marshal(map[string]string{"unparsed_arguments": text})
	if err != nil {
		return "{}" // a string always encodes
	}
	return string(object)
}
