package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
)

// A display shows a conversation: on a terminal answers as they come, elsewhere each answer when it is whole.
type display struct {
	out, err       io.Writer
	person         bool // types and reads
	quiet, verbose bool
	live           *progress // of the answer that is awaited; nil: there is none
	limit          int
	model          string
	shown          strings.Builder // of the answer
	answers        int             // that were shown whole
}

func newDisplay(out, err io.Writer, quiet, verbose bool) *display {
	return &display{out: out, err: err, person: isTerminal(out) && isTerminal(os.Stdin), quiet: quiet, verbose: verbose}
}

// notice prints a line beside the conversation, unless nothing is to be printed.
func (s *display) notice(text string) {
	if !s.quiet {
		s.say(text)
	}
}

func (s *display) say(text string) {
	if s.live != nil {
		s.live.say(line(text))
		return
	}
	fmt.Fprintf(s.err, "foray: %s\n", line(text))
}

// prompt asks a person for a line.
func (s *display) prompt() {
	if s.person {
		fmt.Fprint(s.err, "\n> ")
	}
}

// interrupted answers an interrupt while nothing is under way.
func (s *display) interrupted() {
	if s.person {
		fmt.Fprintln(s.err)
	}
	s.say("a second Ctrl-C ends; so does /quit")
}

// begin shows that an answer is awaited.
func (s *display) begin(limit int, model string) {
	s.limit, s.model = limit, model
	s.shown.Reset()
	s.await()
}

func (s *display) await() {
	if s.live == nil {
		s.live = newProgress(s.err, s.quiet, s.verbose)
		s.live.begin(s.limit, s.model)
	}
}

func (s *display) pause() {
	if s.live != nil {
		s.live.close()
		s.live = nil
	}
}

// show shows an event of a turn.
func (s *display) show(e chat.Event) {
	switch e := e.(type) {
	case chat.TurnQueued:
		s.notice(fmt.Sprintf("waiting for %s of this thread", many(e.Ahead, "turn")))
	case chat.WarningRaised:
		s.notice("warning: " + e.Warning)
	case chat.ContextBuilt:
		for _, w := range e.Stats.Warnings {
			s.notice("warning: " + w)
		}
	case chat.AgentEvent:
		s.ran(e.Event)
	case chat.MessageStored, chat.TurnFinished:
	}
}

// ran shows an event of the run. What was shown of an answer that is asked for again cannot be taken back.
func (s *display) ran(e agent.Event) {
	text, ok := e.(agent.Text)
	switch {
	case ok && s.person:
		s.pause()
		s.write(text.Text)
		return
	case ok:
		return
	}
	if _, again := e.(agent.RequestRetried); again && s.shown.Len() > 0 {
		s.write("\n")
		s.notice("the answer broke off and begins anew")
		s.shown.Reset()
	}
	if s.live == nil && isTool(e) {
		s.write("\n")
		s.await()
	}
	if s.live != nil {
		s.live.show(e)
	}
}

func isTool(e agent.Event) bool {
	switch e.(type) {
	case agent.ToolStarted, agent.ToolFinished:
		return true
	}
	return false
}

func (s *display) write(text string) {
	s.shown.WriteString(text)
	fmt.Fprint(s.out, printable(text))
}

// end shows what of an answer was not shown yet.
func (s *display) end(turn *chat.Turn) {
	s.pause()
	switch {
	case turn == nil:
	case s.shown.Len() == 0 && strings.TrimSpace(turn.Text) != "":
		if s.answers++; s.answers > 1 && !s.person {
			s.write("\n")
		}
		s.write(strings.TrimSpace(turn.Text) + "\n")
	case s.shown.Len() > 0 && !strings.HasSuffix(s.shown.String(), "\n"):
		s.write("\n")
	}
}

// isTerminal reports whether a person reads or types there.
func isTerminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
