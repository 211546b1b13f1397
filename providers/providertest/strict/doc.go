// Package strict is a fake service that binds reasoning to its prefix, as the newest models do.
//
// Start with [New]. A [Service] remembers the request that each of its answers was made for. It refuses an answer's
// provider data with status 400 once a byte before it has changed, once the answer itself has, or if it did not issue
// the data. [Service.Refused] and [Service.Kept] count what it saw.
//
// A compaction by the service may come first, in place of the request that it was issued for: what it replaced does not
// count.
//
// [New] makes a [providers.Model] for tests in one process. [Service.Handler] does the same for a server on the wire:
// chat completions and responses (OpenAI), messages (Anthropic) and generateContent (Gemini).
package strict
