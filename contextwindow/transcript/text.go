package transcript

import (
	"slices"
	"strings"
)

// Texts returns messages in which calls and results are text: what call returns follows the text of the assistant, and
// what result returns is said by the user. A message of the assistant that has no text then is left out. Neighbouring
// messages of the user are joined, because some templates refuse them.
func Texts(messages []Message, call func(ToolCall) string, result func(Message) string) []Message {
	out := make([]Message, 0, len(messages))
	for _, m := range messages {
		switch {
		case m.Role == Tool:
			m = Message{Role: User, Text: result(m), Images: m.Images}
		case len(m.Calls) > 0:
			parts := []string{strings.TrimSpace(m.Text)}
			for _, c := range m.Calls {
				parts = append(parts, call(c))
			}
			parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
			m.Text, m.Calls, m.ProviderData = strings.Join(parts, "\n"), nil, nil
			if m.Text == "" {
				continue
			}
		}
		if last := len(out) - 1; last >= 0 && m.Role == User && out[last].Role == User {
			out[last].Text = strings.TrimSpace(out[last].Text + "\n\n" + m.Text)
			out[last].Images = slices.Concat(out[last].Images, m.Images)
			continue
		}
		out = append(out, m)
	}
	return out
}
