package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	library "github.com/sashabaranov/go-openai"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
	"github.com/forayhq/foray/toollimit"
)

// chatFields are the fields of a request that this package writes on the chat wire.
var chatFields = []string{
	"model", "messages", "tools", "tool_choice", "parallel_tool_calls", "max_tokens", "max_completion_tokens",
	"response_format", "stream", "stream_options", "return_progress", "n",
}

// A chatBody is a request on the chat wire. The library's own type would omit empty and zero values, drop unknown
// fields, and refuse some names of other services' models.
type chatBody struct {
	Model               string                                `json:"model"`
	Messages            []message                             `json:"messages"`
	Tools               []library.Tool                        `json:"tools,omitempty"`
	ToolChoice          providers.ToolChoice                  `json:"tool_choice,omitempty"`
	ParallelToolCalls   *bool                                 `json:"parallel_tool_calls,omitempty"`
	MaxTokens           int                                   `json:"max_tokens,omitempty"`
	MaxCompletionTokens int                                   `json:"max_completion_tokens,omitempty"`
	ResponseFormat      *library.ChatCompletionResponseFormat `json:"response_format,omitempty"`
	Stream              bool                                  `json:"stream"`
	StreamOptions       *library.StreamOptions                `json:"stream_options,omitempty"`
	ReturnProgress      bool                                  `json:"return_progress,omitempty"`
}

// A message is one message on the wire. Its Content is a *string or a []part: nil is left out, an empty text is sent.
type message struct {
	Role             string            `json:"role"`
	Content          any               `json:"content,omitempty"`
	ReasoningContent *string           `json:"reasoning_content,omitempty"`
	Reasoning        string            `json:"reasoning,omitempty"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details,omitempty"`
	ToolCalls        []call            `json:"tool_calls,omitempty"`
	ToolCallID       string            `json:"tool_call_id,omitempty"`
}

// A part is a text or a picture of a message.
type part struct {
	Type     string  `json:"type"`
	Text     string  `json:"text,omitempty"`
	ImageURL *atPart `json:"image_url,omitempty"`
}

type atPart struct {
	URL string `json:"url"`
}

// partsOf returns a text, which may be empty, and pictures.
func partsOf(text string, images []toollimit.Image) []part {
	var parts []part
	if text != "" {
		parts = append(parts, part{Type: "text", Text: text})
	}
	for i := range images {
		parts = append(parts, part{Type: "image_url", ImageURL: &atPart{wire.Address(&images[i])}})
	}
	return parts
}

// A call is the library's type with Gemini's extra field.
type call struct {
	library.ToolCall
	ExtraContent json.RawMessage `json:"extra_content,omitempty"`
}

// encodeChat returns req for the chat wire.
func (m *Model) encodeChat(req *providers.Request) ([]byte, error) {
	b := chatBody{Model: m.config.Name, Messages: m.messages(req), Tools: toolsOf(req), Stream: true,
		ReturnProgress: m.quirks.Progress}
	b.ToolChoice, b.ParallelToolCalls = m.choice(req)
	if m.quirks.MaxTokens == maxCompletionTokens {
		b.MaxCompletionTokens = req.MaxOutput
	} else {
		b.MaxTokens = req.MaxOutput
	}
	if req.Schema != nil && !m.quirks.NoSchema {
		b.ResponseFormat = &library.ChatCompletionResponseFormat{
			Type: library.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &library.ChatCompletionResponseFormatJSONSchema{
				Name: cmp.Or(req.SchemaName, answerName), Schema: req.Schema, Strict: true,
			},
		}
	}
	if !m.quirks.NoStreamOptions {
		b.StreamOptions = &library.StreamOptions{IncludeUsage: true}
	}
	raw, err := line.JSON(b)
	if err != nil {
		return nil, fmt.Errorf("encoding the request: %w", err)
	}
	fields, err := chatSampling.Members(req)
	if err != nil {
		return nil, err
	}
	if req.ReasoningEffort != "" {
		fields["reasoning_effort"] = wire.Quoted(req.ReasoningEffort)
	}
	return m.withExtra(raw[:len(raw)-1], fields), nil
}

// chatSampling names the sampling fields of the chat wire.
var chatSampling = wire.SamplingNames{Temperature: "temperature", TopP: "top_p", Stop: "stop", Seed: "seed"}

func toolsOf(req *providers.Request) []library.Tool {
	tools := make([]library.Tool, 0, len(req.Tools))
	for _, t := range req.Tools {
		tools = append(tools, library.Tool{Type: library.ToolTypeFunction, Function: &library.FunctionDefinition{
			Name: t.Name, Description: t.Description, Parameters: wire.Parameters(t.Schema),
		}})
	}
	return tools
}

// messages returns the messages on the wire. It leaves out empty messages, which servers refuse.
func (m *Model) messages(req *providers.Request) []message {
	out := make([]message, 0, len(req.Messages)+1)
	if req.System != "" {
		out = append(out, message{Role: "system", Content: &req.System})
	}
	var brought []toollimit.Image // by results that nothing but results follows
	bring := func() {
		if len(brought) > 0 {
			out = append(out, message{Role: "user", Content: partsOf(wire.ResultPictures, brought)})
			brought = nil
		}
	}
	for i := range req.Messages {
		in := &req.Messages[i]
		text, images := wire.Pictures(in, m.config.Info.Vision)
		if in.Role != transcript.Tool {
			bring()
		}
		switch in.Role {
		case transcript.User:
			if len(images) > 0 {
				out = append(out, message{Role: "user", Content: partsOf(text, images)})
			} else if text != "" {
				out = append(out, message{Role: "user", Content: &text})
			}
		case transcript.Assistant:
			if text != "" || len(in.Calls) > 0 {
				out = append(out, m.assistant(in))
			}
		case transcript.Tool:
			text, brought = cmp.Or(text, wire.NoOutput), append(brought, images...)
			out = append(out, message{Role: "tool", Content: &text, ToolCallID: m.callID(in.CallID)})
		}
	}
	bring()
	fillReasoning(out)
	return out
}

// fillReasoning sets the missing reasoning of assistant messages to "" if any message has reasoning. A server that
// wants reasoning back refuses messages without it, and an edit may have dropped it.
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

func (m *Model) assistant(in *transcript.Message) message {
	out := message{Role: "assistant"}
	if in.Text != "" {
		out.Content = &in.Text
	}
	for _, c := range in.Calls {
		out.ToolCalls = append(out.ToolCalls, call{ToolCall: library.ToolCall{
			ID: m.callID(c.ID), Type: library.ToolTypeFunction,
			Function: library.FunctionCall{Name: c.Name, Arguments: string(wire.Object(c.Args))},
		}})
	}
	m.restoreChat(in.ProviderData, &out)
	return out
}
