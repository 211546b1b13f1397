// Package otel makes OpenTelemetry spans and metrics of the events of runs.
//
// Start with [New] and [Observer.Observe], which passes events on, so that an agent and its loop know nothing of
// OpenTelemetry:
//
//	observer, err := otel.New(otel.Config{})
//	run := otel.Run{Conversation: "ticket 7"}
//	for e, err := range observer.Observe(ctx, run, func(ctx context.Context) iter.Seq2[agent.Event, error] {
//		return a.Stream(ctx, task)
//	}) { … }
//
// The package imports the API of OpenTelemetry only. A program chooses the SDK and its exporter; without one, spans
// and metrics cost next to nothing.
//
// # Spans
//
//	invoke_agent NAME       a run; its sub-agents' runs are below the calls that started them
//	├─ compact              the window was made to fit: level, tokens before, after and invalidated, reasoning lost
//	├─ chat MODEL           a request to the model; one that is repeated has a span of its own
//	├─ execute_tool NAME    a call
//	│  └─ invoke_agent NAME a sub-agent
//	└─ summarize            a request to the summarizer
//
// The span of a run sums up its own requests in this process: those of a sub-agent are in its own span.
//
// A run that another process resumes is another trace, whose invoke_agent span links to that of the process which
// began the run: its session keeps the context of that span.
//
// # Conventions
//
// Names that begin with gen_ai follow github.com/open-telemetry/semantic-conventions-genai at commit
// 6fd0d763a092db245a54104fc1124031eb3c51d2 of 9 October 2026, when all of them were in development. Those that begin
// with foray are our own: the conventions have no names for compactions, cache shares and costs. docs/traces.md lists
// all of them.
//
// # Content
//
// Prompts, answers, arguments and results are left out unless [Config].Content is set. Then credentials in them are
// masked, and each text is cut after 8,192 characters. Names of tools and models, sizes, and classes of errors are
// always there; texts of errors are content.
package otel
