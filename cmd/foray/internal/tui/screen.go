package tui

import (
	"context"
	"io"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// A Screen takes what a [Host] has to show. What comes before [Run] is shown when it starts. It is safe for concurrent
// use.
type Screen struct {
	mu      sync.Mutex
	early   []tea.Msg
	program *tea.Program // nil before Run
}

// Messages of the screen to the program.
type (
	noticeMsg string
	outputMsg string
	faultMsg  string
	beginMsg  struct{ limit int }
	eventMsg  struct{ event chat.Event }
	ranMsg    struct{ event agent.Event }
	endMsg    struct{ turn *chat.Turn }
	askMsg    struct{ ask ask }
)

func (s *Screen) send(m tea.Msg) {
	s.mu.Lock()
	p := s.program
	if p == nil {
		s.early = append(s.early, m)
	}
	s.mu.Unlock()
	if p != nil {
		p.Send(m)
	}
}

// attach gives the screen its program and returns what came before it.
func (s *Screen) attach(p *tea.Program) []tea.Msg {
	s.mu.Lock()
	defer s.mu.Unlock()
	early := s.early
	s.program, s.early = p, nil
	return early
}

// Notice shows a line between the messages.
func (s *Screen) Notice(text string) { s.send(noticeMsg(text)) }

// Say shows a line that nobody may miss.
func (s *Screen) Say(text string) { s.send(noticeMsg(text)) }

// Begin says that an answer begins, which may take so many steps.
func (s *Screen) Begin(limit int, _ string) { s.send(beginMsg{limit}) }

// Show shows an event of a turn.
func (s *Screen) Show(e chat.Event) { s.send(eventMsg{e}) }

// Ran shows an event of a run that is watched.
func (s *Screen) Ran(e agent.Event) { s.send(ranMsg{e}) }

// End says that the turn is over; nil: it did not start.
func (s *Screen) End(turn *chat.Turn) { s.send(endMsg{turn}) }

// Ask asks the person whether a call may be made, and waits for the answer or the end of ctx.
func (s *Screen) Ask(ctx context.Context, c transcript.ToolCall) (agent.Decision, error) {
	answered := make(chan agent.Decision, 1)
	s.send(askMsg{ask{
		name: clean(c.Name), args: asked(c.Args), over: ctx.Done(),
		answer: func(d agent.Decision) { answered <- d },
	}})
	select {
	case d := <-answered:
		return d, nil
	case <-ctx.Done():
		return agent.Decision{}, ctx.Err()
	}
}

// Out returns what commands print to.
func (s *Screen) Out() io.Writer {
	return writer(func(text string) { s.send(outputMsg(text)) })
}

// Err returns what errors are printed to.
func (s *Screen) Err() io.Writer {
	return writer(func(text string) { s.send(faultMsg(text)) })
}

// A writer passes each write on as a text.
type writer func(string)

func (w writer) Write(p []byte) (int, error) {
	w(string(p))
	return len(p), nil
}

// An ask is a call that waits for the person's decision.
type ask struct {
	name   string // of the tool
	args   []shownLine
	top    int // the first line of args on the screen
	page   int // how many of them are there
	over   <-chan struct{}
	answer func(agent.Decision)
}
