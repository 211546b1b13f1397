package agent

import (
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// A Stop says why a run ended.
type Stop string

// The reasons to stop.
const (
	Answered     Stop = "answered"      // the model answered
	StepLimit    Stop = "step limit"    // no steps were left; the closing request gave the text
	TimeLimit    Stop = "time limit"    // no time was left; the closing request gave the text
	TokenLimit   Stop = "token limit"   // no tokens were left; the closing request gave the text
	CostLimit    Stop = "cost limit"    // as much was spent as a providers.Meter allows; the text is what there was
	CutOff       Stop = "cut off"       // the answer's length limit cut it off, also after three continuations; the text is what came
	Stalled      Stop = "stalled"       // the same call gave the same result in too many steps, or the window was compacted in too many; the closing request gave the text
	GuideStopped Stop = "guide stopped" // the guide ended the run before an answer
	Cancelled    Stop = "cancelled"     // the caller's context ended
	Failed       Stop = "failed"        // an error that nothing could mend
)

// A Result is how a run ended and how it came there.
type Result struct {
	Text        string // the answer, or as much as there is of it
	Answer      any    // of Typed: the answer, as its type; nil: there is none
	Stop        Stop
	Steps       int             // requests that the model answered
	Usage       providers.Usage // summed over all answers, dropped and broken ones and those to sub-agents too; estimates where the provider did not count
	Tools       []ToolRecord    // in the order of steps and calls
	Transcript  []contextwindow.Entry
	Compactions []contextwindow.Compaction
	Context     contextwindow.Report // what the window held at the end
	Warnings    []string
	Unread      []string // messages of the Inbox that came too late for the last request
	Abandoned   int      // tools that ignored the end of their time and may still run
	Duration    time.Duration
}

// A ToolRecord is one call and what became of it.
type ToolRecord struct {
	Step      int
	Call      transcript.ToolCall
	Value     any // what the tool returned; nil if it failed
	Err       error
	Duration  time.Duration
	TokensIn  int // of the result, whole, in tokens
	TokensOut int // of the result as the model saw it
	Cut       bool
	Abandoned bool
}
