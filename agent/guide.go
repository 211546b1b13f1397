package agent

import (
	"encoding/json"

	"github.com/forayhq/foray/providers"
)

// A Guide steers a run. Before the first step and after each one, it decides whether the run continues, and how. Next
// must depend on the steps alone, so that a recorded run can be replayed.
type Guide interface {
	Next(Step) Move
}

// A Step is what a guide sees of the last step. Before the first one, only Limit is set.
type Step struct {
	Number int              `json:"number"` // answered requests so far
	Limit  int              `json:"limit"`  // the most there may be
	Text   string           `json:"text,omitempty"`
	Calls  []StepCall       `json:"calls,omitempty"`
	Finish providers.Finish `json:"finish,omitempty"`
	Window float64          `json:"window"` // share of the budget that the window takes
}

// Answered reports whether the model answered without calling a tool. A run without a guide stops then.
func (s Step) Answered() bool { return s.Number > 0 && len(s.Calls) == 0 }

// A StepCall is one call of a step, with its result as the model sees it.
type StepCall struct {
	Name   string          `json:"name"`
	Args   json.RawMessage `json:"args,omitempty"`
	Result string          `json:"result,omitempty"`
	Failed bool            `json:"failed,omitempty"`

	Received int `json:"received,omitempty"` // tokens of the result as the tool returned it
	Shown    int `json:"shown,omitempty"`    // tokens that entered the window
}

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
