package chat

import (
	"strings"
	"unicode"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
)

// titleRunes is the length of a title made from a message.
const titleRunes = 60

// titleOf returns the first line of a thread's first message as a title.
func titleOf(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	words := strings.FieldsFunc(first, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	return line.Truncate(strings.Join(words, " "), titleRunes)
}

// partialStops are the stops after which a text is not a complete answer.
var partialStops = map[agent.Stop]bool{
	agent.Cancelled: true, agent.Failed: true, agent.CutOff: true, agent.CostLimit: true,
}

// newMessages returns the messages that a run adds to its thread: what it appended after its prompt, with its answer as
// one text, in the name of the agent that gave it.
func newMessages(r *agent.Result, partial bool, by string) []Message {
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
			if m.Role == transcript.Assistant {
				m.Name = by
			}
			ms = append(ms, Message{Message: m})
		}
	}
	if strings.TrimSpace(r.Text) == "" {
		return ms
	}
	answer := Message{Partial: partial, Message: transcript.Message{Role: transcript.Assistant, Text: r.Text, Name: by}}
	for len(ms) > 0 { // the answer may have come in parts
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
