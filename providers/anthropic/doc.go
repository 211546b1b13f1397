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
// If more than eighteen blocks lie between the last two, as after many parallel calls, a mark eighteen blocks after
// the older one takes the place of the digest's.
//
// # Thinking
//
// Thinking blocks and their signatures are the provider data of an answer, with their order among its texts and calls,
// and return byte for byte. They are valid only after the bytes that they were issued for; the window shows them
// only there. Request.ReasoningEffort turns thinking on: with a budget of tokens, or, for models from version 4.6 on,
// with an effort. The service then accepts no temperature but 1, so none is sent, and cannot be forced to call a tool,
// so [providers.Required] is an error of class [providers.Invalid].
//
// Models from Claude 5.1 on always think, and their service compares what is before a block of thinking with what it
// was issued for. A request asks it to drop a block that fails (block_binding) in place of refusing all, with the beta
// header that this takes. The window lets none fail; Config.Notify hears of one that does.
//
// # Compaction
//
// With Config.Compact, a request asks the service to summarise the conversation itself from so many input tokens on
// (beta compact-2026-01-12, Claude from 4.6). The summary is a block in front of the answer: provider data, kept byte
// for byte at its place, with [transcript.ProviderData].Compacts. The service ignores what precedes the newest block,
// so that requests begin with it; the system prompt stays cached. Only this model is sent it: another model gets all
// that was said, and so does this one without Config.Compact, because the service then refuses such blocks. The usage
// is the sum of the service's passes (iterations), with what it read to summarise in Usage.Compacted. A summary that
// failed has no content and is left out, and Config.Notify hears of it. The service can also compact on demand, in a
// request of its own (beta compact-2026-09-04); this package does not ask for that.
//
// # What the service lacks
//
// It has no seed: a request with one fails with class [providers.Invalid]. An answer needs a maximum length; without
// Request.MaxOutput it is that of the model, or 8,192 tokens.
//
// The source is docs.anthropic.com/en/api/messages, with its pages on streaming, prompt caching, extended thinking,
// structured outputs and errors; for compaction platform.claude.com/docs/en/build-with-claude/compaction-threshold of
// September 2026 and the types of anthropic-sdk-go v1.84.0.
package anthropic
