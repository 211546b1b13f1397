// Package providers is the contract between the runtime and a language model: what a request holds, how an
// answer arrives, and what can be done about an error.
//
// Start with [Model] and [Ask]. To open a model by name, use package catalog. Each dialect is a package below
// this one; this package imports none of them.
//
// # Answers
//
// Text and reasoning arrive in pieces. Calls arrive whole and in the model's order, then at most one piece of
// provider data, at most one [Usage], and [Finish] last. A slow server may report its [Reading] of the request
// before. An answer that ends without Finish is an error.
//
// The service names its calls. A call without an id, or with one that the conversation has already, gets one
// from [CallID], which counts steps and calls and never reads a clock, so that a replay has the same ids.
//
// Arguments that do not parse are delivered too, as a JSON string (see [Arguments]): the loop can answer such a
// call with an error, and the log can store it.
//
// # Structured output
//
// A [Request] with a Schema asks for one JSON object as the answer's text, which still arrives in pieces. The
// service enforces the schema if [Info] says StructuredOutput. For other models, ask with a tool instead. A
// dialect that cannot send a Schema fails with class [Invalid]; it never drops one. Callers validate the object:
// any finish but [Stop] leaves it incomplete, and the model may answer with calls.
//
// # Errors
//
// Every error of a Model is an [*Error] whose [Class] is the decision: stop, wait, shrink, or try again. The end
// of the caller's context is [Cancelled]; time-outs of the transport are [Network]. No error contains a key.
//
// # Bounds
//
// A service may not end its answer, by mistake or on purpose. Every dialect ends an answer with class [TooLong], after
// what had arrived, that exceeds 8 MB of text and reasoning, 4 MB for a call, 512 calls, 8 MB for one event, 100,000
// values in an event, 300,000 events or 128 MB after decompression. Embed takes 256 KB for a vector. [Bound] bounds
// tokens and time.
//
// # Layers
//
// A layer is a Model around another: [Retry], [Concurrent], [RateLimit], [Breaker], [Timeouts], [Bound], [Fallback] and
// [Meter.Watch]. It passes an answer on as it arrives, and ends the inner request when the caller breaks off. No
// layer tries again after the first delta other than a [Reading], because the caller has seen it; the loop does,
// because it knows that no tool has run. The order, from the inside out, is
//
//	Watch → Timeouts → Bound → Concurrent → RateLimit → Breaker → Retry → Fallback
//
// so that a request waiting for its next try holds no slot, the breaker sees each try, and Fallback learns at
// once that a breaker is open. See the Layers example.
//
// # Provider data
//
// Reasoning models want parts of their answers back unchanged: encrypted reasoning between the calls it led to,
// signatures on calls or on text. Text and Calls cannot express these positions. So an assistant message has
// [transcript.ProviderData], whose Data is the dialect's own list of what the answer held, in order, as the
// service wrote it. The rules for a dialect with provider data:
//
//   - Data replaces the message if Dialect and Model match and Data still yields the message's Text and Calls.
//     Otherwise the message is written from Text and Calls. An edit drops the provider data; this check also
//     catches an edit that forgot to.
//   - Item ids, phases and signatures live in Data only, because they mean nothing without the rest. A message
//     written from Text and Calls must not name an item whose reasoning is lost: services refuse that. A service
//     that demands a signature, as Gemini 3 does, gets its documented placeholder.
//   - ToolCall.ID is the id that the result names (call_id), not the id of the item.
//   - Parts stay separate. Pieces of one text may be joined; a part with a signature is never joined, and an
//     empty part with a signature is kept.
//   - Tokens estimates what Data adds to the request beyond Text and Calls.
//   - A dialect that only needs additions, as chat does, keeps only these, by the index of their call.
//
// # Invariants
//
// providertest.Run checks them: the order of the stream, what arrives when an answer breaks off, that cancelling
// is prompt and leaks nothing, and that requests are not modified.
package providers
