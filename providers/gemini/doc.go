// Package gemini asks models in the Gemini dialect (POST v1beta/models/NAME:streamGenerateContent), which
// Google's service speaks and proxies imitate.
//
// Start with [New].
//
// # What the library does
//
// The package uses the client of google.golang.org/genai for URLs, the key's header, streams, counting and
// embeddings. It does itself what the library would lose; TestStreamTraps shows each loss next to the remedy:
//
//   - It writes the request (request.go) and passes it through a hook of the library. The library's own encoding
//     through map[string]any changes integers beyond 2^53 and reorders schemas and arguments.
//   - It reads the stream (exchange.go) and hands the library an empty event for each real one. The library
//     mistakes comments, other line ends, lists, web pages and broken streams, and panics on other JSON.
//   - It decodes the events (answer.go), because the library drops parts that it does not know.
//   - It turns off that the library continues answers by itself, and keeps errors away that the library would
//     print. One line remains: [New] cannot stop the library from warning when GOOGLE_API_KEY and
//     GEMINI_API_KEY are both set. Neither is read.
//
// # Requests
//
// Consecutive messages of one role become one content. Empty texts are left out. A result's text is under
// "output", or under "error" if the call failed, and repeats the id of its call if the service gave one. Tool
// schemas are sent unchanged as parametersJsonSchema, and the schema of the answer as responseJsonSchema; its
// name has no place. Gemini 2.x refuses a schema of the answer with tools, and says so. Tool choices are sent
// only with tools, including None, so that tools stay defined while the conversation contains calls. Arguments
// that were not a JSON object are sent inside one, as "unparsed_arguments". Redirects are not followed.
//
// # Answers
//
// Provider data is the list of the answer's parts with their signatures, as the service wrote them, if a part
// says more than text and calls. It goes back only to the same model, and with the text and calls it came with.
// Without it, the first call of a message to a Gemini 3 model carries the documented placeholder.
//
// An answer or prompt that the service withheld is an answer with the finish [providers.Filtered]. Calls that the
// service could not parse are errors of class Transient. An answer needs a finish reason, or the reason why its
// prompt was blocked. Usage counts thoughts as output, and the input of the service's own tools as input.
//
// # Secrets
//
// The key is sent in a header. It is removed from every text of a service before it becomes part of an error, and
// a printed [Config] or [Model] does not show it.
//
// # Figures
//
// BenchmarkChunk, BenchmarkChunkOfLibrary and BenchmarkRequest, one connection on two shared cores, best of
// several runs: 9 µs a piece of 300 bytes (24 µs with the library alone) and 105 µs a request, mostly net/http's.
package gemini
