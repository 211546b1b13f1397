package openai

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
)

// responsesDialect names the form of provider data on the responses wire: the items of an answer as the service wrote
// them.
const responsesDialect = "openai/responses"

// sealedDialect is responsesDialect for items with encrypted content: it is bound to the server and the key that it was
// issued for, and a request with that of another account is refused. Four bytes of a hash keep accounts apart and say
// nothing of the key.
func sealedDialect(host, key string) string {
	sum := sha256.Sum256([]byte(host + "\x00" + key))
	return responsesDialect + "@" + hex.EncodeToString(sum[:4])
}

// An outputItem holds the fields that this package reads of an item.
type outputItem struct {
	Type             string
	ID               string
	CallID           string `json:"call_id"`
	Name             string
	Arguments        text
	Phase            string
	EncryptedContent string `json:"encrypted_content"`
	Summary, Content []struct {
		Type, Text, Refusal string
	}
}

// text returns the text of a message, including a refusal.
func (i *outputItem) text() string {
	var b strings.Builder
	for _, part := range i.Content {
		b.WriteString(part.Text)
		b.WriteString(part.Refusal)
	}
	return b.String()
}

// An itemContent is the text and the calls of items.
type itemContent struct {
	text  string
	calls []transcript.ToolCall
}

// betweenMessages separates the texts of two messages of one answer.
const betweenMessages = "\n\n"

// contentOf returns the text and the calls of items.
func contentOf(items []outputItem) itemContent {
	var t itemContent
	for i := range items {
		switch item := &items[i]; item.Type {
		case "message":
			if text := item.text(); text != "" && t.text != "" {
				t.text += betweenMessages + text
			} else {
				t.text += text
			}
		case "function_call":
			args := providers.Arguments(string(item.Arguments))
			t.calls = append(t.calls, transcript.ToolCall{ID: item.CallID, Name: item.Name, Args: args})
		}
	}
	return t
}

// keep returns the items of an answer as provider data. It returns nil if they add nothing to the text and the calls,
// and if they cannot be sent back: if reasoning consists of an id only, because the service did not store it, or if the
// id or arguments of a call were changed.
func (m *Model) keep(
	raw []json.RawMessage, items []outputItem, calls []transcript.ToolCall, usage *providers.Usage,
) *transcript.ProviderData {
	last, more, sealed, called, compacts, summary := len(items), false, false, false, false, 0
	for last > 0 && items[last-1].Type == "reasoning" { // the service refuses reasoning at the end
		last--
	}
	var reasoning int
	for i, item := range items[:last] {
		switch item.Type {
		case "message":
			more = more || item.Phase != ""
		case "reasoning":
			if item.EncryptedContent == "" && len(item.Content) == 0 {
				return nil
			}
			more, sealed = true, sealed || item.EncryptedContent != ""
			reasoning += toollimit.Tokens(string(raw[i]))
		case "function_call":
			called = true
		case compaction:
			more, sealed = true, true
			compacts = compacts || !called // a call must stay in front of its output
			summary += sealedTokens(item.EncryptedContent)
		default:
			more, sealed = true, true
		}
	}
	if !more || m.quirks.NoReasoningBack || !sameCalls(contentOf(items).calls, calls) {
		return nil
	}
	if usage != nil { // the service's count; the encrypted form is longer
		reasoning = cmp.Or(usage.Reasoning, reasoning)
	}
	data := []byte{'['}
	for _, item := range raw[:last] {
		data = append(append(data, item...), ',')
	}
	data[len(data)-1] = ']' // in place of the last comma
	dialect := responsesDialect
	if sealed {
		dialect = m.sealed
	}
	return &transcript.ProviderData{
		Dialect: dialect, Model: m.config.Name, Tokens: reasoning + summary, Data: data, Unbound: !sealed,
		Compacts: compacts,
	}
}

// sameCalls reports whether two lists of calls are equal and all arguments parsed.
func sameCalls(a, b []transcript.ToolCall) bool {
	return slices.EqualFunc(a, b, func(x, y transcript.ToolCall) bool {
		_, bad := providers.Unparsed(x.Args)
		return !bad && x.ID == y.ID && x.Name == y.Name && bytes.Equal(x.Args, y.Args)
	})
}

// restoreItems returns the items of the answer that became message in, unless an edit has changed the message.
func (m *Model) restoreItems(in *transcript.Message) ([]json.RawMessage, bool) {
	o := in.ProviderData
	if o == nil || in.Role != transcript.Assistant || o.Model != m.config.Name ||
		o.Dialect != m.sealed && o.Dialect != responsesDialect {
		return nil, false
	}
	var raw []json.RawMessage
	var items []outputItem
	if json.Unmarshal(o.Data, &raw) != nil || json.Unmarshal(o.Data, &items) != nil || len(raw) == 0 {
		return nil, false // this package did not write it: treat it as another dialect's
	}
	t := contentOf(items)
	if t.text != in.Text || !sameCalls(t.calls, in.Calls) {
		return nil, false // an edit forgot to drop it
	}
	return raw, true
}
