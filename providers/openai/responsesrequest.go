package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
	"github.com/forayhq/foray/toollimit"
)

// responsesFields are the fields of a request that this package writes on the responses wire, and those that would make
// the service store the conversation.
var responsesFields = []string{
	"model", "instructions", "input", "tools", "tool_choice", "parallel_tool_calls", "max_output_tokens", "text",
	"include", "store", "stream", "previous_response_id", "conversation", "background", "context_management",
}

// A responsesBody is a request on the responses wire without its input, which comes last. The input contains items of
// the service byte for byte; the library's own type would rewrite them, and would leave out "store":false.
type responsesBody struct {
	Model             string               `json:"model"`
	Instructions      string               `json:"instructions,omitempty"`
	Tools             []inlineTool         `json:"tools,omitempty"`
	ToolChoice        providers.ToolChoice `json:"tool_choice,omitempty"`
	ParallelToolCalls *bool                `json:"parallel_tool_calls,omitempty"`
	MaxOutputTokens   int                  `json:"max_output_tokens,omitempty"`
	Text              *textForm            `json:"text,omitempty"`
	Include           []string             `json:"include,omitempty"`
	Management        []management         `json:"context_management,omitempty"`
	Store             bool                 `json:"store"`
	Stream            bool                 `json:"stream"`
}

// An inlineTool is a tool on this wire. It is never strict: the service's default is strict, which refuses most
// schemas.
type inlineTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

type textForm struct {
	Format struct {
		Type   string          `json:"type"`
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"schema"`
		Strict bool            `json:"strict"`
	} `json:"format"`
}

// leastOutput is the smallest output limit that the service accepts, in tokens.
const leastOutput = 16

// encryptedReasoning asks for reasoning that can be sent back to a service that stores nothing.
const encryptedReasoning = "reasoning.encrypted_content"

// withoutReasoning are prefixes of OpenAI models that do not reason. They refuse a request for encrypted reasoning.
var withoutReasoning = []string{"gpt-3.5", "gpt-4", "chatgpt-", "gpt-5-chat", "ft:gpt-3.5", "ft:gpt-4"}

// encodeResponses returns req for the responses wire.
func (m *Model) encodeResponses(req *providers.Request) ([]byte, error) {
	b := responsesBody{Model: m.config.Name, Instructions: req.System, Stream: true}
	b.ToolChoice, b.ParallelToolCalls = m.choice(req)
	for _, t := range req.Tools {
		tool := inlineTool{Type: "function", Name: t.Name, Description: t.Description, Parameters: wire.Parameters(t.Schema)}
		b.Tools = append(b.Tools, tool)
	}
	if req.MaxOutput > 0 {
		b.MaxOutputTokens = max(req.MaxOutput, leastOutput)
	}
	if req.Schema != nil && !m.quirks.NoSchema {
		b.Text = new(textForm)
		b.Text.Format.Type, b.Text.Format.Name = "json_schema", cmp.Or(req.SchemaName, answerName)
		b.Text.Format.Schema, b.Text.Format.Strict = req.Schema, true
	}
	b.Management = m.manage()
	if m.config.reasons() {
		b.Include = []string{encryptedReasoning}
	}
	raw, err := line.JSON(b)
	if err != nil {
		return nil, fmt.Errorf("encoding the request: %w", err)
	}
	raw = append(raw[:len(raw)-1], `,"input":`...)
	if raw, err = m.appendInput(raw, req.Messages); err != nil {
		return nil, fmt.Errorf("encoding the request: %w", err)
	}
	fields, err := responsesSampling.Members(req)
	if err != nil {
		return nil, err
	}
	if req.ReasoningEffort != "" {
		fields["reasoning"] = append(append([]byte(`{"effort":`), wire.Quoted(req.ReasoningEffort)...), '}')
	}
	return m.withExtra(raw, fields), nil
}

// responsesSampling names the sampling fields of the responses wire, which has neither stop texts nor a seed.
var responsesSampling = wire.SamplingNames{Temperature: "temperature", TopP: "top_p"}

// reasons reports whether the model may reason.
func (c *Config) reasons() bool {
	starts := func(prefix string) bool { return strings.HasPrefix(c.Name, prefix) }
	return !slices.ContainsFunc(withoutReasoning, starts)
}

// An inputItem is one item that this package writes.
type inputItem struct {
	Type      string `json:"type"`
	Role      string `json:"role,omitempty"`
	Content   any    `json:"content,omitempty"` // a string or a []inputPart
	CallID    string `json:"call_id,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments,omitempty"`
	Output    any    `json:"output,omitempty"` // a string or a []inputPart
}

// An inputPart is a text or a picture.
type inputPart struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL string `json:"image_url,omitempty"`
}

// inputOf returns a text, or the parts of one with pictures.
func inputOf(text string, images []toollimit.Image) any {
	if len(images) == 0 {
		return text
	}
	var parts []inputPart
	if text != "" {
		parts = append(parts, inputPart{Type: "input_text", Text: text})
	}
	for i := range images {
		parts = append(parts, inputPart{Type: "input_image", ImageURL: wire.Address(&images[i])})
	}
	return parts
}

// appendInput appends messages as a list of items. It leaves out empty messages.
func (m *Model) appendInput(to []byte, messages []transcript.Message) ([]byte, error) {
	var all [][]byte
	from, without := m.compacted(messages)
	for i := from; i < len(messages); i++ {
		in := &messages[i]
		if items, ok := m.restoreItems(in); ok && i < without {
			if i == from {
				items = items[max(lastCompaction(items), 0):]
			}
			for _, item := range items {
				all = append(all, item)
			}
			continue
		}
		for _, item := range m.items(in) {
			raw, err := line.JSON(item)
			if err != nil {
				return nil, err
			}
			all = append(all, raw)
		}
	}
	to = append(append(to, '['), bytes.Join(all, []byte{','})...)
	return append(to, ']'), nil
}

// items returns the items of a message, written from its text and calls.
func (m *Model) items(in *transcript.Message) (out []inputItem) {
	text, images := wire.Pictures(in, m.config.Info.Vision)
	if in.Role == transcript.Tool {
		return []inputItem{{Type: "function_call_output", CallID: m.callID(in.CallID),
			Output: inputOf(cmp.Or(text, wire.NoOutput), images)}}
	}
	if text != "" || len(images) > 0 {
		out = append(out, inputItem{Type: "message", Role: string(in.Role), Content: inputOf(text, images)})
	}
	for _, c := range in.Calls {
		args := string(wire.Object(c.Args))
		out = append(out, inputItem{Type: "function_call", CallID: m.callID(c.ID), Name: c.Name, Arguments: args})
	}
	return out
}
