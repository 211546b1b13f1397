package chat

import (
	"strings"
	"unicode"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// titleRunes is how much of its first message names a thread.
const titleRunes = 60

// titleOf is a title for a thread that has none: the first line of its first message.
func titleOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.Join(strings.FieldsFunc(line, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if runes := []rune(line); len(runes) > titleRunes {
		return string(runes[:titleRunes-1]) + "…"
	}
	return line
}

// outcome is the messages that a run adds to its thread: what it appended behind its prompt, and its answer as one text.
func outcome(r *agent.Result, partial bool) []Message {
	var ms []Message
	prompted := false
	for _, e := range r.Transcript {
		if e.Unit == nil {
			continue
		}
		if head := e.Unit.Messages[0]; !prompted || head.Origin != "" {
			prompted = prompted || head.Origin == transcript.Prompt
			continue
		}
		for _, m := range e.Unit.Messages {
			ms = append(ms, Message{Message: m})
		}
	}
	if strings.TrimSpace(r.Text) == "" {
		return ms
	}
	answer := Message{Partial: partial, Message: transcript.Message{Role: transcript.Assistant, Text: r.Text}}
	for len(ms) > 0 {
		last := ms[len(ms)-1]
		if last.Role != transcript.Assistant || len(last.Calls) > 0 || !strings.Contains(r.Text, last.Text) {
			break
		}
		if last.Text == r.Text {
			answer.ProviderData = last.ProviderData
		}
		ms = ms[:len(ms)-1]
	}
	return append(ms, answer)
}
