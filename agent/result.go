package agent

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
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
	CutOff       Stop = "cut off"       // the answer hit its length limit, even when continued; the text is partial
	Stalled      Stop = "stalled"       // calls or the model's words kept repeating, or the window kept being compacted
	GuideStopped Stop = "guide stopped" // the guide ended the run before an answer
	Waiting      Stop = "waiting"       // a person has to decide about a call; see [Session]
	Paused       Stop = "paused"        // the process made its steps; see [Session]. Earlier calls have no values
	Cancelled    Stop = "cancelled"     // the caller's context ended
	Failed       Stop = "failed"        // an error that could not be repaired
)

// Resumable reports whether a run of a [Session] that stopped so can be resumed.
func (s Stop) Resumable() bool { return s == Waiting || s == Paused || s == Cancelled || s == Failed }

// A Result is the outcome of a run.
type Result struct {
	Text        string // the answer, or the part that arrived
	Answer      any    // of [Typed]: the answer as its type; nil: none
	Stop        Stop
	Steps       int             // answered requests
	Usage       providers.Usage // of all requests, retries and sub-agents too; estimated if not reported
	Tools       []ToolRecord    // in the order of steps and calls
	Transcript  []contextwindow.Entry
	Compactions []contextwindow.Compaction
	Context     contextwindow.Report // the window at the end
	Warnings    []string
	Waiting     []session.Question // calls about which a person has to decide, with the Stop of that name
	Unread      []string           // messages of the [Inbox] that came too late for the last request
	Abandoned   int                // tools that ignored their timeout and may still be running
	Duration    time.Duration
}

// A ToolRecord is one call and its outcome.
type ToolRecord struct {
	Step      int
	Call      transcript.ToolCall // as the model wrote it; arguments too large to decode are cut to their beginning
	Made      transcript.ToolCall // as it was understood: with the names and types that the tool's schema has
	Notes     []string            // how Made differs from Call in more than types, for the model
	Value     any                 // what the tool returned; nil if it failed
	Err       error
	Started   time.Time // zero: the call was not made
	Duration  time.Duration
	Tokens    int  // of the requests and answers of the sub-agents that it ran
	TokensIn  int  // of the whole result
	TokensOut int  // of the result as the model saw it
	Cut       bool // the model saw less than the whole result
	Abandoned bool
}

// A subagentResult is the result of a sub-agent, as its caller's model sees it.
type subagentResult struct {
	Result *Result
}

// Text returns the answer and its evidence.
func (d subagentResult) Text() (toollimit.Kind, string) {
	var b strings.Builder
	b.WriteString(d.Result.Text)
	if d.Result.Stop != Answered {
		fmt.Fprintf(&b, "\n\n(The run ended by its %s: the answer may not be whole.)", d.Result.Stop)
	}
	b.WriteString("\n\n" + evidence(d.Result))
	return toollimit.Text, strings.TrimLeft(b.String(), "\n")
}

// maxEvidence is how many files of a kind the evidence of a sub-agent names.
const maxEvidence = 20

// evidence summarises what an answer rests on: steps, calls, and the files read or modified.
func evidence(r *Result) string {
	failed := 0
	files := make(map[contextwindow.FactKind][]string)
	for _, rec := range r.Tools {
		if rec.Err != nil {
			failed++
			continue
		}
		for _, f := range contextwindow.FactsByArguments(rec.Made, transcript.Message{}) {
			if !slices.Contains(files[f.Kind], f.Ref) {
				files[f.Kind] = append(files[f.Kind], f.Ref)
			}
		}
	}
	text := fmt.Sprintf("Evidence: %d steps, %d calls, %d of them failed.", r.Steps, len(r.Tools), failed)
	for _, kind := range []contextwindow.FactKind{contextwindow.FactRead, contextwindow.FactModified} {
		if names := files[kind]; len(names) > 0 {
			text += fmt.Sprintf(" Files %s: %s", kind, strings.Join(names[:min(len(names), maxEvidence)], ", "))
			if more := len(names) - maxEvidence; more > 0 {
				text += fmt.Sprintf(" and %d more", more)
			}
			text += "."
		}
	}
	return text
}
