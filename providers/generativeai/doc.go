// Package generativeai asks models of Gemini 2.x and older through github.com/google/generative-ai-go, which its
// authors no longer support. Prefer package gemini; this one is for users who must stay with the older library.
//
// Start with [New].
//
// # What the library cannot carry
//
//   - Thought signatures: [New] refuses models that want them back (Gemini 3 and later) and names package gemini.
//     Messages have no provider data.
//   - Thoughts: the library takes them for text, so they are removed before it sees them. How a model thinks
//     cannot be configured. Usage includes thoughts in the output: the total minus the prompt.
//   - Request.Seed and Request.ReasoningEffort, which are errors of class Invalid.
//   - Ids of calls in requests: results match their calls by position.
//   - JSON schema: schemas are translated to the service's own form (schema.go). References are resolved, null
//     and enums of strings survive, a union becomes its first alternative, and limits, patterns and
//     additionalProperties are dropped.
//   - Numbers beyond 2^53 in the arguments of a call that is sent again. Arguments arrive as the model wrote them.
//   - The token count of a conversation: [Model.Count] accepts one message.
//   - The usage of a blocked prompt.
//
// # How the rest works
//
// An exchange below the library (exchange.go, rewrite.go) moves the key from the URL into a header, asks for
// events, and hands them up as the list that the library expects, with ids and arguments packed where they
// survive and with finish reasons that the library knows. Errors of the service never reach the library, which
// would retry some requests by itself.
//
// The library would also connect over gRPC as soon as it is created, for caches that nobody asked for. It gets a
// pool without connections; TestNewCallsNobody listens.
//
// # Figures
//
// BenchmarkChunk, BenchmarkChunkOfLibrary and BenchmarkRequest, one connection on two shared cores, best of
// several runs: 16 µs a piece of 180 bytes (12 µs with the library alone) and 200 µs a request. The library joins
// all pieces again with each piece, so a long answer costs the square of its length.
package generativeai
