package pipelines

import (
	"github.com/forayhq/foray/agent"
)

// A Stage is one agent's part in a pipeline.
type Stage struct {
	Name   string // unique among the stages; used in outcomes and errors
	Agent  *agent.Agent
	Prompt func(input string, done []Outcome) string // opens the stage; done holds the outcomes of the stages before it
	Gate   Gate                                      // judges each attempt; nil passes every one

	// Limits bound the first attempt, RetryLimits each later one, besides the agent's own: the tighter one holds. When the
	// time is up, the attempt is cancelled and closes with what it has.
	Limits, RetryLimits agent.Limits
	Retries             int // attempts that Gate may ask for after the first; default 1, negative: none

	RunDegraded   bool // run even if an earlier stage degraded or was exhausted; otherwise the stage is skipped
	StopExhausted bool // end the pipeline with an error when no attempt is left, instead of degrading

	Scope   string            // scope of the working memory that stores the window's bodies, for tools; may be empty
	Observe func(agent.Event) // sees every event of the stage; may be nil
}

// A Status says how a stage ended.
type Status string

// The statuses of a stage.
const (
	Passed    Status = "passed"
	Degraded  Status = "degraded"  // the gate accepted less than it wanted
	Exhausted Status = "exhausted" // the gate wanted another attempt, and none was left
	Skipped   Status = "skipped"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
)

// An Outcome says how a stage ended and what it leaves to the next.
type Outcome struct {
	Stage    string
	Status   Status
	Reason   string          // the gate's, the error, or why the stage was skipped; empty if it passed
	Results  []*agent.Result // one per attempt
	Handover Handover        // from all attempts
}

// Text returns the text of the newest attempt that has one.
func (o *Outcome) Text() string {
	for i := len(o.Results) - 1; i >= 0; i-- {
		if text := o.Results[i].Text; text != "" {
			return text
		}
	}
	return ""
}

// Reply returns the text of the last stage that has one.
func Reply(outcomes []Outcome) string {
	for i := len(outcomes) - 1; i >= 0; i-- {
		if text := outcomes[i].Text(); text != "" {
			return text
		}
	}
	return ""
}
