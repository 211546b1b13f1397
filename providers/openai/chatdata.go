package openai

import (
	"cmp"
	"encoding/json"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers/internal/wire"
	"github.com/forayhq/foray/toollimit"
)

// chatDialect names the form of provider data on the chat wire.
const chatDialect = "openai/chat"

// An echo is the provider data of an assistant message: what the server wants back with it.
type echo struct {
	// ReasoningContent is the reasoning of a message with calls. Without it, DeepSeek and Moonshot refuse the next
	// request of the turn.
	ReasoningContent string `json:"reasoning_content,omitempty"`
	// Reasoning is the same for servers that use this field name.
	Reasoning string `json:"reasoning,omitempty"`
	// ReasoningDetails are OpenRouter's reasoning blocks, with signatures and encrypted parts, in order.
	ReasoningDetails []json.RawMessage `json:"reasoning_details,omitempty"`
	// Calls are the extra contents of the calls by index: Gemini's signatures. Null means none.
	Calls []json.RawMessage `json:"calls,omitempty"`
}

// providerData returns k for a message of m; nil if it is empty.
func (k echo) providerData(m *Model) (*transcript.ProviderData, error) {
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
	return &transcript.ProviderData{
		Dialect: chatDialect, Model: m.config.Name, Tokens: toollimit.Tokens(string(data)), Data: data,
		Unbound: !k.signed(),
	}, nil
}

// signed reports whether the server signed or encrypted something. Other reasoning is text, which it also wants back
// after an earlier message has changed.
func (k *echo) signed() bool {
	for _, raw := range k.ReasoningDetails {
		var detail struct{ Signature, Data *string }
		if json.Unmarshal(raw, &detail) != nil || cmp.Or(detail.Signature, detail.Data) != nil {
			return true
		}
	}
	return len(k.Calls) > 0
}

// restoreChat puts the provider data of this dialect and model back into out, a message with its calls.
func (m *Model) restoreChat(o *transcript.ProviderData, out *message) {
	if o == nil || o.Dialect != chatDialect || o.Model != m.config.Name {
		return
	}
	var k echo
	if json.Unmarshal(o.Data, &k) != nil {
		return // this package did not write it: treat it as another dialect's
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

// addDetail adds a reasoning detail to details. A server streams a block of text as several details with the same type
// and index. addDetail merges them: it concatenates the texts and keeps the last value of each other field.
func addDetail(details []json.RawMessage, detail json.RawMessage) []json.RawMessage {
	if len(details) == 0 {
		return append(details, detail)
	}
	last := &details[len(details)-1]
	var block, piece map[string]json.RawMessage
	if json.Unmarshal(*last, &block) != nil || json.Unmarshal(detail, &piece) != nil || !sameBlock(block, piece) {
		return append(details, detail)
	}
	for name, value := range piece {
		switch {
		case name == "text" || name == "summary":
			block[name] = concat(block[name], value)
		case string(value) != "null":
			block[name] = value
		}
	}
	whole, err := wire.Encode(block)
	if err != nil {
		return append(details, detail)
	}
	*last = whole
	return details
}

// sameBlock reports whether two details are pieces of one block. Encrypted blocks arrive whole.
func sameBlock(a, b map[string]json.RawMessage) bool {
	kind := string(b["type"])
	return string(a["type"]) == kind && string(a["index"]) == string(b["index"]) &&
		(kind == `"reasoning.text"` || kind == `"reasoning.summary"`)
}

// concat joins two JSON strings; null counts as empty. If either is not a string, it returns b.
func concat(a, b json.RawMessage) json.RawMessage {
	var first, second string
	if len(a) > 0 && json.Unmarshal(a, &first) != nil || json.Unmarshal(b, &second) != nil {
		return b
	}
	return quoted(first + second)
}
