package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
)

// beatTime is how often a stream in which nothing happens says that it goes on, so that no proxy takes it for dead.
const beatTime = 15 * time.Second

// eventTime is how long a client may take to read an event before its turn is cancelled.
const eventTime = 30 * time.Second

// sendMessage answers a message: with the turn at its end, or with its events as they come.
func (s *server) sendMessage(w http.ResponseWriter, r *http.Request) (any, error) {
	in, err := decode[struct {
		Text string `json:"text"`
	}](r)
	if err != nil {
		return nil, err
	}
	if wantsEvents(r) {
		return s.streamTurn(w, r, in.Text)
	}
	turn, err := s.chat.Do(r.Context(), r.PathValue("id"), in.Text)
	if err != nil {
		return nil, err
	}
	return turnOf(turn), nil
}

// wantsEvents reports whether a client accepts server-sent events by name.
func wantsEvents(r *http.Request) bool {
	for _, part := range strings.Split(strings.Join(r.Header.Values("Accept"), ","), ",") {
		if kind, _, err := mime.ParseMediaType(part); err == nil && kind == "text/event-stream" {
			return true
		}
	}
	return false
}

// streamTurn writes the events of a turn as they come. What fails before the first of them is answered as a problem; later
// the last event tells it. While nothing happens there is a comment now and then. When the client has gone, the turn is
// broken off.
func (s *server) streamTurn(w http.ResponseWriter, r *http.Request, text string) (any, error) {
	ctx, leave := context.WithCancel(r.Context())
	defer leave()
	stream := &eventStream{w: w, control: http.NewResponseController(w), gone: leave, ticks: time.NewTicker(beatTime)}
	defer func() { _ = stream.control.SetWriteDeadline(time.Time{}) }() // the connection may serve other requests
	defer stream.beat()()
	for e, err := range s.chat.Send(ctx, r.PathValue("id"), text) {
		done, last := e.(chat.TurnFinished)
		if last && err != nil && !stream.hasBegun() {
			return nil, err
		}
		name, data := eventOf(e)
		if last {
			turn := turnOf(done.Turn)
			if err != nil {
				turn.Problem = problemOf(err)
			}
			name, data = "done", turn
		}
		if name != "" && stream.send(name, data) != nil {
			break
		}
	}
	return answered{}, nil
}

// An eventStream writes server-sent events. It is safe for concurrent use.
type eventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	gone    func() // is called when the client has

	mu    sync.Mutex
	begun bool
	ticks *time.Ticker // set anew with all that is written
}

func (s *eventStream) hasBegun() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun
}

// beat writes comments while nothing else is written, until the function that it returns is called, which waits for the
// last of them. Nothing is written before the first event: what fails until then is answered otherwise.
func (s *eventStream) beat() (stop func()) {
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		defer s.ticks.Stop()
		for {
			select {
			case <-over:
				return
			case <-s.ticks.C:
			}
			s.mu.Lock()
			var err error
			if s.begun {
				err = s.write([]byte(": the turn goes on\n\n"))
			}
			s.mu.Unlock()
			if err != nil {
				s.gone()
			}
		}
	}()
	return func() {
		close(over)
		<-done
	}
}

func (s *eventStream) send(name string, data any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun {
		s.begun = true
		s.w.Header().Set("Content-Type", "text/event-stream")
		s.w.WriteHeader(http.StatusOK)
	}
	body, err := json.Marshal(data)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString("event: " + name + "\ndata: ")
	b.Write(body)
	b.WriteString("\n\n")
	return s.write(b.Bytes())
}

// write writes and flushes. The caller holds the lock.
func (s *eventStream) write(text []byte) error {
	s.ticks.Reset(beatTime)
	_ = s.control.SetWriteDeadline(time.Now().Add(eventTime)) // not every writer has deadlines
	if _, err := s.w.Write(text); err != nil {
		return err
	}
	_ = s.control.Flush() // a writer that cannot flush gives all at the end
	return nil
}

type (
	waitingEvent struct {
		Ahead int `json:"ahead"`
	}
	messageEvent struct {
		Message wireMessage `json:"message"`
	}
	toldEvent struct {
		Told wireStats `json:"told"`
	}
	textEvent struct {
		Agent string `json:"agent"`
		Text  string `json:"text"`
	}
	callEvent struct {
		Agent    string   `json:"agent"`
		Step     int      `json:"step"`
		Call     wireCall `json:"call"`
		Duration int64    `json:"duration_ms,omitempty"`
		Tokens   int      `json:"tokens,omitempty"`
		Error    string   `json:"error,omitempty"`
	}
	progressEvent struct {
		Agent  string `json:"agent"`
		Step   int    `json:"step"`
		CallID string `json:"call_id"`
		Name   string `json:"name"`
		Unit   string `json:"unit"`
		Done   int    `json:"done"`
		Total  int    `json:"total,omitempty"`
	}
	stepEvent struct {
		Agent  string `json:"agent"`
		Step   int    `json:"step"`
		Before int    `json:"before,omitempty"`
		After  int    `json:"after,omitempty"`
		Reason string `json:"reason,omitempty"`
	}
	warningEvent struct {
		Warning string `json:"warning"`
	}
)

// eventOf returns the name and the data of an event; no name for one that clients are not told.
func eventOf(e chat.Event) (string, any) {
	switch e := e.(type) {
	case chat.TurnQueued:
		return "waiting", waitingEvent(e)
	case chat.MessageStored:
		return "message", messageEvent{messageOf(e.Message)}
	case chat.ContextBuilt:
		return "told", toldEvent{statsOf(e.Stats)}
	case chat.WarningRaised:
		return "warning", warningEvent(e)
	case chat.AgentEvent:
		return runEventOf(e.Event)
	case chat.TurnFinished: // with its error
	}
	return "", nil
}

func runEventOf(e agent.Event) (string, any) {
	switch e := e.(type) {
	case agent.Text:
		return "text", textEvent{e.Agent, e.Text}
	case agent.Reasoning:
		return "reasoning", textEvent{e.Agent, e.Text}
	case agent.ToolStarted:
		return "tool_started", callEvent{Agent: e.Agent, Step: e.Step, Call: callOf(e.Call)}
	case agent.ToolProgressed:
		p := e.Progress
		return "tool_progressed", progressEvent{e.Agent, e.Step, e.Call.ID, e.Call.Name, p.Unit, p.Done, p.Total}
	case agent.ToolFinished:
		r := e.Record
		ended := callEvent{Agent: e.Agent, Step: e.Step, Call: callOf(r.Call), Duration: r.Duration.Milliseconds(), Tokens: r.TokensIn}
		if r.Err != nil {
			ended.Error = r.Err.Error()
		}
		return "tool_ended", ended
	case agent.WindowCompacted:
		return "compacted", stepEvent{Agent: e.Agent, Step: e.Step, Before: e.Compaction.Before, After: e.Compaction.After}
	case agent.RequestRetried:
		return "retried", stepEvent{Agent: e.Agent, Step: e.Step, Reason: e.Reason}
	case agent.StepFinished:
		return "step", stepEvent{Agent: e.Agent, Step: e.Step.Number}
	case agent.WarningRaised:
		return "warning", warningEvent{e.Warning}
	}
	return "", nil
}
