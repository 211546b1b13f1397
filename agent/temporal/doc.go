// Package temporal runs agents as Temporal workflows, so that many workers share the runs, and each continues those of
// workers that died. It is a module of its own: who does not import it does not download Temporal's SDK.
//
// Start with [Worker] and [Run]. The command foray-temporal beside it runs the trials of evaluations.
//
// # How a run is divided
//
// The workflow holds no part of the conversation. An activity is one step: it gets the id of a session and the number
// of a step, locks the session in the store that all workers share, resumes the agent after its last whole step, makes
// one more, and returns a [Summary] of some hundred bytes. So the history grows by the same few bytes at each step,
// however long the conversation is.
//
// A step whose worker died, or whose model failed, is made again, from the same window. Calls with effects are not: see
// package agent/session. The answer is in the session: session.Load, then Last().End.Text.
//
// # Signals
//
// [Decide] carries what a person decided about a call for which the run waits. [Say] carries a message: the next step
// of the run reads it, or, if the run is over, it is the prompt of another run in the same session. Cancelling the
// workflow stops the step in progress. The run can be resumed: start a workflow for its session without a prompt.
package temporal
