// Package openai asks models in the forms of requests and answers that OpenAI made, streamed, on two wires.
//
// Responses (POST /responses) is the wire for api.openai.com, whose newer models refuse tools together with reasoning on
// the other one. Chat (POST /chat/completions) is the wire that nearly every server speaks: DeepSeek, OpenRouter, Groq,
// Mistral, Together, vLLM, SGLang, llama.cpp, Ollama, LM Studio, and the compatible endpoints of Anthropic and Gemini.
// Endpoints is the table of the servers that are known, with their addresses, keys, wires and quirks; New takes wire and
// quirks from it by the address of the server, and Endpoint.Config makes a Config for one by its name. So does Info: where
// the table knows it, it says that the service holds its models to a schema, and what it asks of messages.
//
// # What is the library's
//
// The package stands on github.com/sashabaranov/go-openai: its client makes the HTTP requests of both wires and of
// embeddings, its reader parts the streams, its types carry what they can. What it would lose is done here:
//
//   - Requests are written here (chatrequest.go, responsesrequest.go): the library leaves out empty and zero values, so
//     also a store that is false, drops fields that it does not know, writes items of the service anew, and refuses some
//     names of models that belong to other servers.
//   - The answer passes an exchange and its events (exchange.go, events.go) before the library sees it: errors inside a
//     stream, web pages, JSON in place of a stream, keep-alives without end, and last lines without their end all look
//     like something else to the library. TestStreamTraps shows each loss beside the remedy.
//   - Events are decoded here (chunk.go, responsesanswer.go, responsesitems.go): reasoning and signatures have fields that the library
//     drops, and an item has to stay the bytes that it was.
//   - Vectors are the library's, from a body that was looked at first.
//
// # What goes to the server
//
// Results without text say "(no output)". A choice is sent only with tools. Arguments that were no JSON object are sent
// back inside one, as "unparsed_arguments": servers that render calls with the model's template refuse anything else.
// Request.Schema is sent as strict, except where the quirks say that the server cannot; tools are not strict. On the
// responses wire the service is told to store nothing and to give reasoning encrypted, which models that do not reason
// refuse to be asked (see withoutReasoning), and the limit of an answer is at least 16 tokens. Input comes last, so that
// requests of one conversation extend each other. Redirects are not followed.
//
// # What comes back
//
// The opaque part holds what a server wants again, beside text and calls. On the chat wire: reasoning of a message with
// calls, in the server's field (DeepSeek, Moonshot, Ollama, vLLM), reasoning_details (OpenRouter), extra_content of calls
// (Gemini's signatures). On the responses wire: the items of the answer in their order, byte for byte, when there is
// reasoning among them that can be handed back, or a phase; not of an answer that was cut, and not once text or calls of
// the message are others. Everything else is written from text and calls, and names no item. An opaque part goes back on
// its wire and to its model only. Texts of several messages in one answer are paragraphs.
//
// An answer on the chat wire needs a finish reason, [DONE] alone is not enough; one on the responses wire ends with
// response.completed, incomplete or failed, whatever the connection does then.
//
// # Ollama
//
// Ollama cuts a request to the window it runs the model with (num_ctx, OLLAMA_CONTEXT_LENGTH), says nothing, and counts
// exactly that many input tokens. A server that counts exactly Config.Window, else Info.Window, input tokens is taken to
// have done that: an error of class Overflow. Where neither is set nothing can be noticed.
//
// # Secrets
//
// The key goes into one header and nowhere else. It and the values of extra headers are taken out of every text that a
// server sends before it becomes part of an error, and a Config or Model that is printed does not show them. Plain HTTP
// is for this machine only, unless AllowHTTP says otherwise; a client that does not verify certificates is refused.
//
// # Figures
//
// BenchmarkRequest, BenchmarkChunk and TestManyStreams, on a machine with two cores that others used too: 95 to 120 µs a
// request, of which the most is net/http's, 4 to 5 µs a piece of an answer, and with 1,000 streams at once 68 KB a
// stream, the server's side included.
package openai
