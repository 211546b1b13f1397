package anthropic

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
)

// A part records a block of an answer in its provider data: Raw for a block that the service wants back as it is, such
// as thinking; otherwise Text, how many bytes of the message's text it has, or Call for the message's next call.
type part struct {
	Raw      json.RawMessage `json:"raw,omitempty"`
	Compacts bool            `json:"compacts,omitempty"` // Raw replaces what precedes it
	Text     int             `json:"text,omitempty"`
	Call     bool            `json:"call,omitempty"`
}

// providerData keeps the blocks of an answer that the service wants back, with their places; nil without such.
func (m *Model) providerData(parts []part) *transcript.ProviderData {
	tokens, kept, compacts, calls := 0, false, false, false
	for _, p := range parts {
		calls = calls || p.Call
		compacts = compacts || p.Compacts && !calls // a call must stay in front of its result
		if p.Raw != nil {
			tokens, kept = tokens+p.tokens(), true
		}
	}
	if !kept {
		return nil
	}
	data, err := line.JSON(parts) // which escapes nothing that the service did not
	if err != nil {
		return nil
	}
	return &transcript.ProviderData{Dialect: name, Model: m.config.Name, Tokens: tokens, Data: data, Compacts: compacts}
}

// tokens estimates the size of a block of the service. Of a compaction, the model reads the content alone.
func (p part) tokens() int {
	var summary struct{ Content string }
	if p.Compacts && json.Unmarshal(p.Raw, &summary) == nil {
		return toollimit.Tokens(summary.Content)
	}
	return toollimit.Tokens(string(p.Raw))
}

// woven returns the blocks of an answer in the order that its provider data keeps. It reports false if they do not fit
// the text and the calls of the message.
func woven(data []byte, text string, calls []block) ([]block, bool) {
	var parts []part
	if json.Unmarshal(data, &parts) != nil {
		return nil, false
	}
	var out []block
	for _, p := range parts {
		switch {
		case p.Raw != nil:
			out = append(out, block{raw: p.Raw, compacts: p.Compacts})
		case p.Call && len(calls) > 0:
			out, calls = append(out, calls[0]), calls[1:]
		case !p.Call && p.Text > 0 && p.Text <= len(text) && (p.Text == len(text) || utf8.RuneStart(text[p.Text])):
			if strings.TrimSpace(text[:p.Text]) != "" {
				out = append(out, block{Type: "text", Text: text[:p.Text]})
			}
			text = text[p.Text:]
		default:
			return nil, false
		}
	}
	return out, text == "" && len(calls) == 0
}
