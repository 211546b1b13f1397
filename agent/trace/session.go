package trace

import (
	"cmp"
	"fmt"
	"io"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	safe "github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/traceline"
)

// WriteSession writes a session as a trace. A session says less than the trace of its run: times are those of whole
// steps, and retries, warnings of single requests and the work of sub-agents are not in it. A request is the view
// before the answer to it. Only a session whose newest run ended has a done line.
func WriteSession(s *session.State, w io.Writer) error {
	last := s.Last()
	window, err := contextwindow.Load(nil, budgetOf(last), nil)
	if err != nil {
		return fmt.Errorf("load the window: %w", err)
	}
	t := sessionWriter{w: w, state: s, window: window}
	b := budgetOf(last)
	t.line(line{Event: eventStarted, Version: version, Provider: last.Provider, Model: last.Model,
		Input:  cmp.Or(last.Input, last.Prompt),
		Budget: &traceline.Budget{Model: b.Model, Limit: b.Limit, Profile: b.Profile}})
	for i := range s.Runs {
		for j := range s.Runs[i].Steps {
			t.step(&s.Runs[i].Steps[j])
		}
	}
	t.entries(len(s.Entries))
	if e := last.End; e != nil && last.Finished() {
		report := t.window.Explain()
		t.line(line{Event: eventDone, Text: e.Text, Stop: agent.Stop(e.Stop), Steps: e.Steps, Usage: &e.Usage,
			Error: e.Error, Duration: e.Duration.Milliseconds(), Context: &report})
	}
	return t.err
}

func budgetOf(r *session.RunState) contextwindow.Budget {
	return contextwindow.Budget{Model: r.Model, Limit: r.Limit, Profile: r.Profile, Source: "session"}
}

// A sessionWriter writes the lines of a session. The first error stays, and ends it.
type sessionWriter struct {
	w      io.Writer
	state  *session.State
	window *contextwindow.Window // follows the entries that were written
	seq    int
	ms     int64
	at     int // step
	next   int // entry
	err    error
}

func (t *sessionWriter) line(l line) {
	if t.err != nil {
		return
	}
	t.seq++
	l.Seq, l.MS, l.Agent, l.Step = t.seq, t.ms, t.state.Last().Agent, t.at
	t.err = safe.WriteJSON(t.w, l, "")
}

// entries writes the entries up to one.
func (t *sessionWriter) entries(to int) {
	if to <= t.next || t.err != nil {
		return
	}
	list := t.state.Entries[t.next:to]
	if t.err = t.window.Follow(list); t.err == nil {
		t.line(line{Event: eventEntries, From: t.next, Entries: list})
		t.next = to
	}
}

// step writes a whole step: what came before its request, the request, the calls and the results.
func (t *sessionWriter) step(s *session.StepState) {
	t.at = s.Step.Number
	compactions := s.Compactions
	for t.err == nil {
		answer := t.answer(s.Entries)
		if answer < 0 {
			break
		}
		unit := t.state.Entries[answer].Unit
		for range min(1, len(compactions)) {
			t.line(line{Event: "compacted", Compaction: compactionOf(compactions[0])})
			compactions = compactions[1:]
		}
		t.entries(answer - unit.Late)
		view := t.window.View()
		t.line(line{Event: eventRequest, ViewOf: t.next, Messages: len(view), SHA256: hashOf(view)})
		if unit.Messages[0].Text != "" {
			t.line(line{Event: "text", Text: unit.Messages[0].Text})
		}
		for i := range unit.Messages[0].Calls {
			t.line(line{Event: "tool_started", Call: &unit.Messages[0].Calls[i]})
		}
		for i := range unit.Messages[0].Calls {
			t.line(line{Event: "tool_ended", Call: &unit.Messages[0].Calls[i]})
		}
		t.entries(answer + 1)
	}
	t.entries(s.Entries)
	t.ms += s.Duration.Milliseconds()
	usage := s.Usage
	t.line(line{Event: "stepped", Finish: s.Step.Finish, Calls: len(s.Step.Calls), Results: resultSizes(s.Step.Calls),
		Window: windowOf(t.window.Usage()), Usage: &usage,
		Duration: s.Duration.Milliseconds()})
}

// answer returns the index of the next answer of the model before an entry; -1 for none.
func (t *sessionWriter) answer(before int) int {
	for i := t.next; i < before; i++ {
		u := t.state.Entries[i].Unit
		if u != nil && len(u.Messages) > 0 && u.Messages[0].Role == transcript.Assistant &&
			u.Messages[0].Origin != transcript.Runtime && i-u.Late >= t.next {
			return i
		}
	}
	return -1
}
