// Package turns reads the trace of a run (package agent/trace) as its turns: each request with its answer, its calls
// and their results, and what happened between them.
//
// Start with [Read].
package turns

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/forayhq/foray/agent/trace"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/traceline"
	"github.com/forayhq/foray/providers"
)

// A Run is what a trace says of a run. Incomplete says why it is not all of it, "" if it is.
type Run struct {
	Started    time.Time
	Model      string // of the first agent; "" without one
	Events     []Event
	Pool       []transcript.Message // the different messages of all requests
	Text       string               // final
	Incomplete string
}

// An Event is one thing that happened, in order. Exactly one of the pointers and Text is set.
type Event struct {
	At         time.Duration // since the start
	Agent      string
	Step       int
	Turn       *Turn
	Compaction *traceline.Compaction // sizes are estimates in tokens, of the whole request
	Kind       string                // of Text: "note", "warning", "retry", "joined", "summary" or "subagent"
	Text       string
}

// A Turn is a request and what came of it.
type Turn struct {
	System string
	Tools  []transcript.ToolSchema
	Input  []int // indexes of the pool
	Choice providers.ToolChoice

	Answer    transcript.Message // of the assistant; empty if the run ended before it
	Reasoning string
	Calls     []Call
	Finish    providers.Finish
	Usage     providers.Usage
	Took      time.Duration
	Answered  bool
}

// A Call is a tool call with its result, as the window first showed it.
type Call struct {
	transcript.ToolCall
	Began, Ended time.Duration // since the start of the run; Ended is 0 if it did not end
	Result       string
	Error        string
}

// Read reads a trace. open is called twice, and Read closes what it returns. A trace that is damaged or ends early
// gives what was read, and Run.Incomplete; only a failure to open it is an error.
func Read(open func() (io.ReadCloser, error)) (*Run, error) {
	r := &reader{run: &Run{}, open: make(map[string]*Turn)}
	for _, part := range []func(io.Reader) error{r.requests, r.lines} {
		in, err := open()
		if err != nil {
			return nil, err
		}
		err = errors.Join(part(in), in.Close())
		if err != nil && r.run.Incomplete == "" {
			r.run.Incomplete = err.Error()
		}
	}
	return r.run, nil
}

// A reader collects the turns of a run.
type reader struct {
	run   *Run
	built map[int]*Turn    // by line
	open  map[string]*Turn // the last one of each agent
}

// requests rebuilds the requests of a trace, with each different message once.
func (r *reader) requests(in io.Reader) error {
	r.built = make(map[int]*Turn)
	indexes := make(map[string]int)
	for request, err := range trace.Read(in) {
		if err != nil {
			return err
		}
		q := request.Request
		t := &Turn{System: q.System, Tools: q.Tools, Choice: q.Choice, Input: make([]int, len(q.Messages))}
		for i, m := range q.Messages {
			raw, err := json.Marshal(m)
			if err != nil {
				return err
			}
			at, known := indexes[string(raw)]
			if !known {
				at = len(r.run.Pool)
				indexes[string(raw)], r.run.Pool = at, append(r.run.Pool, m)
			}
			t.Input[i] = at
		}
		r.built[request.Line] = t
	}
	return nil
}

// lines reads the events of a trace.
func (r *reader) lines(in io.Reader) error {
	lines := bufio.NewReader(in)
	for n := 1; ; n++ {
		raw, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil // whether the run ended was seen with the requests
		}
		if err != nil {
			return err
		}
		var l traceline.Line
		if err := json.Unmarshal(raw, &l); err != nil {
			return fmt.Errorf("line %d is not a trace line: %w", n, err)
		}
		r.take(n, &l)
	}
}

func (r *reader) take(n int, l *traceline.Line) {
	e := Event{At: time.Duration(l.MS) * time.Millisecond, Agent: l.Agent, Step: l.Step}
	turn := r.open[l.Agent]
	if turn == nil {
		turn = &Turn{} // of a damaged trace
	}
	switch l.Event {
	case "started":
		if l.Time != nil && r.run.Started.IsZero() {
			r.run.Started = *l.Time
		}
		if l.Budget != nil && r.run.Model == "" {
			r.run.Model = l.Budget.Model
		}
	case "request":
		if e.Turn = r.built[n]; e.Turn == nil {
			e.Turn = &Turn{Choice: l.Choice}
		}
		r.open[l.Agent] = e.Turn
	case "reasoning":
		turn.Reasoning += l.Text
	case "tool_started", "tool_ended":
		call(turn, l, e.At)
	case "entries":
		entries(turn, l)
	case "stepped":
		turn.Finish, turn.Took, turn.Answered = l.Finish, time.Duration(l.Duration)*time.Millisecond, true
		if l.Usage != nil {
			turn.Usage = *l.Usage
		}
	case "compacted":
		e.Compaction = l.Compaction
	case "done":
		r.run.Text = l.Text
	default:
		e.Kind, e.Text = describe(l)
	}
	if e.Turn != nil || e.Compaction != nil || e.Text != "" {
		r.run.Events = append(r.run.Events, e)
	}
}

// describe writes an event that is only a text.
func describe(l *traceline.Line) (kind, text string) {
	switch {
	case l.Event == "noted" && l.Note != nil:
		return "note", l.Note.Text
	case l.Event == "warned":
		return "warning", l.Warning
	case l.Event == "retried":
		return "retry", l.Reason
	case l.Event == "joined":
		return "joined", l.Text
	case l.Event == "summarized":
		text = fmt.Sprintf("summarised %d units", l.Units)
		if l.Error != "" {
			text = "no summary: " + l.Error
		}
		return "summary", text
	case l.Event == "returned":
		return "subagent", fmt.Sprintf("%s ended after %d steps (%s): %s", l.Agent, l.Steps, l.Stop, l.Text)
	}
	return "", ""
}

// call notes the beginning or the end of a call.
func call(turn *Turn, l *traceline.Line, at time.Duration) {
	if l.Call == nil {
		return
	}
	if l.Event == "tool_started" {
		turn.Calls = append(turn.Calls, Call{ToolCall: *l.Call, Began: at})
		return
	}
	for i := range turn.Calls {
		if c := &turn.Calls[i]; c.ID == l.Call.ID {
			c.Ended, c.Error = at, l.Error
		}
	}
}

// entries takes the answer and the results that were appended to the window.
func entries(turn *Turn, l *traceline.Line) {
	for _, entry := range l.Entries {
		if entry.Unit == nil {
			continue
		}
		for _, m := range entry.Unit.Messages {
			switch m.Role {
			case transcript.Assistant:
				turn.Answer = m
			case transcript.Tool:
				for i := range turn.Calls {
					if turn.Calls[i].ID == m.CallID {
						turn.Calls[i].Result = m.Text
					}
				}
			case transcript.User:
			}
		}
	}
}
