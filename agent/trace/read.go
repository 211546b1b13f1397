package trace

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

// ErrCut says that a trace ends before its run did: the process was killed, or writing failed. [Read] has yielded every
// request before the cut.
var ErrCut = errors.New("the trace ends before its run")

// maxLine bounds what a damaged trace may take of the memory, in bytes.
const maxLine = 64 << 20

var errLong = fmt.Errorf("it has more than %d MB: this is not a trace, or a damaged one", maxLine>>20)

// A Request is one request of a trace, as the model received it.
type Request struct {
	Line    int    // its line in the trace, from 1
	Agent   string // who sent it
	Step    int    // from 1
	Request providers.Request

	window *contextwindow.Window // that it is the view of
}

// Explain reports what the request consists of, by section and by tool. Call it before the next request is read.
func (r Request) Explain() contextwindow.Report { return r.window.Explain() }

// Read rebuilds the requests of a trace, byte for byte and in order. An error comes last and names its line: a line
// that does not parse, a missing line, a rebuilt request that differs from the one sent, or [ErrCut].
func Read(r io.Reader) iter.Seq2[Request, error] {
	return ReadSome(r, func(int) bool { return true })
}

// ReadSome is [Read] without the requests on lines, from 1, for which wanted is false.
func ReadSome(r io.Reader, wanted func(line int) bool) iter.Seq2[Request, error] {
	return func(yield func(Request, error) bool) {
		t := reader{in: bufio.NewReader(r), wanted: wanted, logs: make(map[string]*entryLog)}
		for {
			request, err := t.next()
			if err == io.EOF || !yield(request, err) || err != nil {
				return
			}
		}
	}
}

// A reader reads the lines of a trace.
type reader struct {
	in     *bufio.Reader
	wanted func(line int) bool
	logs   map[string]*entryLog // by agent
	line   int
	last   string // event
}

// An entryLog is the log of one agent's window, as far as it was read.
type entryLog struct {
	budget  contextwindow.Budget
	entries []contextwindow.Entry
	window  *contextwindow.Window // of the last request that was rebuilt; nil: none yet
	viewOf  int                   // how many entries window follows
}

// next returns the next request, or [io.EOF] after the last one of a complete trace.
func (t *reader) next() (Request, error) {
	for {
		raw, err := t.read()
		switch {
		case errors.Is(err, errLong):
			return Request{}, fmt.Errorf("line %d: %w", t.line+1, err)
		case err == io.EOF && len(raw) > 0:
			return Request{}, fmt.Errorf("%w: line %d is torn", ErrCut, t.line+1)
		case err == io.EOF && t.last != eventDone:
			return Request{}, fmt.Errorf("%w: after line %d", ErrCut, t.line)
		case err == io.EOF:
			return Request{}, io.EOF
		case err != nil:
			return Request{}, fmt.Errorf("read the trace after line %d: %w", t.line, err)
		}
		t.line++
		var l line
		if err := json.Unmarshal(bytes.TrimSpace(raw), &l); err != nil {
			return Request{}, fmt.Errorf("line %d is not a trace line: %w", t.line, err)
		}
		request, err := t.take(l)
		if err != nil {
			return Request{}, fmt.Errorf("line %d: %w", t.line, err)
		}
		if request != nil {
			return *request, nil
		}
	}
}

// read returns the next line with its end.
func (t *reader) read() (raw []byte, err error) {
	for {
		part, err := t.in.ReadSlice('\n')
		if len(raw)+len(part) > maxLine {
			return nil, errLong
		}
		if raw = append(raw, part...); !errors.Is(err, bufio.ErrBufferFull) {
			return raw, err
		}
	}
}

// take applies one line and returns the request it describes, if any.
func (t *reader) take(l line) (*Request, error) {
	t.last = l.Event
	if l.Seq != t.line {
		return nil, fmt.Errorf("seq is %d: lines are missing", l.Seq)
	}
	if l.Event == eventStarted {
		return nil, t.start(l)
	}
	log := t.logs[l.Agent]
	if log == nil {
		return nil, fmt.Errorf("%s of agent %q, which has not started", l.Event, l.Agent)
	}
	switch l.Event {
	case eventEntries:
		if l.From != len(log.entries) {
			return nil, fmt.Errorf("entries start at %d, but the log has %d", l.From, len(log.entries))
		}
		log.entries = append(log.entries, l.Entries...)
	case eventRequest:
		if !t.wanted(t.line) {
			return nil, nil
		}
		request, window, err := log.request(l)
		if err != nil {
			return nil, err
		}
		return &Request{Line: t.line, Agent: l.Agent, Step: l.Step, Request: *request, window: window}, nil
	}
	return nil, nil
}

// start opens the log of an agent.
func (t *reader) start(l line) error {
	if l.Version != version || l.Budget == nil {
		return fmt.Errorf("unsupported trace version %d (want %d)", l.Version, version)
	}
	b := l.Budget
	t.logs[l.Agent] = &entryLog{budget: contextwindow.Budget{
		Model: b.Model, Window: b.Window, Limit: b.Limit, Profile: b.Profile, Source: b.Source, Ratio: b.Ratio,
	}}
	return nil
}

// request rebuilds a request, with its window, and checks its hash.
func (log *entryLog) request(l line) (*providers.Request, *contextwindow.Window, error) {
	if l.ViewOf < 0 || l.ViewOf > len(log.entries) {
		return nil, nil, fmt.Errorf("a request over %d entries, but the log has %d", l.ViewOf, len(log.entries))
	}
	if log.window == nil || l.ViewOf < log.viewOf {
		window, err := contextwindow.Load(nil, log.budget, nil)
		if err != nil {
			return nil, nil, err
		}
		log.window, log.viewOf = window, 0
	}
	window := log.window
	if err := window.Follow(log.entries[log.viewOf:l.ViewOf]); err != nil {
		return nil, nil, err
	}
	log.viewOf = l.ViewOf
	messages := window.View()
	if l.Repaired {
		messages, _ = transcript.Repair(messages)
	}
	request := &providers.Request{
		System: window.Prefix().System, Messages: messages, Tools: window.Prefix().Tools,
		Choice: l.Choice, MaxOutput: l.MaxOutput, SchemaName: l.SchemaName,
		Temperature: l.Temperature, TopP: l.TopP, Stop: l.StopTexts, Seed: l.Seed, ReasoningEffort: l.Reasoning,
	}
	if l.Schema != "" {
		request.Schema = json.RawMessage(l.Schema)
	}
	if l.Bare {
		request = request.WithoutTools()
	}
	if hash := hashOf(request.Messages); len(request.Messages) != l.Messages || hash != l.SHA256 {
		return nil, nil, fmt.Errorf("the rebuilt request differs from the one sent: %d messages, hash %s; want %d, %s",
			len(request.Messages), hash, l.Messages, l.SHA256)
	}
	return request, window, nil
}
