package agent

import (
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools"
)

// An Event is something that happened in a run. Agent is the name of the agent that it happened to.
type Event interface{ event() }

// Started is the first event: the budget that the run's window has.
type Started struct {
	Agent  string
	Budget contextwindow.Budget
}

// Text is a piece of the model's answer.
type Text struct {
	Agent string
	Step  int
	Text  string
}

// Reasoning is a piece of what the model says of its reasoning.
type Reasoning struct {
	Agent string
	Step  int
	Text  string
}

// ToolStarted tells a call that is made now.
type ToolStarted struct {
	Agent string
	Step  int
	Call  contextwindow.ToolCall
}

// ToolProgressed tells how far a call under way is, as its tool counts (tools.Counting): between the ToolStarted and the
// ToolEnded of the call, at most about five times a second and only what changed. It depends on how fast the machine is,
// and so is in no trace.
type ToolProgressed struct {
	Agent    string
	Step     int
	Call     contextwindow.ToolCall
	Progress tools.Progress
}

// ToolEnded tells how a call ended.
type ToolEnded struct {
	Agent  string
	Step   int
	Record ToolRecord
}

// Noted tells a note that was written for the model.
type Noted struct {
	Agent string
	Step  int
	Note  contextwindow.Note
}

// Joined tells a message of the Inbox that joins the conversation.
type Joined struct {
	Agent string
	Step  int
	Text  string
}

// Compacted tells what was done to make the window fit.
type Compacted struct {
	Agent      string
	Step       int
	Compaction contextwindow.Compaction
}

// Logged tells what was written to the log of the run's window since the last Logged: the entries from number From on.
// With all of them contextwindow.Load gives the window. They must not be modified.
type Logged struct {
	Agent   string
	Step    int
	From    int // from 0
	Entries []contextwindow.Entry
}

// Requested tells a request that is sent now. Its messages are the view of the first so many Entries of the log, or, if it
// is Repaired, what contextwindow.Repair makes of that view. The request must not be modified.
type Requested struct {
	Agent    string
	Step     int
	Entries  int
	Repaired bool
	Request  *providers.Request
}

// Retried tells that an answer is asked for again: what was shown of it is to be discarded.
type Retried struct {
	Agent   string
	Step    int
	Attempt int // 1 for the first retry
	Reason  string
}

// Summarized tells how a request to the Summarizer ended, which went on beside the run.
type Summarized struct {
	Agent    string
	Step     int
	Units    int // of the log that the summary is of
	Tokens   int // that they take, as a raw estimate
	Usage    providers.Usage
	Duration time.Duration
	Err      error // nil: the window took the summary
}

// Stepped tells that a step is over. Tokens is what came to the run's Usage with it: its requests, also those that were
// sent again, its sub-agents, and summaries that ended meanwhile.
type Stepped struct {
	Agent    string
	Step     Step
	Usage    contextwindow.Usage
	Tokens   providers.Usage
	Duration time.Duration
}

// Warned tells something odd that does not end the run.
type Warned struct {
	Agent   string
	Step    int
	Warning string
}

// Returned tells that the run of a sub-agent is over: Agent is its name, and what it told before came under that name.
type Returned struct {
	Agent  string
	Result *Result
	Err    error
}

// Done is the last event, also beside an error.
type Done struct {
	Agent  string
	Result *Result
}

func (Started) event()        {}
func (Text) event()           {}
func (Reasoning) event()      {}
func (ToolStarted) event()    {}
func (ToolProgressed) event() {}
func (ToolEnded) event()      {}
func (Noted) event()          {}
func (Joined) event()         {}
func (Compacted) event()      {}
func (Logged) event()         {}
func (Requested) event()      {}
func (Retried) event()        {}
func (Summarized) event()     {}
func (Stepped) event()        {}
func (Warned) event()         {}
func (Returned) event()       {}
func (Done) event()           {}
