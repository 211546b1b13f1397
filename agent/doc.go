// Package agent runs a model in a loop: think, act, observe, until its guide says stop.
//
// Start with [New] and [Agent.Run]. [Agent.Stream] yields the events of a run, [Typed] returns a struct, and
// [AsTool] makes a tool of an agent.
//
// # How a run works
//
// An [Agent] is immutable and safe for concurrent use; each run has its own window. A step is one request to
// the model and what follows from it:
//
//	exit checks → notes → window.Fit → preflight → request → stream → usage → tools → Append → guide
//
// The calls of a step run side by side; a tool with effects runs alone and in order. Results enter the window
// together, in the order of the calls. A call that cannot be made (unknown tool, invalid arguments, too many
// calls) is answered with the reason, so that the model can correct it. A panic, a timeout or a tool that
// ignores its context is an error of that call only. After the end of a run (cancelled, broken off, out of
// time) no further call starts.
//
// The preflight checks every request, retries and the closing one included, against the rules of the model's
// service ([transcript.Check]). A violation is repaired before the request is sent, with a warning. If a
// service still refuses a request for the order of its messages, it is sent once more, repaired or with the
// prompt and the digest alone. Calls that cannot be sent back as the model wrote them (no name, arguments
// that are not an object) are stored in a form that can.
//
// If a service refuses to force a call ([providers.Required]), or refuses a schema for the answer, the run
// continues without it, with a warning; a tool replaces the schema. A panic of the model fails the run.
//
// A run ends as [Stalled] when its calls only repeat earlier ones with the same results in a few steps,
// with a warning to the model before. Results of a tool with Polls count as new.
//
// A run always ends with a [Result], also beside an error. The result says why the run stopped: no error does not mean
// that the model answered. When a budget of steps, time or tokens runs out, one closing request without tools asks for
// an answer from what was found, unless a [providers.Meter] refuses to spend more. An answer that hits its length limit
// is continued up to three times; after that, Stop is [CutOff].
//
// # Messages, approvals and windows from outside
//
// Config.Approve is asked before each call of a tool with effects; the model sees a refusal as the result of
// the call. [Task].Inbox delivers messages to a run in progress: they join before the next request, and those
// that come too late are in Result.Unread. Task.Window continues the window of an earlier run, as the stages
// of a pipeline do.
//
// # Sessions
//
// A run with a [Task].Session is durable: each whole step is in a store before the next one begins, and another process
// continues after the last one with [Agent.Resume]. Later requests have the bytes that they would have had. A call with
// effects is written before and after it is made, so that it is never repeated silently: if nobody can say whether it
// was done, or if Approve answers with Decision.Wait, the run stops with [Waiting], and continues when [session.Decide]
// has said what to do. Package agent/session describes the records.
//
// # Sub-agents
//
// Each call of the tool that [AsTool] returns is a run with its own window:
//
//	lead ── calls ask_scout ──▶ run lead/scout@1.1      sees nothing but its task
//	  ▲                            │ steps, tokens, time: at most what lead has left, and they count there too
//	  │                            │ events: among those of lead, under its own name; SubagentFinished is the last
//	  └── answer and evidence ─────┘
//
// Runs side by side share what is left exactly: each reserves one step for its closing request when it
// starts. To share a limit on cost, watch their models with one providers.Meter. A sub-agent ends with its
// caller.
//
// Equal conversations give equal requests, byte for byte. Between two compactions each request starts with
// the one before it, so that a service can cache it. Result.Usage and [StepFinished] say what the cache
// saved.
//
// # Events
//
// Stream yields events on the goroutine of the caller; Do drains it; Run is Do with a prompt.
//
//	RunStarted
//	├─ RunResumed        an earlier process began the run
//	├─ MessageInjected   a message of the inbox joined the conversation
//	├─ NoteWritten       a nudge or status was written for the model
//	├─ WindowCompacted   the window, or its service, compacted
//	├─ EntriesAppended   the window's log grew
//	├─ RequestSent       a request is sent now
//	├─ ReadingProgressed how far a slow server is with reading it
//	├─ Text, Reasoning   the answer as it comes
//	├─ RequestFinished   the whole answer with its usage, or why it failed
//	├─ RequestRetried    discard what was shown of this answer: it is requested again
//	├─ ToolStarted       in the order of the calls
//	├─ ToolProgressed    progress of a slow call
//	├─ ToolFinished      as calls end
//	├─ SubagentFinished  a sub-agent ended; its events came before, under its name
//	├─ SummaryFinished   a background summary ended
//	├─ WarningRaised     something is odd, and the run continues
//	└─ StepFinished      a step is over
//	RunFinished          always the last
//
// Package trace writes these events to a file and rebuilds every request from them. Package otel makes
// OpenTelemetry spans and metrics of them.
package agent
