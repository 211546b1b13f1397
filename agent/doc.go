// Package agent is the loop: think, act, observe, until the guide says stop.
//
// # How a run goes
//
// An Agent is immutable and safe for concurrent use; each run has a window of its own. A step is one request to the
// model and what follows from it:
//
//	exit checks → notes → window.Fit → pre-flight → request → stream → usage → tools → window.Append → guide
//
// The calls of a step run side by side, a tool with effects alone and in order; their results enter the window
// together, in the order of the calls. A call that cannot be made (unknown tool, arguments that break the schema, more
// than the limit of a step) is answered with what is wrong, so that the model can mend it. A panic of a tool or of its
// result's Text, a time-out and a tool that ignores its context become errors of their call and nothing more. Once a run
// is over (cancelled, broken off, out of time) no further call begins.
//
// The pre-flight holds every request, retries and the closing one too, to the rules of the model's service
// (contextwindow.Check with providers.Info.Rules). What breaks a rule is repaired before it is sent, with a warning, and a
// request that a service refuses for the order of its messages is sent once more, repaired or with the prompt and the record
// alone. Calls that cannot be sent back as the model wrote them (no name, arguments that are no object) are kept in the log
// in a form that can.
//
// A run ends with a typed Stop and always with a Result, also beside an error. When a budget of steps, time or tokens
// runs out, one closing request without tools asks for the answer on what is there.
//
// # Events
//
// Stream yields what happens as it happens, on the goroutine of the caller; Do drains it; Run is Do with a prompt.
//
//	Started
//	├─ Noted           a nudge or status was written for the model
//	├─ Compacted       the window was made to fit
//	├─ Logged          entries were written to the window's log
//	├─ Requested       a request is sent now
//	├─ Text, Reasoning the answer as it comes
//	├─ Retried         discard what was shown of this answer: it is asked for again
//	├─ ToolStarted     in the order of the calls
//	├─ ToolEnded       as they end
//	├─ Warned          something is odd, and the run goes on
//	└─ Stepped         one step is over
//	Done               the last, also beside an error
package agent
