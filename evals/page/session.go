package page

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/traceline"
)

// A session is one run as the page shows it. Indexes of texts count from 1; 0 means none.
type session struct {
	Agents      []seat       `json:"agents"`
	Events      []*event     `json:"events"`
	Window      []point      `json:"window"` // a point a request
	Requests    []request    `json:"requests"`
	Compactions []compaction `json:"compactions"`
	Messages    []message    `json:"messages"`
	Texts       []string     `json:"texts"`
	Left        omissions    `json:"left,omitempty"`
}

// A seat is an agent of the run.
type seat struct {
	Name  string `json:"name"`
	Model string `json:"model,omitempty"`

	provider string
	Profile  string `json:"profile,omitempty"`
	Limit    int    `json:"limit"` // tokens of a request
}

// An event is a row of the timeline.
type event struct {
	MS         int64  `json:"ms"`
	Step       int    `json:"step,omitempty"`
	Agent      int    `json:"agent,omitempty"` // index of a seat
	Kind       string `json:"kind"`            // the event of the trace, or "message"
	Head       string `json:"head"`            // one line
	Text       int    `json:"text,omitempty"`  // the index of all of it
	Failed     bool   `json:"failed,omitempty"`
	Point      int    `json:"point,omitempty"`      // of a request, from 1
	Compaction int    `json:"compaction,omitempty"` // from 1
}

// A sessionReader makes a session of the lines of a trace.
type sessionReader struct {
	session *session
	bounds  bounds
	pool    pool
	seats   map[string]*seatLog
	line    int
	lost    int    // events between the first and the last ones
	tail    int    // where the events begin that make room for newer ones
	spoken  *event // text or reasoning that may continue
	speech  bytes.Buffer
}

// readSession reads a trace, without its requests. A trace that ends early or is damaged gives what was read.
func readSession(r io.Reader, b bounds) *sessionReader {
	empty := &session{Agents: []seat{}, Events: []*event{}, Window: []point{}, Requests: []request{},
		Compactions: []compaction{}, Messages: []message{}, Texts: []string{}} // the script reads lists, not null
	s := &sessionReader{session: empty, bounds: b, seats: make(map[string]*seatLog), tail: b.events / 2}
	s.pool.most, s.pool.text = b.trial/2, b.text // the requests have the other half
	in, last := bufio.NewReader(r), ""
	for {
		raw, err := in.ReadBytes('\n')
		if len(raw) > 0 {
			s.line++
			var l traceline.Line
			if bad := json.Unmarshal(raw, &l); bad != nil {
				s.session.Left.add("The trace is damaged at line %d: %v", s.line, bad)
				break
			}
			l.Event = visible(l.Event)
			s.take(&l)
			last = l.Event
		}
		if errors.Is(err, io.EOF) {
			if last != "done" {
				s.session.Left.add("The trace ends before its run, after line %d.", s.line)
			}
			break
		}
		if err != nil {
			s.session.Left.add("The trace could not be read after line %d: %v", s.line, err)
			break
		}
	}
	s.flush()
	if s.lost > 0 {
		s.session.Left.add("%s in the middle of the timeline are not in this page.", line.Count(s.lost, "event"))
	}
	return s
}

// seat returns the log of an agent. A started line begins it anew.
func (s *sessionReader) seat(l *traceline.Line) *seatLog {
	log := s.seats[l.Agent]
	if log == nil || l.Budget != nil {
		b := l.Budget
		if b == nil {
			b = &traceline.Budget{}
		}
		log = &seatLog{index: len(s.session.Agents), limit: b.Limit}
		log.calls, log.units = make(map[string]*event), make(map[int]unit)
		s.seats[l.Agent] = log
		s.session.Agents = append(s.session.Agents, seat{Name: visible(l.Agent), provider: l.Provider,
			Model: visible(cmp.Or(l.Model, b.Model)), Profile: visible(string(b.Profile)), Limit: b.Limit})
	}
	return log
}

// take adds what a line says.
func (s *sessionReader) take(l *traceline.Line) {
	log := s.seat(l)
	if l.Event == "text" || l.Event == "reasoning" {
		s.speak(l, log)
		return
	}
	s.flush()
	e := &event{MS: l.MS, Step: l.Step, Agent: log.index, Kind: l.Event}
	switch l.Event {
	case "entries":
		s.entries(e, l.Entries, log)
		return
	case "request":
		e.Point = s.point(l, log)
		e.Head = fmt.Sprintf("request %d with %s", e.Point, line.Count(l.Messages, "message"))
	case "compacted":
		e.Compaction = s.compacted(l, log)
		e.Head = s.session.Compactions[e.Compaction-1].head()
	case "tool_started":
		e.Head, e.Text = s.callHead(l.Call), s.pool.add(string(callOf(l.Call).Args))
	case "tool_ended":
		e.Head, e.Failed = endHead(l), l.Error != "" || l.Abandoned
		e.Text = s.pool.add(l.Error)
		log.calls[callOf(l.Call).ID] = e
	default:
		s.describe(e, l, log)
	}
	s.add(e)
}

// add adds an event. Beyond the bound, the oldest of the second half make room.
func (s *sessionReader) add(e *event) {
	events := &s.session.Events
	if len(*events) >= s.bounds.events+s.bounds.events/2 {
		cut := len(*events) - s.bounds.events
		*events = append((*events)[:s.tail], (*events)[s.tail+cut:]...)
		s.lost += cut
	}
	*events = append(*events, e)
}

// speak joins the pieces of a text, which come one by one.
func (s *sessionReader) speak(l *traceline.Line, log *seatLog) {
	e := s.spoken
	if e == nil || e.Kind != l.Event || e.Agent != log.index || e.Step != l.Step {
		s.flush()
		e = &event{MS: l.MS, Step: l.Step, Agent: log.index, Kind: l.Event}
		s.spoken = e
		s.add(e)
	}
	s.speech.WriteString(l.Text)
}

// flush ends the text that was being joined.
func (s *sessionReader) flush() {
	if s.spoken != nil {
		text := s.speech.String()
		s.spoken.Head, s.spoken.Text = headline(text), s.pool.add(text)
		s.spoken = nil
		s.speech.Reset()
	}
}

// mostHead is how many runes of a text its line in the timeline shows.
const mostHead = 160

// headline is the beginning of a text in one line.
func headline(text string) string {
	return visible(line.Truncate(line.Flat(text[:min(len(text), 4*mostHead)]), mostHead))
}

// callOf is a call that is there also if a damaged line has none.
func callOf(c *transcript.ToolCall) *transcript.ToolCall {
	if c == nil {
		return &transcript.ToolCall{}
	}
	return c
}

func (s *sessionReader) callHead(c *transcript.ToolCall) string {
	return headline(callOf(c).Name + " " + string(callOf(c).Args))
}

func endHead(l *traceline.Line) string {
	head := callOf(l.Call).Name
	switch {
	case l.Abandoned:
		head += " was abandoned"
	case l.Error != "":
		head += " failed: " + l.Error
	default:
		head += " ended"
	}
	if l.Duration > 0 {
		head += fmt.Sprintf(" after %s", time.Duration(l.Duration)*time.Millisecond)
	}
	return headline(head)
}
