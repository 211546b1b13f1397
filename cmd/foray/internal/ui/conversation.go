package ui

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/internal/line"
)

// A Conversation shows a chat: on a terminal it streams each answer, elsewhere it writes each answer whole.
type Conversation struct {
	Out, Err io.Writer
	Person   bool  // a person types and reads
	Failed   error // of the first part of an answer that could not be written

	quiet, verbose bool
	mu             sync.Mutex // guards changes of live; notices also come from work in the background
	live           *Progress  // while no text of the answer has arrived; else nil
	limit          int
	model          string
	shown          strings.Builder // of the current answer
	pieces         line.Pieces     // likewise
	answers        int             // written whole so far
}

// NewConversation returns a conversation that writes answers to out and everything else to err.
func NewConversation(out, err io.Writer, quiet, verbose bool) *Conversation {
	return &Conversation{Out: out, Err: err, Person: isTerminal(out) && isTerminal(os.Stdin), quiet: quiet,
		verbose: verbose}
}

// Notice prints a line between the messages unless the conversation is quiet.
func (s *Conversation) Notice(text string) {
	if !s.quiet {
		s.Say(text)
	}
}

// Say prints a line between the messages. It may be called at any time, by any goroutine.
func (s *Conversation) Say(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live != nil {
		s.live.Say(Line(text))
		return
	}
	fmt.Fprintf(s.Err, "foray: %s\n", Line(text))
}

// Prompt asks a person for a line.
func (s *Conversation) Prompt() {
	if s.Person {
		fmt.Fprint(s.Err, "\n> ")
	}
}

// Interrupted answers an interrupt that arrives between messages.
func (s *Conversation) Interrupted() {
	if s.Person {
		fmt.Fprintln(s.Err)
	}
	s.Say("press Ctrl-C again to end, or type /quit")
}

// Begin starts waiting for an answer.
func (s *Conversation) Begin(limit int, model string) {
	s.limit, s.model = limit, model
	s.shown.Reset()
	s.pieces = line.Pieces{}
	s.await()
}

func (s *Conversation) await() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil {
		s.live = NewProgress(s.Err, s.quiet, s.verbose)
		s.live.Begin(s.limit, s.model)
	}
}

func (s *Conversation) pause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live != nil {
		s.live.Close()
		s.live = nil
	}
}

// Show shows one event of a turn.
func (s *Conversation) Show(e chat.Event) {
	switch e := e.(type) {
	case chat.TurnQueued:
		s.Notice(fmt.Sprintf("waiting for %s ahead in this thread", line.Count(e.Ahead, "turn")))
	case chat.WarningRaised:
		s.Notice("warning: " + e.Warning)
	case chat.ContextBuilt:
		for _, w := range e.Stats.Warnings {
			s.Notice("warning: " + w)
		}
	case chat.AgentEvent:
		s.ran(e.Event)
	case chat.MessageStored, chat.TurnFinished:
	}
}

// ran shows an event of the run. When a request is retried, the text already shown stays on the screen.
func (s *Conversation) ran(e agent.Event) {
	text, ok := e.(agent.Text)
	switch {
	case ok && s.Person:
		s.pause()
		s.write(text.Text)
		return
	case ok:
		return
	}
	if _, again := e.(agent.RequestRetried); again && s.shown.Len() > 0 {
		s.write("\n")
		s.Notice("the answer broke off and starts over")
		s.shown.Reset()
		s.pieces = line.Pieces{}
	}
	if s.live == nil && isTool(e) {
		s.write("\n")
		s.await()
	}
	if s.live != nil {
		s.live.Show(e)
	}
}

func isTool(e agent.Event) bool {
	switch e.(type) {
	case agent.ToolStarted, agent.ToolFinished:
		return true
	}
	return false
}

func (s *Conversation) write(text string) {
	s.shown.WriteString(text)
	if _, err := fmt.Fprint(s.Out, s.pieces.Add(text)); s.Failed == nil {
		s.Failed = err
	}
}

// End shows the part of the answer that was not shown yet.
func (s *Conversation) End(turn *chat.Turn) {
	s.pause()
	switch {
	case turn == nil:
	case s.shown.Len() == 0 && strings.TrimSpace(turn.Text) != "":
		if s.answers++; s.answers > 1 && !s.Person {
			s.write("\n")
		}
		s.write(strings.TrimSpace(turn.Text) + "\n")
	case s.shown.Len() > 0 && !strings.HasSuffix(s.shown.String(), "\n"):
		s.write("\n")
	}
}

func isTerminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
