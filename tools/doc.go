// Package tools is what a model may call: a typed function with a schema.
//
// # How a call goes
//
// New makes a Tool from a function of a struct: the struct's type is the schema, its tags the descriptions. NewSet
// gathers tools, compiles their schemas once and refuses what a model could not call. A runtime looks a call up with
// Set.Lookup, checks its arguments with Set.Validate, calls Tool.Call, and renders the value with Render.
//
//	call {name, args}
//	   │ Set.Lookup     unknown → Set.Nearest names the closest tool
//	   │ Set.Validate   *ArgumentError: every violation with its JSON pointer
//	   │ Tool.Call      error → told to the model; *Problem says what to try
//	   ▼ Render         (kind, text) for toollimit.Truncate
//
// A tool that takes long begins a Count with Counting and adds to it as it goes; the runtime reads the Gauge of the call
// when it likes, and only while the call is under way.
//
// AnswerOf uses the same schema for the answer of a model: a form that services hold it to, and the check of what came.
//
// # Invariants
//
//   - The bytes of a schema depend on the type only: equal types give equal schemas.
//   - What Set.Validate accepts, Call decodes; unknown fields are refused by both.
//   - Render never panics, whatever the value does.
//   - What is counted is no part of a result: a call gives the same whether or not anybody looks.
//   - A Set does not change after NewSet and is safe for concurrent use.
//
// A tool's function is a programmer's: New panics on a type that no JSON object can fill. A call's arguments are a
// model's: they never panic, and each way to be wrong has a sentence that says what is allowed.
package tools
