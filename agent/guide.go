package agent

import (
	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/providers"
)

// A Guide steers a run. Before the first step and after each one, it decides whether the run continues, and how. Next
// must depend on the steps alone, so that a recorded run can be replayed.
type Guide interface {
	Next(Step) Move
}

// A Step is what a guide sees of the last step. Before the first one, only Limit is set.
type Step = session.Step

// A StepCall is one call of a step, with its result as the model sees it.
type StepCall = session.StepCall

// A Move is what a guide wants next.
type Move struct {
	Stop   bool
	Nudge  string // a note for the next request only
	Status string // a note that holds until it changes
	Choice providers.ToolChoice
}

// untilAnswer is the default guide.
type untilAnswer struct{}

func (untilAnswer) Next(s Step) Move { return Move{Stop: s.Answered()} }
