// Package gemini asks models in the Gemini dialect (POST v1beta/models/NAME:streamGenerateContent), which Google's
// service speaks and proxies imitate.
//
// What is the same whichever library speaks the dialect is in providers/geminiwire: addresses, events, finish reasons,
// errors. This package stands on google.golang.org/genai, whose client it uses: URLs, the header of the key, the reading
// of streams as far as events, counting, embeddings. It makes good what the library loses. TestStreamTraps shows each
// loss beside the remedy.
//
//   - The request is written here (request.go) and handed to the library by its own hook for that. The library takes
//     everything through map[string]any: integers beyond 2^53 become others, and schemas and arguments are reordered.
//   - The answer passes an exchange (exchange.go) and its events before the library sees it. Comments, other line ends,
//     a list in place of events, web pages, and answers that break off look like something else to the library, and it
//     panics on JSON of another form. What it gets is an empty event for each, as the clock of the stream.
//   - Events are decoded here (answer.go): the library drops parts that it does not know, and takes longer.
//   - The library asks again by itself for an answer that is to be continued: that is turned off. It prints errors and
//     warnings of its own: none comes that far, but for one line when GOOGLE_API_KEY and GEMINI_API_KEY are both set,
//     which New cannot keep it from. Neither is used.
//
// # What goes to the service
//
// Neighbours of one role are one content. Empty texts are left out; a result without text is an empty response, one that
// failed has its text under "error", any other under "output". A result repeats the id that its call has on the wire,
// and none where the service gave none. Schemas of tools go as parametersJsonSchema, as they are, and Request.Schema as
// responseJsonSchema; SchemaName has no place. Gemini 2.x refuses a schema of the answer beside tools, and says so. A
// choice is sent only with tools, None among them, so that tools stay defined while the conversation holds calls.
// Arguments that were no JSON object are sent back inside one, as "unparsed_arguments". Nothing is sent that Config does
// not ask for: thinking, safety, temperature. Redirects are not followed.
//
// # What comes back
//
// The opaque part is the list of the answer's parts, with their signatures, as the service wrote them, when one of them
// says more than text and calls do. It goes back to the same model only, and only with the text and the calls that it
// holds. Where it is missing, the first call of a message to a model of Gemini 3 carries the value that the service's
// documentation gives for that. Ids are made where the service has none.
//
// Answers and prompts that the service withheld are answers with the finish Filtered; calls that it could not read are
// errors of class Transient. An answer needs a finish reason, or the reason why its prompt was blocked. Usage counts
// thoughts as output, and what the service's own tools read as input.
//
// # Secrets
//
// The key goes into a header. It is taken out of every text that a service sends before it becomes part of an error,
// and a Config or Model that is printed does not show it.
//
// # Figures
//
// BenchmarkChunk, BenchmarkChunkOfLibrary and BenchmarkRequest, on one connection of a machine with two cores that
// others used as well, the best of several runs: 9 µs a piece of 300 bytes, where the library alone takes 24, and 105 µs
// a request, of which the most is net/http's.
package gemini
