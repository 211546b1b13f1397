package otel

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/secret"
	"github.com/forayhq/foray/providers"
)

// A message is one of the conventions' gen_ai.input.messages and gen_ai.output.messages.
type message struct {
	Role  string `json:"role"`
	Parts []part `json:"parts"`
}

// A part is a text, a call or the result of one.
type part struct {
	Type      string          `json:"type"`
	Content   string          `json:"content,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Response  string          `json:"response,omitempty"`
}

// maxText is how much is kept of a text, in characters.
const maxText = 8_192

// masked returns a text without its credentials and without what exceeds maxText. It masks first, so that the cut
// leaves no part of a credential.
func masked(text string) string {
	return line.Truncate(strings.ToValidUTF8(string(secret.Mask([]byte(text))), "\uFFFD"), maxText)
}

// additions returns what a request adds to the one before it. The first one, and one whose window was compacted, has
// all messages and the system prompt.
func (r *runSpan) additions(req *providers.Request) []attribute.KeyValue {
	fresh := req.Messages[extends(r.shown, req.Messages):]
	as := []attribute.KeyValue{attribute.String("gen_ai.input.messages", encode(messagesOf(fresh)))}
	if len(fresh) == len(req.Messages) && req.System != "" {
		system := []part{{Type: "text", Content: masked(req.System)}}
		as = append(as, attribute.String("gen_ai.system_instructions", encode(system)))
	}
	return as
}

// extends returns how many messages two requests have in common at their beginning, 0 if the first one has others.
func extends(before, now []transcript.Message) int {
	same := slices.EqualFunc(before, now[:min(len(before), len(now))], func(a, b transcript.Message) bool {
		return a.Role == b.Role && a.Text == b.Text && len(a.Images) == len(b.Images) && a.CallID == b.CallID
	})
	if !same {
		return 0
	}
	return len(before)
}

func messagesOf(ms []transcript.Message) []message {
	out := make([]message, 0, len(ms))
	for _, m := range ms {
		one := message{Role: string(m.Role)}
		switch {
		case m.Role == transcript.Tool:
			one.Parts = []part{{Type: "tool_call_response", ID: m.CallID, Response: masked(m.Described())}}
		case m.Text != "" || len(m.Images) > 0:
			one.Parts = []part{{Type: "text", Content: masked(m.Described())}}
		}
		for _, c := range m.Calls {
			one.Parts = append(one.Parts, part{Type: "tool_call", ID: c.ID, Name: c.Name, Arguments: maskedJSON(c.Args)})
		}
		out = append(out, one)
	}
	return out
}

// maskedJSON masks arguments, which stay JSON: a string if they were not, or are not any more.
func maskedJSON(args json.RawMessage) json.RawMessage {
	text := masked(string(args))
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return json.RawMessage(encode(text))
}

// output returns the answer of a request.
func output(r *providers.Response) attribute.KeyValue {
	one := messagesOf([]transcript.Message{r.Message})
	return attribute.String("gen_ai.output.messages", encode(one))
}

// textMessage writes one text as a list of messages.
func textMessage(role, text string) string {
	return encode([]message{{Role: role, Parts: []part{{Type: "text", Content: masked(text)}}}})
}

func encode(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "" // texts always encode
	}
	return string(raw)
}

func sinceSeconds(t time.Time) float64 { return time.Since(t).Seconds() }
