package gemini

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
)

// dialect names this package's form of provider data: a JSON list of the parts of an answer.
const dialect = "gemini"

// A kept holds the parts of an answer as the service wrote them, in order. Neighbouring plain texts become one; a part
// with a signature stays separate.
type kept struct {
	parts   []json.RawMessage
	text    strings.Builder // of the current part, which is not in parts yet
	thought bool            // the current part is a thought
	wanted  bool            // the parts say more than text and calls
	signed  bool            // a part has a signature
	tokens  int
}

// partOverhead is how many bytes a part takes besides its own.
const partOverhead = 64

// add adds a part, given raw and parsed. It returns how many bytes it holds of it.
func (k *kept) add(raw json.RawMessage, p *part) int {
	if isPlain(raw, p) {
		size := len(p.Text)
		if p.Thought != k.thought && k.text.Len() > 0 {
			k.flush()
			size += partOverhead
		}
		k.thought = p.Thought
		k.text.WriteString(p.Text)
		return size
	}
	k.flush()
	k.parts = append(k.parts, bytes.Clone(raw))
	switch {
	case p.ThoughtSignature != "":
		k.wanted, k.signed = true, true
		k.tokens += toollimit.Tokens(p.ThoughtSignature)
	case p.FunctionCall == nil:
		k.wanted = true
		k.tokens += toollimit.Tokens(string(raw))
	}
	return len(raw) + partOverhead
}

// isPlain reports whether a part is only a text or a thought.
func isPlain(raw json.RawMessage, p *part) bool {
	if p.ThoughtSignature != "" || p.FunctionCall != nil {
		return false
	}
	var fields map[string]json.RawMessage
	if n := bytes.Count(raw, []byte(`":`)); n == 1 && bytes.Contains(raw, []byte(`"text"`)) {
		return true // the common case: the only field is text
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

// flush moves the current text into parts, unless it is empty.
func (k *kept) flush() {
	if k.text.Len() == 0 {
		return
	}
	raw, err := line.JSON(plainPart{Text: k.text.String(), Thought: k.thought})
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

// providerData returns the parts for a message of the model name. It returns nil if text and calls say as much, or if
// the arguments of a call are not an object, which the service would refuse.
func (k *kept) providerData(name string, calls []transcript.ToolCall) (*transcript.ProviderData, error) {
	k.flush()
	for _, c := range calls {
		if _, bad := providers.Unparsed(c.Args); bad {
			return nil, nil
		}
	}
	if !k.wanted {
		return nil, nil
	}
	data, err := line.JSON(k.parts)
	if err != nil {
		return nil, err
	}
	return &transcript.ProviderData{Dialect: dialect, Model: name, Tokens: k.tokens, Data: data,
		Unbound: !k.signed}, nil
}

// restore returns the parts in m's provider data and the ids of their calls, "" for a call without one. It returns none
// for another dialect or model, or if the parts no longer match m, as after an edit.
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
			if calls >= len(in.Calls) || p.FunctionCall.Name != in.Calls[calls].Name ||
				!sameJSON(arguments(p.FunctionCall.Args), in.Calls[calls].Args) {
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

// sameJSON reports whether two texts are the same JSON: storing a message changes spaces and escapes in arguments.
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

// decode parses JSON and keeps numbers as they are written.
func decode(raw json.RawMessage, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(v)
}
