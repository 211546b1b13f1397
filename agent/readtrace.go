package agent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// ErrTraceCut says that a trace ends before its run did: the process was killed, or the trace could not be written
// further. All requests before its end were yielded.
var ErrTraceCut = errors.New("the trace ends before its run")

// A TracedRequest is one request of a trace, as it was sent.
type TracedRequest struct {
	Line    int    // of the trace, from 1
	Agent   string // that sent it
	Step    int    // from 1
	Request providers.Request
}

// ReadTrace rebuilds the requests that a trace tells of, byte for byte, in their order: the messages of each are the view
// that contextwindow.Load makes of the entries before it. The error is the last pair, with the number of the line: where a
// line is none, where lines are missing, where a rebuilt request is not the one that was sent, and ErrTraceCut.
func ReadTrace(r io.Reader) iter.Seq2[TracedRequest, error] {
	return func(yield func(TracedRequest, error) bool) {
		t := traceReader{in: bufio.NewReader(r), logs: make(map[string]*tracedLog)}
		for {
			request, err := t.next()
			if err == io.EOF || !yield(request, err) || err != nil {
				return
			}
		}
	}
}

// A traceReader reads the lines of a trace.
type traceReader struct {
	in   *bufio.Reader
	logs map[string]*tracedLog // by agent
	line int
	last string // event
}

// A tracedLog is what an agent's window has been told to hold.
type tracedLog struct {
	budget  contextwindow.Budget
	entries []contextwindow.Entry
}

// next returns the next request, or io.EOF behind the last one of a trace that is whole.
func (t *traceReader) next() (TracedRequest, error) {
	for {
		raw, err := t.in.ReadBytes('\n')
		switch {
		case err == io.EOF && len(raw) > 0:
			return TracedRequest{}, fmt.Errorf("%w: line %d is torn", ErrTraceCut, t.line+1)
		case err == io.EOF && t.last != eventDone:
			return TracedRequest{}, fmt.Errorf("%w: after line %d", ErrTraceCut, t.line)
		case err == io.EOF:
			return TracedRequest{}, io.EOF
		case err != nil:
			return TracedRequest{}, fmt.Errorf("reading the trace behind line %d: %w", t.line, err)
		}
		t.line++
		var line TraceLine
		if err := json.Unmarshal(bytes.TrimSpace(raw), &line); err != nil {
			return TracedRequest{}, fmt.Errorf("line %d is no line of a trace: %w", t.line, err)
		}
		request, err := t.take(line)
		if err != nil {
			return TracedRequest{}, fmt.Errorf("line %d: %w", t.line, err)
		}
		if request != nil {
			return *request, nil
		}
	}
}

// take follows one line and returns the request that it tells of, if any.
func (t *traceReader) take(line TraceLine) (*TracedRequest, error) {
	t.last = line.Event
	if line.Seq != t.line {
		return nil, fmt.Errorf("its number is %d: lines are missing", line.Seq)
	}
	if line.Event == eventStarted {
		return nil, t.start(line)
	}
	log := t.logs[line.Agent]
	if log == nil {
		return nil, fmt.Errorf("%s of agent %q, which has not started", line.Event, line.Agent)
	}
	switch line.Event {
	case eventEntries:
		if line.From != len(log.entries) {
			return nil, fmt.Errorf("entries from %d on, but there are %d before it", line.From, len(log.entries))
		}
		log.entries = append(log.entries, line.Entries...)
	case eventRequest:
		request, err := log.request(line)
		if err != nil {
			return nil, err
		}
		return &TracedRequest{Line: t.line, Agent: line.Agent, Step: line.Step, Request: *request}, nil
	}
	return nil, nil
}

// start begins the log of an agent.
func (t *traceReader) start(line TraceLine) error {
	if line.Version != TraceVersion || line.Budget == nil {
		return fmt.Errorf("a trace of version %d, of which %d can be read", line.Version, TraceVersion)
	}
	b := line.Budget
	t.logs[line.Agent] = &tracedLog{budget: contextwindow.Budget{
		Model: b.Model, Window: b.Window, Limit: b.Limit, Profile: b.Profile, Source: b.Source, Ratio: b.Ratio,
	}}
	return nil
}

// request rebuilds a request and compares it with what the trace says of it.
func (l *tracedLog) request(line TraceLine) (*providers.Request, error) {
	if line.ViewOf < 0 || line.ViewOf > len(l.entries) {
		return nil, fmt.Errorf("a request of %d entries, but there are %d before it", line.ViewOf, len(l.entries))
	}
	window, err := contextwindow.Load(l.entries[:line.ViewOf], l.budget, nil)
	if err != nil {
		return nil, err
	}
	messages := window.View()
	if line.Repaired {
		messages, _ = transcript.Repair(messages)
	}
	if hash := hashOf(messages); len(messages) != line.Messages || hash != line.SHA256 {
		return nil, fmt.Errorf("the request has %d messages with the hash %s, but what was sent had %d with %s", len(messages), hash, line.Messages, line.SHA256)
	}
	request := &providers.Request{
		System: window.Prefix().System, Messages: messages, Tools: window.Prefix().Tools,
		Choice: line.Choice, MaxOutput: line.MaxOutput, SchemaName: line.SchemaName,
	}
	if line.Schema != "" {
		request.Schema = json.RawMessage(line.Schema)
	}
	return request, nil
}
