package agent

import (
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// A Stop says why a run ended.
type Stop string

// The reasons to stop. At a limit, and for Stalled, one closing request gave the text.
const (
	Answered     Stop = "answered"      // the model answered
	StepLimit    Stop = "step limit"    // no steps were left
	TimeLimit    Stop = "time limit"    // no time was left
	TokenLimit   Stop = "token limit"   // no tokens were left
	CostLimit    Stop = "cost limit"    // a [providers.Meter] allows no more; the text is partial
	CutOff       Stop = "cut off"       // the answer hit its length limit, even after three continuations; the text is partial
	Stalled      Stop = "stalled"       // a call kept giving the same result, or the window was compacted in too many steps
	GuideStopped Stop = "guide stopped" // the guide ended the run before an answer
	Cancelled    Stop = "cancelled"     // the caller's context ended
	Failed       Stop = "failed"        // an error that could not be repaired
)

// A Result is the outcome of a run.
type Result struct {
	Text        string // the answer, or the part that arrived
	Answer      any    // of [Typed]: the answer as its type; nil: none
	Stop        Stop
	Steps       int             // answered requests
	Usage       providers.Usage // of all requests, including retries and sub-agents; estimated where a provider reports none
	Tools       []ToolRecord    // in the order of steps and calls
	Transcript  []contextwindow.Entry
	Compactions []contextwindow.Compaction
	Context     contextwindow.Report // the window at the end
	Warnings    []string
	Unread      []string // messages of the [Inbox] that came too late for the last request
	Abandoned   int      // tools that ignored their timeout and may still be running
	Duration    time.Duration
}

// A ToolRecord is one call and its outcome.
type ToolRecord struct {
	Step      int
	Call      transcript.ToolCall
	Value     any // what the tool returned; nil if it failed
	Err       error
	Duration  time.Duration
	TokensIn  int  // of the whole result
	TokensOut int  // of the result as the model saw it
	Cut       bool // the model saw less than the whole result
	Abandoned bool
}
