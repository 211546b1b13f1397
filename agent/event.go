package agent

import (
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools"
)

// An Event is something that happened in a run. Its Agent is the name of the agent it happened to.
type Event interface{ event() }

// RunStarted is the first event of a run.
type RunStarted struct {
	Agent  string
	Budget contextwindow.Budget // of the window
	Model  providers.Info
	Call   string // id of the call that the run is nested in; "": none
	Input  string // [Task.Input]
}

// RunResumed reports that a run of a [Session] continues where an earlier process left it.
type RunResumed struct {
	Agent string
	Steps int    // whole steps that earlier processes made
	Trace string // [Session].Trace of the process that began the run
}

// Text is a piece of the model's answer.
type Text struct {
	Agent string
	Step  int
	Text  string
}

// Reasoning is a piece of the reasoning that the model shows.
type Reasoning struct {
	Agent string
	Step  int
	Text  string
}

// ToolStarted reports a call that starts now.
type ToolStarted struct {
	Agent string
	Step  int
	Call  transcript.ToolCall
}

// ToolProgressed reports the progress of a call, as its tool counts it on a [tools.Progress]: about five times a
// second, and only changes. It depends on the speed of the machine.
type ToolProgressed struct {
	Agent    string
	Step     int
	Call     transcript.ToolCall
	Progress tools.Status
}

// ToolFinished reports how a call ended.
type ToolFinished struct {
	Agent  string
	Step   int
	Record ToolRecord
}

// NoteWritten reports a note that was written for the model.
type NoteWritten struct {
	Agent string
	Step  int
	Note  contextwindow.Note
}

// MessageInjected reports a message of the [Inbox] that joined the conversation.
type MessageInjected struct {
	Agent string
	Step  int
	Text  string
}

// WindowCompacted reports what was done to make the window fit: by the window before a request, or by the service
// within the answer ([contextwindow.Compaction.ByServer]).
type WindowCompacted struct {
	Agent      string
	Step       int
	Compaction contextwindow.Compaction
}

// EntriesAppended reports new entries of the log of the run's window. [contextwindow.Load] rebuilds the window from all
// of them. They must not be modified.
type EntriesAppended struct {
	Agent   string
	Step    int
	From    int // index of the first one
	Entries []contextwindow.Entry
}

// RequestSent reports a request that is sent now. Its messages are the view of the first Entries entries of the log. If
// it is Repaired, they went through [transcript.Repair]; if it is Bare, the request then went through
// [providers.Request.WithoutTools]. The request must not be modified.
type RequestSent struct {
	Agent    string
	Step     int
	Entries  int
	Repaired bool
	Bare     bool // it holds no tools and no calls
	Request  *providers.Request
}

// RequestFinished reports how a request ended. The response is as far as it arrived, with its usage, which is estimated
// if the service reported none. It must not be modified.
type RequestFinished struct {
	Agent    string
	Step     int
	Response *providers.Response
	First    time.Duration // until the first piece of the answer; 0: none arrived
	Duration time.Duration // until the last one, with the time that the caller took for their events
	Err      error
}

// ReadingProgressed reports how far a slow server is with reading the request: once before it begins, as an estimate,
// and then as often as the server reports it. Fast services report nothing.
type ReadingProgressed struct {
	Agent   string
	Step    int
	Reading providers.Reading
}

// RequestRetried reports that an answer is requested again. Text and Reasoning shown of it are to be discarded.
type RequestRetried struct {
	Agent   string
	Step    int
	Attempt int // 1 for the first retry
	Reason  string
}

// SummaryFinished reports how a background request to the Summarizer ended.
type SummaryFinished struct {
	Agent    string
	Step     int
	Units    int // of the log that the summary covers
	Tokens   int // of these units, estimated
	Usage    providers.Usage
	Duration time.Duration
	Err      error // nil: the window took the summary
}

// StepFinished reports that a step is over. Tokens is what the run spent meanwhile: requests with their retries,
// sub-agents, and summaries that ended.
type StepFinished struct {
	Agent    string
	Step     Step
	Usage    contextwindow.Usage
	Tokens   providers.Usage
	Duration time.Duration
}

// WarningRaised reports something odd that does not end the run.
type WarningRaised struct {
	Agent   string
	Step    int
	Warning string
}

// SubagentFinished is the last event of a sub-agent. The events before it carry the same name.
type SubagentFinished struct {
	Agent  string
	Result *Result
	Err    error
}

// RunFinished is the last event of a run, also of one that failed.
type RunFinished struct {
	Agent  string
	Result *Result
}

func (RunStarted) event()        {}
func (RunResumed) event()        {}
func (Text) event()              {}
func (Reasoning) event()         {}
func (ToolStarted) event()       {}
func (ToolProgressed) event()    {}
func (ToolFinished) event()      {}
func (NoteWritten) event()       {}
func (MessageInjected) event()   {}
func (WindowCompacted) event()   {}
func (EntriesAppended) event()   {}
func (RequestSent) event()       {}
func (RequestFinished) event()   {}
func (ReadingProgressed) event() {}
func (RequestRetried) event()    {}
func (SummaryFinished) event()   {}
func (StepFinished) event()      {}
func (WarningRaised) event()     {}
func (SubagentFinished) event()  {}
func (RunFinished) event()       {}
