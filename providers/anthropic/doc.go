// Package anthropic speaks Anthropic's own API, POST /v1/messages. Its OpenAI endpoint has neither prompt caching nor
// thinking that can be sent back.
//
// Start with [New]:
//
//	m, err := anthropic.New(anthropic.Config{Name: "claude-sonnet-4-5", Key: key})
//
// # What is cached
//
// The service caches a request up to marks in it, at most four, and reads back the longest marked beginning that it
// knows, looking for an earlier mark at most twenty blocks before each. A request marks
//
//   - the end of its tools and its system prompt, which no step of a run changes;
//   - the digest of what was evicted, if there is one: it stays until the next compaction;
//   - the newest message, which the next request extends;
//   - the message that was newest in the request before it, so that this one is found.
//
// If more than eighteen blocks lie between the last two, as after many parallel calls, a mark eighteen blocks behind
// the older one takes the place of the digest's.
//
// # Thinking
//
// Thinking blocks and their signatures are the provider data of an answer, with their order among its texts and calls,
// and return byte for byte. They are valid only behind the bytes that they were issued for; the window shows them
// only there. Request.ReasoningEffort turns thinking on: with a budget of tokens, or, for models from version 4.6 on,
// with an effort. The service then accepts no temperature but 1, so none is sent, and cannot be forced to call a tool,
// so [providers.Required] is an error of class [providers.Invalid].
//
// Models from Claude 5.1 on always think, and their service compares what is before a block of thinking with what it
// was issued for. A request asks it to drop a block that fails (block_binding) in place of refusing all, with the beta
// header that this takes. The window lets none fail; Config.Notify hears of one that does.
//
// # What the service lacks
//
// It has no seed: a request with one fails with class [providers.Invalid]. An answer needs a maximum length; without
// Request.MaxOutput it is that of the model, or 8,192 tokens.
//
// The source is docs.anthropic.com/en/api/messages, with its pages on streaming, prompt caching, extended thinking,
// structured outputs and errors.
package anthropic
