package agent

import (
	"github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/providers"
)

// A Guide steers a run. Before the first step and after each one, it decides whether the run continues, and how. It
// must depend on the steps alone, so that a recorded run can be replayed. After an answer that does not end the run,
// a note asks the model to continue: a guide that never stops runs into the limits.
type Guide func(Step) Move

// A Step is what a guide sees of the last step. Before the first one, only Limit is set.
type Step = session.Step

// A StepCall is one call of a step, with its result as the model sees it.
type StepCall = session.StepCall

// A Move is what a guide wants next. Nudge and Status are notes for the model, one of each at a time: as
// [contextwindow.Window.Note] says, a new text replaces the last one, and the same text is not written again at once.
type Move struct {
	Stop   bool                 // end as [Answered] after an answer, else as [GuideStopped], without a closing request
	Nudge  string               // what to do now; "": nothing new
	Status string               // how far the run is; "": nothing new
	Choice providers.ToolChoice // of the next request
	Unread []string             // files to look at next, for the note on a repeated call
}
