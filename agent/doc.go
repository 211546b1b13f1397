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
// (transcript.Check with providers.Info.Rules). What breaks a rule is repaired before it is sent, with a warning, and a
// request that a service refuses for the order of its messages is sent once more, repaired or with the prompt and the record
// alone. Calls that cannot be sent back as the model wrote them (no name, arguments that are no object) are kept in the log
// in a form that can.
//
// What a service refuses besides the order of messages is given up once, with a warning: that a call is forced
// (providers.Required; not asked for at all where Info says NoForcedTools), and a schema of the answer, for which a tool
// stands in.
//
// A run ends with a typed Stop and always with a Result, also beside an error. When a budget of steps, time or tokens
// runs out, one closing request without tools asks for the answer on what is there; there is none when a providers.Meter
// refuses to spend more. An answer that its length limit cuts off is continued three times; one that is cut off still is
// not taken for whole: Stop is CutOff.
//
// # Typed answers
//
// Typed returns the answer as a struct. Where the service holds models to a schema, every request has that of the struct;
// elsewhere the model calls the tool final_answer. Both are checked against the schema; what is wrong is told to the model
// at most twice.
//
// # What comes from outside
//
// Config.Approve is asked before each call of a tool with effects; what it refuses, the model sees as the result of the
// call. Task.Inbox takes messages for a run that is under way: they join before the next request as messages of the user,
// and none is lost, for those that came too late are in Result.Unread.
//
// Task.Window has a run go on with the window of earlier ones, as the stages of a pipeline do: its prompt opens the window
// anew behind ResetStage, and is the next message of the user elsewhere. Task.Limits bound that run alone.
//
// # Sub-agents
//
// AsTool makes a tool of an agent. Each call of it is a run with a window of its own:
//
//	lead ── calls ask_scout ──▶ run lead/scout@1.1      its task is all that it sees
//	  ▲                            │ steps, tokens, time: at most what is left of lead's, and they count there too
//	  │                            │ events: among lead's, under its own name; SubagentFinished is the last
//	  └── answer and evidence ─────┘
//
// Runs side by side share what is left exactly: each holds a step for its closing request from its start. A bound on the
// cost is shared by watching the models of both with one providers.Meter. A sub-agent ends with the run above it.
//
// What a run repeats, it repeats byte for byte: the same conversation gives the same requests, and between two
// compactions each begins with the one before it, so that a service's cache can be used. What the cache gave is in
// Result.Usage and in the Tokens of each StepFinished.
//
// # Events
//
// Stream yields what happens as it happens, on the goroutine of the caller; Do drains it; Run is Do with a prompt.
//
//	RunStarted
//	├─ MessageInjected a message of the inbox joined the conversation
//	├─ NoteWritten     a nudge or status was written for the model
//	├─ WindowCompacted the window was made to fit
//	├─ EntriesAppended entries were written to the window's log
//	├─ RequestSent     a request is sent now
//	├─ Text, Reasoning the answer as it comes
//	├─ RequestRetried  discard what was shown of this answer: it is asked for again
//	├─ ToolStarted     in the order of the calls
//	├─ ToolProgressed  how far a call is that takes long
//	├─ ToolFinished    as they end
//	├─ SubagentFinished the run of a sub-agent is over; its events came before, under its name
//	├─ SummaryFinished a summary was written beside the run, and taken or not
//	├─ WarningRaised   something is odd, and the run goes on
//	└─ StepFinished    one step is over
//	RunFinished        the last, also beside an error
//
// Package trace writes these events to a file and rebuilds every request from them.
package agent
