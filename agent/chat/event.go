package chat

import (
	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
)

// An Event is something that happened in a turn.
type Event interface{ event() }

// TurnQueued reports that other turns of the thread come first. It is the first event of a turn that waits.
type TurnQueued struct {
	Ahead int // turns, including the one in progress
}

// MessageStored reports a message that is in the thread now: the user's before the run, those of the answer after it.
type MessageStored struct {
	Message Message
}

// ContextBuilt reports what the run sees of the thread and its user. A message sent to Inbox joins the run before its
// next request, and is stored with the answer.
type ContextBuilt struct {
	Stats contextbuilder.Stats
	Inbox *agent.Inbox
}

// AgentEvent is an event of the run that answers.
type AgentEvent struct {
	Event agent.Event
}

// WarningRaised reports something odd that does not end the turn.
type WarningRaised struct {
	Warning string
}

// TurnFinished is the last event of a turn, also of one that failed.
type TurnFinished struct {
	Turn *Turn
}

func (TurnQueued) event()    {}
func (MessageStored) event() {}
func (ContextBuilt) event()  {}
func (AgentEvent) event()    {}
func (WarningRaised) event() {}
func (TurnFinished) event()  {}

// A Turn is a message of the user and its answer.
type Turn struct {
	Thread   string
	Messages []Message            // stored in the thread, the user's first; empty if not even that was stored
	Agent    string               // that answered
	Text     string               // the answer, or the part that arrived
	Partial  bool                 // the answer broke off, hit its length limit, or did not come before a limit
	Stats    contextbuilder.Stats // of what the run saw
	Result   *agent.Result        // of the run; nil: it did not start
	Warnings []string             // of the turn; those of the run are in the Result
}
