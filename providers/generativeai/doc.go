// Package generativeai asks models of Gemini 2.x and older over github.com/google/generative-ai-go, which its authors no
// longer support. providers/gemini is the one to take; this one is for those who have to stay with the older library.
//
// # What the library cannot carry
//
//   - Thought signatures: a model that wants them back, of Gemini 3 and later, is refused by New, which names the other
//     package. There are no opaque parts.
//   - Thoughts: it takes them for text, so that they are taken out before it sees them; none is shown. How a model
//     thinks cannot be configured. Usage has them in its output: the total less the prompt.
//   - Ids of calls in requests: results follow their calls by their place.
//   - JSON schema: schemas are translated to the service's own form (schema.go). References are resolved, null and
//     enums of texts are kept; of a union the first alternative is, and limits, patterns and additionalProperties are
//     left out.
//   - Numbers of arguments beyond 2^53, when a call is sent again. What comes is whole: arguments reach the caller as
//     the model wrote them.
//   - The count of a conversation: Count takes one message and refuses more.
//   - The usage of a blocked prompt.
//
// # How the rest is made good
//
// An exchange stands under the library (exchange.go, rewrite.go). It puts the key into its header and takes it out of
// the URL, asks for events, has them read by providers/geminiwire, with more care than the library's, and hands them up
// as the list that the library wants, with ids and arguments packed where they survive it, and with finish reasons that it knows and
// makes no error of. Errors of the service never reach the library, which would try some requests again by itself.
//
// The library's client would also call the service over gRPC as soon as it is made, for caches that nobody asked for,
// and never end: it gets a pool without connections. TestNewCallsNobody listens.
//
// Addresses, finishes and errors are those of geminiwire; the rules for messages and results are those of providers/gemini.
//
// # Figures
//
// BenchmarkChunk, BenchmarkChunkOfLibrary and BenchmarkRequest, on one connection of a machine with two cores that
// others used as well, the best of several runs: 16 µs a piece of 180 bytes, where the library alone takes 12, and 200 µs
// a request. The library
// joins all pieces again with each piece, so that a long answer costs with the square of its length.
package generativeai
