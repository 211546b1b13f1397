// Package openai asks models over the two wires that OpenAI made, always streamed.
//
// Start with [New]. Package catalog makes the [Config] of a service from its name.
//
// [Responses] (POST /responses) is the default for api.openai.com, whose newer models refuse tools with reasoning
// on the other wire. [Chat] (POST /chat/completions) is the default elsewhere; nearly every server speaks it:
// DeepSeek, OpenRouter, Groq, Mistral, Together, vLLM, SGLang, llama.cpp, Ollama, LM Studio, and the compatible
// endpoints of Anthropic and Gemini. [Quirks] describe how such a server differs.
//
// # What go-openai does
//
// This package uses the types of github.com/sashabaranov/go-openai where they carry everything that is sent, and
// owns the exchange: it sends requests and reads streams itself. The library's client cannot, because
//
//   - its requests leave out empty and zero values, such as a store that is false, drop unknown fields, rewrite
//     items of the service, and refuse model names that belong to other servers;
//   - its stream reader loses errors inside a stream, and misreads web pages, plain JSON, long keep-alives and
//     missing line ends. TestStreamTraps shows each case in both readers;
//   - its events lack the fields for reasoning and signatures, and an item must keep its exact bytes.
//
// # Requests
//
// A result without text is sent as "(no output)". Tool choices are sent only with tools. Arguments that were not
// a JSON object are sent inside one, as "unparsed_arguments", because servers that render calls with the model's
// template refuse anything else. [providers.Request] Schemas are strict, unless the quirks rule them out; tools
// are not strict. Fields that a wire lacks, such as Stop and Seed on Responses, are errors of class Invalid.
//
// On the responses wire the service stores nothing and returns reasoning encrypted. The output limit is at least
// 16 tokens. The input comes last, so that the requests of a conversation extend each other. Redirects are not
// followed.
//
// # Answers
//
// Provider data holds what a server wants back in addition to text and calls. On the chat wire: reasoning of a
// message with calls, in the server's field; reasoning_details (OpenRouter); extra_content of calls (Gemini's
// signatures). On the responses wire: the items of the answer in order, byte for byte, if they include encrypted
// reasoning or a phase. Provider data goes back only on its own wire, to its own model, and with the text and
// calls it came with. An answer that was cut off has none.
//
// A chat answer needs a finish reason; [DONE] alone is not enough. A responses answer ends with
// response.completed, incomplete or failed, whatever the connection does afterwards. Several messages in one
// answer become paragraphs.
//
// # Compaction
//
// With Config.Compact, a request on the responses wire asks the service to compact the conversation once it has so
// many input tokens (context_management). The service does so in the midst of an answer. Its encrypted item is part
// of that answer's provider data, byte for byte at its place, with [transcript.ProviderData].Compacts. A request
// begins with the newest such item: what precedes it may be left out. The item is bound to the server and the key, as
// encrypted reasoning is. Everybody else is sent all that was said, and so is this model without Config.Compact. The
// service counts no passes, so that Usage.Compacted is all of the input of such an answer: it measures no request. An
// answer whose calls precede the item does not count as one that compacts, because the calls must stay with their
// results. The documentation names no models; [New] refuses those that do not reason. The endpoint
// /responses/compact, which compacts in a request of its own, is not used.
//
// The source is developers.openai.com/api/docs/guides/compaction, OpenAI's OpenAPI description 2.3.0 of 21 August 2026
// and the types of openai-go v3.98.0.
//
// # Ollama
//
// Ollama truncates a request to its window (num_ctx, OLLAMA_CONTEXT_LENGTH) without an error, and reports exactly
// that many input tokens. So an answer that counts exactly Config.Window input tokens, or Config.Info.Window, is
// an error of class Overflow. Without either, truncation goes unnoticed.
//
// # Secrets
//
// The key is sent in one header. The key and the values of extra headers are removed from every text of a server
// before it becomes part of an error, and a printed Config or [Model] does not show them.
//
// # Figures
//
// BenchmarkRequest, BenchmarkChunk and TestManyStreams, measured on two shared cores: about 100 µs a request,
// mostly net/http's, 5 µs a piece of an answer, and 68 KB for each of 1,000 concurrent streams, server included.
package openai
