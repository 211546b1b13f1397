// Package providers is the contract between the runtime and a language model: what a request holds, how an answer
// comes, and what can be done about an error.
//
// A Model has two methods. Info says what it is, Stream sends a Request and yields the answer as Deltas. Asking without
// a stream is Ask, which drains one. Each dialect has a package of its own below this one; this package knows none.
//
// # How an answer comes
//
// Text and reasoning come in pieces as the model makes them. Calls come whole and in the model's order, then at most one
// opaque part, at most one usage, and Finish last. An answer that ends without Finish is not whole, and is an error.
// Ids of calls are the service's, unless it gives none or one that the conversation has already: then they are made by
// CallID from step and index, never from the clock, so that the same run has the same ids.
//
// Arguments are delivered even when they did not parse, as a JSON string of what the model wrote (see Arguments): the
// loop can answer such a call with an error, and the log can store it.
//
// # Structured output
//
// A Request with a Schema asks for an answer whose text is one JSON object that follows it. Models whose Info says
// StructuredOutput have it from their service: the dialect sends the schema the service's way, and the text comes as
// any text does, in pieces. For other models the caller asks with a tool instead; a dialect that cannot send a Schema
// fails with class Invalid and never drops it. A finish other than Stop leaves the object unfinished, and calls may
// come in its place, so a caller validates what came.
//
// # How errors are told apart
//
// Every error of a Model is an *Error whose Class is the decision: stop, wait, shrink, try again. Overflow is read from
// the sentences of the services (ParseOverflow), for most have no code for it. The end of the caller's context is
// Cancelled and nothing else is: a time limit of the transport is Network. No error holds a key: dialects over HTTP make
// theirs with a Reporter, and read their addresses with ParseBase.
//
// # How a model becomes reliable
//
// A layer is a Model around another, the same for all: Retry, Concurrent, RateLimit, Breaker, Timeouts, Fallback, and a
// Meter's Watch. Each passes an answer on as it comes: its deltas in their order, an error last, and when the caller
// breaks off the request within is over. None tries anything again once a delta has come, for the caller has seen it;
// the loop does that, for it knows that no tool has run yet. From within, the order is
//
//	Watch → Timeouts → Concurrent → RateLimit → Breaker → Retry → Fallback
//
// (see the example Layers): a place is held by what is under way and not by what waits, a breaker sees each try, and an
// open one is passed on at once to Fallback. Time is that of the package time, which testing/synctest knows, and
// randomness comes in by RetryOptions.Rand.
//
// # What a model wants back
//
// Reasoning models want parts of their answers back unchanged: encrypted reasoning that stands between the calls it led
// to, signatures on calls or on text. Text and Calls cannot say where these stood. So an assistant message has one
// Opaque, and its Data is the dialect's own list of what the answer held, in order, as the service wrote it: text and
// calls included, where their place among the other parts matters. Encoders for the Responses form (reasoning items
// between function calls) and the Gemini form (signatures on parts, also on an empty one at the end) were written
// against this and tried on random orders; every list came back byte for byte, also after the message was stored as
// JSON. The rules for a dialect that keeps such parts:
//
//   - Data stands for the message when Dialect and Model are its own, and reading Data again gives the Text and Calls
//     of the message: the same names and arguments, and the same ids where the dialect has ids. Otherwise, the message
//     is written from Text and Calls alone. Any edit drops Opaque; this check also finds an edit that forgot to.
//   - What has a meaning only together with the rest is in Data alone: ids of items, phases, signatures. Written from
//     Text and Calls, a message must not name an item whose reasoning is gone, for services refuse that. Where a service
//     wants a signature, as Gemini 3 does with the first call of a step, its documented stand-in goes there.
//   - ToolCall.ID is the id that the result names (call_id), not the id of the item.
//   - A stream is kept part by part. Pieces of one text may be joined; a part with a signature is joined with nothing,
//     and an empty part with a signature is kept.
//   - Tokens estimates what Data adds to the request beyond Text and Calls, which are counted anyhow.
//   - A dialect that needs only additions, as chat does, keeps only these, by the index of their call.
//
// # Invariants
//
// providertest.Run holds them: the form of the stream, what is delivered when an answer breaks off, that cancelling and
// breaking off are prompt and leave nothing behind, that requests are not modified.
package providers
