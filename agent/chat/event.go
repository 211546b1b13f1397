package chat

import (
	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
)

// An Event is something that happened in a turn: Waiting, Stored, Told, Ran, Warned or Done.
type Event interface{ event() }

// TurnQueued tells that other turns of the thread come first. It is the first event of a turn that waits.
type TurnQueued struct {
	Ahead int // turns, the one under way included
}

// MessageStored tells a message that is in the thread now: the user's before the run begins, those of the answer behind it.
type MessageStored struct {
	Message Message
}

// ContextBuilt tells what the run is told of the thread and its user.
type ContextBuilt struct {
	Stats contextbuilder.Stats
}

// AgentEvent is an event of the run that answers.
type AgentEvent struct {
	Event agent.Event
}

// WarningRaised tells something odd that does not end the turn.
type WarningRaised struct {
	Warning string
}

// TurnFinished is the last event, also beside an error.
type TurnFinished struct {
	Turn *Turn
}

func (TurnQueued) event()    {}
func (MessageStored) event() {}
func (ContextBuilt) event()  {}
func (AgentEvent) event()    {}
func (WarningRaised) event() {}
func (TurnFinished) event()  {}

// A Turn is a message of the user and what became of it.
type Turn struct {
	Thread   string
	Messages []Message            // that the thread has of it, the user's first; none if not even that could be stored
	Text     string               // the answer, or as much as there is of it
	Partial  bool                 // the answer broke off, or was cut off by its length
	Told     contextbuilder.Stats // what the run was told, and why
	Result   *agent.Result        // of the run; nil: it did not start
	Warnings []string             // of the turn; those of the run are in the Result
}
