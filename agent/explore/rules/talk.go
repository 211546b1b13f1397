package rules

import (
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/rulemodel"
)

// A talk is the conversation so far.
type talk struct {
	question string
	base     int // steps before the question
	next     int // number of the next step of the question, from 1
	results  []rulemodel.Result
}

// readTalk reads the messages. A user message after an answer in text opens a new question.
func readTalk(messages []transcript.Message) talk {
	at := opening(messages)
	t := talk{base: providers.NextStep(messages[:at]) - 1, next: 1}
	if at < len(messages) {
		t.question = withoutNotes(messages[at].Text)
	}
	for _, m := range messages[at:] {
		if len(m.Calls) > 0 {
			t.next = max(providers.NextStep(messages)-t.base, 1)
		}
	}
	t.results = rulemodel.Results(messages[at:])
	return t
}

// opening returns the index of the message that asks the question, or len(messages).
func opening(messages []transcript.Message) int {
	at, answered := len(messages), true
	for i, m := range messages {
		switch {
		case m.Role == transcript.Assistant:
			answered = len(m.Calls) == 0
		case m.Role != transcript.User || m.Origin == transcript.Runtime:
		case m.Origin == transcript.Prompt, answered:
			at, answered = i, false
		}
	}
	return at
}

// withoutNotes drops the notes that the runtime appended to a message.
func withoutNotes(s string) string {
	s, _, _ = strings.Cut(s, "\n\n<note kind=\"")
	return s
}

// content searches for patterns, and returns the lines that match.
func content(patterns []string, limit, perFile int, why string) rulemodel.Call {
	return rulemodel.Ask("search", map[string]any{"patterns": patterns, "context": 0, "limit": limit,
		"max_per_file": perFile}, why)
}

// pathGlob returns a glob for files whose path is, or ends in, one of paths.
func pathGlob(paths []string) string {
	var forms []string
	for _, p := range paths {
		forms = append(forms, globEscape(p))
	}
	return "**/{" + strings.Join(forms, ",") + "}"
}

func globEscape(p string) string {
	var b strings.Builder
	for _, c := range p {
		if strings.ContainsRune(`*?[]{},\!`, c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}
