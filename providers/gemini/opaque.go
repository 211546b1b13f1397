package gemini

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
	"github.com/forayhq/foray/toollimit"
)

// dialect names the form of the opaque parts that this package makes: a JSON list of the parts of an answer.
const dialect = "gemini"

// A kept is the parts of an answer as the service wrote them, in their order. Neighbouring texts that are nothing but
// texts are one; a part with a signature is joined with nothing.
type kept struct {
	parts   []json.RawMessage
	text    strings.Builder // of the part under way; not yet in parts
	thought bool            // that part is a thought
	wanted  bool            // there is something that text and calls do not say
	tokens  int
}

// add adds a part; p is what it holds.
func (k *kept) add(raw json.RawMessage, p *part) {
	if isPlain(raw, p) {
		if p.Thought != k.thought {
			k.flush()
		}
		k.thought = p.Thought
		k.text.WriteString(p.Text)
		return
	}
	k.flush()
	k.parts = append(k.parts, bytes.Clone(raw))
	switch {
	case p.ThoughtSignature != "":
		k.wanted = true
		k.tokens += toollimit.Tokens(p.ThoughtSignature)
	case p.FunctionCall == nil:
		k.wanted = true
		k.tokens += toollimit.Tokens(string(raw))
	}
}

// isPlain reports whether a part is a text or a thought and nothing else.
func isPlain(raw json.RawMessage, p *part) bool {
	if p.ThoughtSignature != "" || p.FunctionCall != nil {
		return false
	}
	var fields map[string]json.RawMessage
	if n := bytes.Count(raw, []byte(`":`)); n == 1 && bytes.Contains(raw, []byte(`"text"`)) {
		return true // the common case: one field, whose name is text
	}
	if json.Unmarshal(raw, &fields) != nil {
		return false
	}
	for name := range fields {
		if name != "text" && name != "thought" {
			return false
		}
	}
	return true
}

// flush puts the text under way into parts; an empty one says nothing.
func (k *kept) flush() {
	if k.text.Len() == 0 {
		return
	}
	raw, err := wire.Encode(plainPart{Text: k.text.String(), Thought: k.thought})
	if err == nil { // a string always encodes
		k.parts = append(k.parts, raw)
	}
	if k.thought {
		k.wanted = true
		k.tokens += toollimit.Tokens(k.text.String())
	}
	k.text.Reset()
}

// A plainPart is a text or a thought.
type plainPart struct {
	Text    string `json:"text"`
	Thought bool   `json:"thought,omitempty"`
}

// opaque returns what was kept as the opaque part of a message of the model name; nil when text and calls say all, and
// when a call's arguments are no object, for the service takes no other back.
func (k *kept) opaque(name string, calls []transcript.ToolCall) (*transcript.ProviderData, error) {
	k.flush()
	for _, c := range calls {
		if _, bad := providers.Unparsed(c.Args); bad {
			return nil, nil
		}
	}
	if !k.wanted {
		return nil, nil
	}
	data, err := wire.Encode(k.parts)
	if err != nil {
		return nil, err
	}
	return &transcript.ProviderData{Dialect: dialect, Model: name, Tokens: k.tokens, Data: data}, nil
}

// restore returns the parts that m's opaque part holds, and the ids of their calls, "" for none. It returns none for
// what another dialect or model kept, and for parts that are no longer those of m, as after an edit.
func (m *Model) restore(in *transcript.Message) (parts []json.RawMessage, ids []string) {
	o := in.ProviderData
	if o == nil || o.Dialect != dialect || o.Model != m.name || json.Unmarshal(o.Data, &parts) != nil {
		return nil, nil
	}
	text, calls := "", 0
	for _, raw := range parts {
		var p part
		if json.Unmarshal(raw, &p) != nil {
			return nil, nil
		}
		switch {
		case p.FunctionCall != nil:
			if calls >= len(in.Calls) || p.FunctionCall.Name != in.Calls[calls].Name || !sameJSON(arguments(p.FunctionCall.Args), in.Calls[calls].Args) {
				return nil, nil
			}
			ids = append(ids, p.FunctionCall.ID)
			calls++
		case !p.Thought:
			text += p.Text
		}
	}
	if text != in.Text || calls != len(in.Calls) {
		return nil, nil
	}
	return parts, ids
}

// sameJSON reports whether two texts are the same JSON: storing a message as JSON takes spaces out of arguments, and
// writes some characters as escapes.
func sameJSON(a, b json.RawMessage) bool {
	if len(b) == 0 {
		b = json.RawMessage("{}")
	}
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	return decode(a, &x) == nil && decode(b, &y) == nil && reflect.DeepEqual(x, y)
}

// decode reads JSON with numbers as they are written.
func decode(raw json.RawMessage, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(v)
}
