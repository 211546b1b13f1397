// Package openai asks models in the chat dialect of OpenAI (POST /chat/completions, streamed), which many servers
// speak: OpenAI, DeepSeek, OpenRouter, Groq, Mistral, vLLM, SGLang, llama.cpp, Ollama, LM Studio, and the compatible
// endpoints of Anthropic and Gemini.
//
// It stands on github.com/sashabaranov/go-openai, whose client and reader of streams it uses, and makes good what they
// lose. TestStreamTraps shows each loss beside the remedy.
//
//   - The request is written here (request.go): the library leaves out empty and zero values, drops fields that it does
//     not know, and refuses some names of models that belong to other servers.
//   - The answer passes an exchange and its events (exchange.go, events.go) before the library sees it: errors inside a
//     stream, web pages, JSON in place of a stream, keep-alives without end, and last lines without their end all look
//     like something else to the library.
//   - Its chunks are decoded here (chunk.go): reasoning and signatures have fields that the library drops.
//
// # What goes to the server
//
// Results without text say "(no output)". A choice is sent only with tools. Arguments that were no JSON object are sent
// back inside one, as "unparsed_arguments": servers that render calls with the model's template refuse anything else.
// Request.Schema is sent as strict; a server that cannot follow it so says why. Redirects are not followed.
//
// # What comes back
//
// The opaque part holds what a server wants again, beside text and calls: reasoning of a message with calls (DeepSeek,
// Moonshot), reasoning_details (OpenRouter), extra_content of calls (Gemini's signatures). It goes back to the same
// model only.
//
// An answer needs a finish reason; [DONE] alone is not enough. A server that reports exactly Info.Window input tokens
// has cut the request, as Ollama does without a word: that is an error of class Overflow.
//
// # Secrets
//
// The key and the values of extra headers are taken out of every text that a server sends before it becomes part of an
// error, and a Config or Model that is printed does not show them.
//
// # Figures
//
// BenchmarkRequest and BenchmarkChunks, on one connection of a machine with two cores: 66 µs a request, of which the
// most is net/http's, and 3 µs a piece.
package openai
