// Package trace records the events of a run as JSON lines, and rebuilds every request of the run from them.
//
// Start with [Write], which passes the events of [agent.Agent.Stream] on and writes each of them to a file:
//
//	{"seq":1,"ms":0,"event":"started","agent":"explore","step":0,"version":1,"time":"…","budget":{"limit":24000,…}}
//	{"seq":2,"ms":0,"event":"entries","agent":"explore","step":1,"entries":[{"frame":{…}},{"unit":{…}}]}
//	{"seq":3,"ms":0,"event":"request","agent":"explore","step":1,"view_of":2,"messages":1,"sha256":"…"}
//	{"seq":4,"ms":812,"event":"tool_started","agent":"explore","step":1,"call":{"id":"call_1_1","name":"search",…}}
//
// A request line does not repeat its messages. They are the view that [contextwindow.Load] makes of the first
// view_of entries of its agent; messages and sha256 check it. [Read] does this for every request.
//
// Each line is written by one call of Write, so a process that is killed leaves at most its last line torn.
// API keys are in no event, but everything that tools read is.
//
// # Fields
//
// Every line has seq (from 1, without gaps), ms (since the first line), event, agent and step. The names of
// events are part of the format: they stay when a Go type is renamed.
//
//	started       RunStarted        version, time, budget, provider, model, input
//	noted         NoteWritten       note
//	compacted     WindowCompacted   compaction
//	entries       EntriesAppended   from, entries
//	request       RequestSent       view_of, repaired, bare, choice, max_output, schema, schema_name, messages, sha256,
//	                                temperature, top_p, stop_texts, seed, reasoning_effort
//	text          Text              text
//	reasoning     Reasoning         text
//	retried       RequestRetried    attempt, reason
//	tool_started  ToolStarted       call
//	tool_ended    ToolFinished      call, abandoned, error, duration_ms
//	warned        WarningRaised     warning
//	summarized    SummaryFinished   units, tokens, usage, error, duration_ms
//	joined        MessageInjected   text
//	returned      SubagentFinished  text, stop, steps, usage, error, duration_ms
//	stepped       StepFinished      finish, calls, results, window, usage, duration_ms
//	done          RunFinished       text, stop, steps, usage, error, duration_ms, context
//
// Sizes are estimates in tokens. A compaction has before and after (of the whole request), invalidated (what the
// provider's cache can no longer use), opaque (messages that lost provider data), evicted (units that left the view),
// removed (of results that the view no longer shows) and reread (price of reading these again one by one, in tokens of
// uncached input). Each of results has name, received (from the tool) and shown (what entered the window). The context
// of done is a [contextwindow.Report], with first sight and the price of reading again by tool.
//
// New fields may appear without a new version. Texts are JSON strings, so bytes that are not UTF-8 become
// U+FFFD in them; entries keep every byte. [agent.ToolProgressed] is not written: it depends on the speed of
// the machine, and equal runs are to give equal traces. Nor are [agent.RunResumed] and
// [agent.RequestFinished]: a trace is of one process, and its stepped lines have the usage.
package trace
