package contextwindow

import (
	"regexp"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/toollimit"
)

// viewSlack is the room for messages that a new view has from the start.
const viewSlack = 16

// render extends the view by the slots that do not stand in it yet.
func (s *state) render() {
	for ; s.rendered < len(s.slots); s.rendered++ {
		sl := &s.slots[s.rendered]
		sl.at = len(s.view)
		s.view = append(s.view, sl.messages...)
		if len(sl.notes) > 0 {
			s.renderNotes(sl)
		}
	}
}

// renderNotes fences notes behind the newest message. The runtime never speaks as the assistant: behind a message of
// its, notes are a message of their own.
func (s *state) renderNotes(sl *slot) {
	var b strings.Builder
	for _, n := range sl.notes {
		b.WriteString(fence(n.Note))
	}
	last := len(s.view) - 1
	if len(sl.messages) == 0 || s.view[last].Role == transcript.Assistant {
		s.view = append(s.view, transcript.Message{Role: transcript.User, Text: strings.TrimLeft(b.String(), "\n"), Origin: transcript.Runtime})
		return
	}
	s.view[last].Text += b.String()
}

// unrender takes the slots from an index on out of the view. What a caller may hold is left as it is: the view then
// goes on in an array of its own.
func (s *state) unrender(from int) {
	if from >= s.rendered {
		return
	}
	at := 0
	if from > 0 {
		at = s.slots[from].at
	}
	if s.handed > at {
		s.view = append(make([]transcript.Message, 0, at+viewSlack), s.view[:at]...)
		s.handed = 0
	} else {
		s.view = s.view[:at]
	}
	s.rendered = from
}

// fenceTag finds what could open or close the fence of a note.
var fenceTag = regexp.MustCompile(`(?i)<(\s*/?\s*note\b)`)

// fence renders a note as the suffix of a message. What could open or close a fence in it is disarmed.
func fence(n Note) string {
	text := n.Text
	if strings.Contains(text, "<") {
		text = fenceTag.ReplaceAllString(text, `<\$1`)
	}
	return "\n\n<note kind=\"" + n.Kind + "\">\n" + text + "\n</note>"
}

// noteKind is a kind that needs no escaping in a fence.
func noteKind(kind string) string {
	if kind == "" {
		return "_"
	}
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, kind)
}

func noteTokens(n Note) int { return toollimit.Tokens(fence(n)) }
