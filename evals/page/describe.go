package page

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/traceline"
	"github.com/forayhq/foray/toollimit"
)

// A seatLog is what was read of one agent's window.
type seatLog struct {
	index   int // of its seat
	limit   int
	calls   map[string]*event // the ends of calls whose results did not come yet, by id
	units   map[int]unit      // by step
	open    int               // the newest compaction, from 1; 0 once a request followed it
	tokens  int               // estimate of the next request
	prefix  int               // of it, the system prompt and the tools
	prompt  int               // of it, the prompt
	pointed int               // its newest point, from 1
	results []*event          // the ends of the calls of this step, in the order of the calls
}

// A unit is what the page says of an evicted or shortened unit.
type unit struct {
	head   string
	sizes  []int // of its messages, estimated tokens
	tokens int
	text   int // of its first result or, without one, of its message
}

// describe writes the line of an event that needs no other.
func (s *sessionReader) describe(e *event, l *traceline.Line, log *seatLog) {
	var text string
	switch l.Event {
	case "started":
		e.Head = "the run starts with a window of " + line.Count(log.limit, "token")
		if log.limit > unlimited {
			e.Head = "the run starts with a window that nothing limits"
		}
	case "noted":
		if l.Note != nil {
			e.Head, text = headline(l.Note.Kind+": "+l.Note.Text), l.Note.Text
		}
	case "retried":
		e.Head, text, e.Failed = headline(fmt.Sprintf("retry %d: %s", l.Attempt, l.Reason)), l.Reason, true
	case "warned":
		e.Head, text, e.Failed = headline(l.Warning), l.Warning, true
	case "joined":
		e.Head, text = headline("message from outside: "+l.Text), l.Text
	case "stepped":
		e.Head = steppedHead(l)
		for i, r := range l.Results {
			if i < len(log.results) && r.Shown < r.Received {
				log.results[i].Head += fmt.Sprintf(", %s of them shown", line.Number(r.Shown))
			}
		}
		log.results = nil
		if w := l.Window; w != nil {
			log.tokens, log.prefix, log.prompt, log.limit = w.Tokens, w.Frame, w.Prompt, cmp.Or(w.Limit, log.limit)
		}
	case "summarized":
		e.Head, text, e.Failed = fmt.Sprintf("summary of %s", line.Count(l.Units, "unit")), l.Error, l.Error != ""
	case "returned", "done":
		e.Head = headline(cmp.Or(string(l.Stop), "ended") + " after " + line.Count(l.Steps, "step") + " " + l.Error + l.Text)
		text, e.Failed = strings.TrimSpace(l.Error+"\n\n"+l.Text), l.Error != ""
	}
	e.Text = s.pool.add(text)
}

// unlimited is a budget that no run exceeds, in tokens.
const unlimited = 100_000_000

// ofLimit writes a size and its limit, in tokens.
func ofLimit(tokens, limit int) string {
	if limit > unlimited {
		return line.Count(tokens, "token") + ", not limited"
	}
	return line.Number(tokens) + " of " + line.Count(limit, "token")
}

func steppedHead(l *traceline.Line) string {
	parts := []string{"answered"}
	if l.Calls > 0 {
		parts[0] += " with " + line.Count(l.Calls, "call")
	}
	if w := l.Window; w != nil {
		parts = append(parts, "window "+ofLimit(w.Tokens, w.Limit))
	}
	if u := l.Usage; u != nil && u.Input+u.Output > 0 {
		parts = append(parts, fmt.Sprintf("%s in, %s out", line.Number(u.Input), line.Number(u.Output)))
	}
	if l.Duration > 0 {
		parts = append(parts, (time.Duration(l.Duration) * time.Millisecond).String())
	}
	return headline(strings.Join(parts, " · "))
}

// entries adds what entries of the log say: messages of people, results of calls, and edits of the window.
func (s *sessionReader) entries(at *event, entries []contextwindow.Entry, log *seatLog) {
	for _, e := range entries {
		switch {
		case e.Unit != nil:
			s.unit(at, e.Unit, log)
		case e.Edit != nil && e.Edit.Cause != "quota": // the step says what a quota left of a result
			s.edit(at, e.Edit, log)
		}
	}
}

// unit remembers a unit, adds the messages of people to the timeline, and gives results to the ends of their calls.
func (s *sessionReader) unit(at *event, u *contextwindow.Unit, log *seatLog) {
	if len(u.Messages) == 0 {
		return
	}
	known := unit{head: unitHead(&u.Messages[0])}
	for i := range u.Messages {
		m := &u.Messages[i]
		known.sizes = append(known.sizes, m.Tokens())
		known.tokens += m.Tokens()
		text := s.pool.add(m.Described())
		if i <= 1 {
			known.text = cmp.Or(text, known.text)
		}
		if ended := log.calls[m.CallID]; m.Role == transcript.Tool && ended != nil {
			ended.Text, ended.Failed = cmp.Or(text, ended.Text), ended.Failed || m.Failed
			ended.Head += fmt.Sprintf(" · %s tokens", line.Number(toollimit.Tokens(m.Text)))
			log.results = append(log.results, ended)
			delete(log.calls, m.CallID)
		}
		if m.Role == transcript.User {
			s.add(&event{MS: at.MS, Step: at.Step, Agent: at.Agent, Kind: "message", Head: unitHead(m), Text: text})
		}
	}
	log.units[u.Step] = known
}

// unitHead says in one line what a unit is.
func unitHead(m *transcript.Message) string {
	parts := make([]string, 0, len(m.Calls)+1)
	for _, c := range m.Calls {
		parts = append(parts, c.Name+" "+string(c.Args))
	}
	if m.Text != "" || len(parts) == 0 {
		who := cmp.Or(string(m.Origin), string(m.Role))
		parts = append(parts, who+": "+m.Text[:min(len(m.Text), 4*mostHead)])
	}
	return headline(strings.Join(parts, "; "))
}
