package openai

import (
	"encoding/json"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers/internal/wire"
	"github.com/forayhq/foray/toollimit"
)

// chatDialect names the form of the opaque parts of the chat wire.
const chatDialect = "openai/chat"

// A kept is what a server wants back with an assistant message: the Data of its opaque part.
type kept struct {
	// ReasoningContent is the reasoning of a message with calls. DeepSeek and Moonshot refuse the next request of the
	// same turn without it.
	ReasoningContent string `json:"reasoning_content,omitempty"`
	// Reasoning is the same for a server whose field is called so.
	Reasoning string `json:"reasoning,omitempty"`
	// ReasoningDetails are OpenRouter's reasoning blocks, with signatures and encrypted parts, in order.
	ReasoningDetails []json.RawMessage `json:"reasoning_details,omitempty"`
	// Calls are the extra contents of the calls, by their index: Gemini's signatures. Null: none.
	Calls []json.RawMessage `json:"calls,omitempty"`
}

// opaque returns k as the opaque part of a message of m; nil when there is nothing to keep.
func (k kept) opaque(m *Model) (*transcript.ProviderData, error) {
	if m.quirks.NoReasoningBack {
		k.ReasoningContent, k.Reasoning, k.ReasoningDetails = "", "", nil
	}
	if k.ReasoningContent == "" && k.Reasoning == "" && len(k.ReasoningDetails) == 0 && len(k.Calls) == 0 {
		return nil, nil
	}
	data, err := wire.Encode(k)
	if err != nil {
		return nil, err
	}
	return &transcript.ProviderData{Dialect: chatDialect, Model: m.config.Name, Tokens: toollimit.Tokens(string(data)), Data: data}, nil
}

// restoreChat puts what was kept back into out, a message with its calls; not what another dialect or model kept.
func (m *Model) restoreChat(o *transcript.ProviderData, out *message) {
	if o == nil || o.Dialect != chatDialect || o.Model != m.config.Name {
		return
	}
	var k kept
	if json.Unmarshal(o.Data, &k) != nil {
		return // not what this package wrote: as good as another dialect's
	}
	if out.ReasoningDetails = k.ReasoningDetails; k.ReasoningContent != "" {
		out.ReasoningContent = &k.ReasoningContent
	}
	out.Reasoning = k.Reasoning
	for i := range min(len(k.Calls), len(out.ToolCalls)) {
		if string(k.Calls[i]) != "null" {
			out.ToolCalls[i].ExtraContent = k.Calls[i]
		}
	}
}

// addDetail appends detail to details. A stream brings one block of text in pieces, with the same type and index; they
// become one block again, whose text is the pieces' together and whose other fields are the last that were set.
func addDetail(details []json.RawMessage, detail json.RawMessage) []json.RawMessage {
	var next map[string]json.RawMessage
	if json.Unmarshal(detail, &next) != nil || len(details) == 0 {
		return append(details, detail)
	}
	last := details[len(details)-1]
	var merged map[string]json.RawMessage
	if json.Unmarshal(last, &merged) != nil || !sameBlock(merged, next) {
		return append(details, detail)
	}
	for name, value := range next {
		switch {
		case name == "text" || name == "summary":
			merged[name] = joined(merged[name], value)
		case string(value) != "null":
			merged[name] = value
		}
	}
	whole, err := wire.Encode(merged)
	if err != nil {
		return append(details, detail)
	}
	details[len(details)-1] = whole
	return details
}

// sameBlock reports whether two details are pieces of one block. Encrypted blocks are never in pieces.
func sameBlock(a, b map[string]json.RawMessage) bool {
	kind := string(b["type"])
	return string(a["type"]) == kind && string(a["index"]) == string(b["index"]) &&
		(kind == `"reasoning.text"` || kind == `"reasoning.summary"`)
}

// joined returns the JSON string of two JSON strings, one after the other; null counts as empty.
func joined(a, b json.RawMessage) json.RawMessage {
	var first, second string
	if len(a) > 0 && json.Unmarshal(a, &first) != nil || json.Unmarshal(b, &second) != nil {
		return b
	}
	whole, err := wire.Encode(first + second)
	if err != nil {
		return b
	}
	return whole
}
