package agent

import (
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools"
)

// An Event is something that happened in a run. Agent is the name of the agent that it happened to.
type Event interface{ event() }

// RunStarted is the first event: the budget that the run's window has.
type RunStarted struct {
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
	Call  transcript.ToolCall
}

// ToolProgressed tells how far a call under way is, as its tool counts (tools.Counting): between the ToolStarted and the
// ToolFinished of the call, at most about five times a second and only what changed. It depends on how fast the machine is,
// and so is in no trace.
type ToolProgressed struct {
	Agent    string
	Step     int
	Call     transcript.ToolCall
	Progress tools.Progress
}

// ToolFinished tells how a call ended.
type ToolFinished struct {
	Agent  string
	Step   int
	Record ToolRecord
}

// NoteWritten tells a note that was written for the model.
type NoteWritten struct {
	Agent string
	Step  int
	Note  contextwindow.Note
}

// MessageInjected tells a message of the Inbox that joins the conversation.
type MessageInjected struct {
	Agent string
	Step  int
	Text  string
}

// WindowCompacted tells what was done to make the window fit.
type WindowCompacted struct {
	Agent      string
	Step       int
	Compaction contextwindow.Compaction
}

// EntriesAppended tells what was written to the log of the run's window since the last Logged: the entries from number From on.
// With all of them contextwindow.Load gives the window. They must not be modified.
type EntriesAppended struct {
	Agent   string
	Step    int
	From    int // from 0
	Entries []contextwindow.Entry
}

// RequestSent tells a request that is sent now. Its messages are the view of the first so many Entries of the log, or, if it
// is Repaired, what transcript.Repair makes of that view. The request must not be modified.
type RequestSent struct {
	Agent    string
	Step     int
	Entries  int
	Repaired bool
	Request  *providers.Request
}

// RequestRetried tells that an answer is asked for again: what was shown of it is to be discarded.
type RequestRetried struct {
	Agent   string
	Step    int
	Attempt int // 1 for the first retry
	Reason  string
}

// SummaryFinished tells how a request to the Summarizer ended, which went on beside the run.
type SummaryFinished struct {
	Agent    string
	Step     int
	Units    int // of the log that the summary is of
	Tokens   int // that they take, as a raw estimate
	Usage    providers.Usage
	Duration time.Duration
	Err      error // nil: the window took the summary
}

// StepFinished tells that a step is over. Tokens is what came to the run's Usage with it: its requests, also those that were
// sent again, its sub-agents, and summaries that ended meanwhile.
type StepFinished struct {
	Agent    string
	Step     Step
	Usage    contextwindow.Usage
	Tokens   providers.Usage
	Duration time.Duration
}

// WarningRaised tells something odd that does not end the run.
type WarningRaised struct {
	Agent   string
	Step    int
	Warning string
}

// SubagentFinished tells that the run of a sub-agent is over: Agent is its name, and what it told before came under that name.
type SubagentFinished struct {
	Agent  string
	Result *Result
	Err    error
}

// RunFinished is the last event, also beside an error.
type RunFinished struct {
	Agent  string
	Result *Result
}

func (RunStarted) event()       {}
func (Text) event()             {}
func (Reasoning) event()        {}
func (ToolStarted) event()      {}
func (ToolProgressed) event()   {}
func (ToolFinished) event()     {}
func (NoteWritten) event()      {}
func (MessageInjected) event()  {}
func (WindowCompacted) event()  {}
func (EntriesAppended) event()  {}
func (RequestSent) event()      {}
func (RequestRetried) event()   {}
func (SummaryFinished) event()  {}
func (StepFinished) event()     {}
func (WarningRaised) event()    {}
func (SubagentFinished) event() {}
func (RunFinished) event()      {}
