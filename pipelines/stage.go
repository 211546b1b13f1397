package pipelines

import (
	"time"

	"github.com/forayhq/foray/agent"
)

// A Stage is one agent's part in a pipeline.
type Stage struct {
	Name   string // in outcomes and errors; differs from those of the other stages
	Agent  *agent.Agent
	Prompt func(input string, done []Outcome) string // opens the stage; done are the outcomes of the stages before it
	Gate   Gate                                      // judges each attempt; nil: every one passes

	Budget      Budget  // of the first attempt
	RetryBudget Retries // of those that Gate asks for

	OnDegrade   OnDegrade   // whether the stage runs when one before it degraded
	OnExhausted OnExhausted // what follows when its retries are used up

	Scope   string            // of the working memory that is the store of the window, told to tools; "": none
	Observe func(agent.Event) // is told what happens; nil: nobody is
}

// A Budget bounds one attempt beside the limits of its agent: the tighter one holds. Zero is none.
type Budget struct {
	Steps int
	Time  time.Duration // when it is over, the attempt is cancelled and asked for what it has (agent.TimeLimit)
}

// Retries bound how often a stage is tried again, and each attempt.
type Retries struct {
	Times  int // default 1; negative: never
	Budget Budget
}

// OnDegrade says what a stage does when one before it degraded or was exhausted.
type OnDegrade string

// The ways to meet a degraded stage.
const (
	SkipDegraded OnDegrade = ""    // the stage is skipped
	RunDegraded  OnDegrade = "run" // it runs with what there is
)

// OnExhausted says what follows when the retries of a stage are used up.
type OnExhausted string

// The ways to meet exhaustion.
const (
	DegradeExhausted OnExhausted = ""     // go on to the stages that run in spite of it
	StopExhausted    OnExhausted = "stop" // end the pipeline with ErrExhausted
)

// A Status says how a stage ended.
type Status string

// The statuses. Degraded is a gate's verdict on what there is; Exhausted is a gate that still asks for another attempt when
// there is none.
const (
	Passed    Status = "passed"
	Degraded  Status = "degraded"
	Exhausted Status = "exhausted"
	Skipped   Status = "skipped"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
)

// An Outcome is how a stage ended and what it leaves.
type Outcome struct {
	Stage    string
	Status   Status
	Reason   string          // of the gate, of the error, or why the stage was skipped; "": it passed
	Results  []*agent.Result // of the attempts, in their order
	Handover Handover        // of all attempts
}

// Text is the text of the newest attempt that has one.
func (o *Outcome) Text() string {
	for i := len(o.Results) - 1; i >= 0; i-- {
		if text := o.Results[i].Text; text != "" {
			return text
		}
	}
	return ""
}

// Reply is the text of the last stage that was executed and has one.
func Reply(outcomes []Outcome) string {
	for i := len(outcomes) - 1; i >= 0; i-- {
		if text := outcomes[i].Text(); text != "" {
			return text
		}
	}
	return ""
}
