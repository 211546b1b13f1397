package openai

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
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
	data, err := line.JSON(k)
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

// details collects reasoning details. A server streams a block of text as several details with the same type and index,
// and they become one: their texts are joined, and of each other field the last value counts.
type details struct {
	blocks []json.RawMessage           // whole but for the last
	last   map[string]json.RawMessage  // the last block; nil: not an object
	joined map[string]*strings.Builder // the texts in pieces of the last block; nil: it is one detail
}

// joinedFields are the fields of a block that arrive in pieces.
var joinedFields = []string{"text", "summary"}

// add adds a detail. It returns how many bytes it holds of it.
func (d *details) add(detail json.RawMessage) int {
	var piece map[string]json.RawMessage
	if json.Unmarshal(detail, &piece) != nil {
		piece = nil
	}
	if d.last == nil || piece == nil || !sameBlock(d.last, piece) {
		d.flush()
		d.blocks, d.last = append(d.blocks, detail), piece
		return len(detail)
	}
	if d.joined == nil {
		d.joined = map[string]*strings.Builder{}
	}
	size := 0
	for name, value := range piece {
		switch {
		case slices.Contains(joinedFields, name):
			size += d.join(name, value)
		case string(value) != "null":
			d.last[name] = value
			size += len(name) + len(value)
		}
	}
	return size
}

// join appends a JSON string to a text of the last block; null is empty. Any other value replaces the text.
func (d *details) join(name string, value json.RawMessage) int {
	var more, text string
	if json.Unmarshal(value, &more) != nil {
		delete(d.joined, name)
		d.last[name] = value
		return len(value)
	}
	if d.joined[name] == nil {
		d.joined[name] = new(strings.Builder)
		if first := d.last[name]; len(first) > 0 && json.Unmarshal(first, &text) == nil {
			d.joined[name].WriteString(text)
		}
	}
	d.joined[name].WriteString(more)
	return len(more)
}

// flush makes the last block whole.
func (d *details) flush() {
	for name, text := range d.joined {
		d.last[name] = wire.Quoted(text.String())
	}
	if d.joined != nil {
		if whole, err := line.JSON(d.last); err == nil { // of valid values: always encodes
			d.blocks[len(d.blocks)-1] = whole
		}
	}
	d.last, d.joined = nil, nil
}

// whole returns the blocks.
func (d *details) whole() []json.RawMessage {
	d.flush()
	return d.blocks
}

// sameBlock reports whether two details are pieces of one block. Encrypted blocks arrive whole.
func sameBlock(a, b map[string]json.RawMessage) bool {
	kind := string(b["type"])
	return string(a["type"]) == kind && string(a["index"]) == string(b["index"]) &&
		(kind == `"reasoning.text"` || kind == `"reasoning.summary"`)
}
