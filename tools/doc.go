// Package tools is what a model may call: typed functions with a schema.
//
// Start with [New], which makes a tool of a function, and [NewSet], which gathers the tools of an agent.
//
// # How a call runs
//
// The type of a function's argument is the schema, and its tags are the descriptions. [NewSet] compiles the
// schemas once and refuses what a model could not call. A runtime then takes four steps:
//
//	call {name, args}
//	   │ Set.Lookup     unknown name: Set.Nearest has the closest tool
//	   │ Set.Validate   *ArgumentError: every violation with its JSON pointer
//	   │ Tool.Call      error: text for the model; *Problem says what to try
//	   ▼ Render         (kind, text) for toollimit.Truncate
//
// A slow tool counts its work with [CountProgress], and the runtime reads the [Progress] of the call
// whenever it likes.
//
// [AnswerOf] uses the same schemas for the answer of a model: a form that services enforce, and a check of
// the result.
//
// # Invariants
//
//   - Equal types have equal schemas, byte for byte.
//   - Call decodes what [Set.Validate] accepts, and both refuse unknown fields. Three things only Call can
//     check: the syntax of a type that decodes itself from text, integers beyond 64 bits, and bytes in
//     base64.
//   - [Render] never panics, whatever the value does.
//   - Progress is no part of a result.
//   - A [Set] is immutable and safe for concurrent use.
//
// New panics on a type that no JSON object can fill: that is a programmer's mistake. Arguments come from a
// model. They never panic, and each way to be wrong has a sentence that says what is allowed.
package tools
