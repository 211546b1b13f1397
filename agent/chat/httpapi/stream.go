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
	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/internal/line"
)

// beatTime is how often a silent stream sends a comment, so that proxies keep it open.
const beatTime = 15 * time.Second

// eventTime limits how long a client may take to read an event before its turn is cancelled.
const eventTime = 30 * time.Second

// sendMessage answers a message with the finished turn, or with its events.
func (s *server) sendMessage(w http.ResponseWriter, r *http.Request) (any, error) {
	in, err := decode[struct {
		Text   string      `json:"text"`
		Agent  string      `json:"agent"`
		Images []sentImage `json:"images"`
	}](r)
	if err != nil {
		return nil, err
	}
	images, err := imagesOf(in.Images)
	if err != nil {
		return nil, err
	}
	c := chat.WithImages(s.chat.As(in.Agent), images...)
	if wantsEvents(r) {
		return s.streamTurn(w, r, c, in.Text)
	}
	turn, err := c.Do(r.Context(), r.PathValue("id"), in.Text)
	if err != nil {
		p := problemOf(err)
		p.cause, p.Messages = err, messagesOf(turn.Messages)
		return nil, p
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

// streamTurn writes the events of a turn as they come. An error before the first event is answered as a problem; later
// it is in the last event. If the client disconnects, the turn is cancelled.
func (s *server) streamTurn(w http.ResponseWriter, r *http.Request, c *chat.Chat, text string) (any, error) {
	ctx, leave := context.WithCancel(r.Context())
	defer leave()
	stream := &eventStream{w: w, control: http.NewResponseController(w), gone: leave, ticks: time.NewTicker(beatTime)}
	defer func() { _ = stream.control.SetWriteDeadline(time.Time{}) }() // the connection may serve other requests
	defer stream.beat()()
	for e, err := range c.Send(ctx, r.PathValue("id"), text) {
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
	gone    func() // called when the client has disconnected

	mu    sync.Mutex
	begun bool
	ticks *time.Ticker // reset by every write
}

func (s *eventStream) hasBegun() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun
}

// beat writes comments to a silent stream until stop is called. It writes none before the first event: an error until
// then is answered as a problem.
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
				err = s.write([]byte(": still running\n\n"))
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
	b.Write(line.EscapeJSON(body))
	b.WriteString("\n\n")
	return s.write(b.Bytes())
}

// write writes and flushes. The caller holds s.mu.
func (s *eventStream) write(text []byte) error {
	s.ticks.Reset(beatTime)
	_ = s.control.SetWriteDeadline(time.Now().Add(eventTime)) // not every writer supports deadlines
	if _, err := s.w.Write(text); err != nil {
		return err
	}
	_ = s.control.Flush() // a writer that cannot flush sends everything at the end
	return nil
}

type (
	waitingEvent struct {
		Ahead int `json:"ahead"`
	}
	messageEvent struct {
		Message wireMessage `json:"message"`
	}
	contextEvent struct {
		Told contextbuilder.Stats `json:"told"`
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
	readingEvent struct {
		Agent  string  `json:"agent"`
		Step   int     `json:"step"`
		Tokens int     `json:"tokens"`         // that a slow server reads anew
		Done   int     `json:"done,omitempty"` // of these
		Left   float64 `json:"seconds_left,omitempty"`
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

// eventOf returns the name and data of an event. Events without a name are not sent.
func eventOf(e chat.Event) (string, any) {
	switch e := e.(type) {
	case chat.TurnQueued:
		return "waiting", waitingEvent(e)
	case chat.MessageStored:
		return "message", messageEvent{messageOf(e.Message)}
	case chat.ContextBuilt:
		return "told", contextEvent{statsOf(e.Stats)}
	case chat.WarningRaised:
		return "warning", warningEvent(e)
	case chat.AgentEvent:
		return runEventOf(e.Event)
	case chat.TurnFinished: // streamTurn sends it with its error
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
	case agent.ReadingProgressed:
		r := e.Reading
		return "reading", readingEvent{e.Agent, e.Step, r.Tokens, r.Done, r.Left.Seconds()}
	case agent.ToolFinished:
		r := e.Record
		ended := callEvent{Agent: e.Agent, Step: e.Step, Call: callOf(r.Made), Tokens: r.TokensIn}
		ended.Duration = r.Duration.Milliseconds()
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
