package agent

import (
	"encoding/json"

	"github.com/forayhq/foray/providers"
)

// A Guide steers a run: after each step, and once before the first, it says whether to go on and how. Next depends on
// nothing but the steps that the guide was given, so that a recorded run can be steered again.
type Guide interface {
	Next(Step) Move
}

// A Step is what a guide knows of the step that is over. Before the first step all but Limit is zero.
type Step struct {
	Number int              `json:"number"` // requests that the model answered so far
	Limit  int              `json:"limit"`  // the most there may be
	Text   string           `json:"text,omitempty"`
	Calls  []StepCall       `json:"calls,omitempty"`
	Finish providers.Finish `json:"finish,omitempty"`
	Window float64          `json:"window"` // share of the budget that the window takes
}

// A StepCall is one call of a step and its result as the model sees it.
type StepCall struct {
	Name   string          `json:"name"`
	Args   json.RawMessage `json:"args,omitempty"`
	Result string          `json:"result,omitempty"`
	Failed bool            `json:"failed,omitempty"`
}

// A Move is what a guide wants next.
type Move struct {
	Stop   bool
	Nudge  string // a note for this step only
	Status string // a note that stands until it changes
	Choice providers.ToolChoice
}

// UntilAnswer is the guide that goes on until the model answers without calling a tool.
type UntilAnswer struct{}

// Next stops after a step without calls.
func (UntilAnswer) Next(s Step) Move {
	return Move{Stop: s.Number > 0 && len(s.Calls) == 0}
}
