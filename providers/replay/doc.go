// Package replay records the answers of a model and replays them without a network or a key.
//
// Start with [Record], which writes answers, and [Open], which makes a model from them.
//
// # How a request is found
//
// A recording is a file of JSON lines, one for each answer. Each line is self-contained, so files can be
// joined and lines removed. The key of a line is a hash of what the model sees: system prompt, messages,
// tools, tool choice, output limit, schema and sampling. JSON counts by its value, not its spelling. The Kind
// and Origin of messages, which only the runtime sees, do not count; nor does the model that is asked. A
// request that repeats gets its recordings in order. A request that is not recorded is an error of class
// Invalid that says how it differs from the most similar one; for this, a line keeps a hash of each field.
//
// # What a recording contains
//
// Answers as they arrived: each delta, byte for byte, and the error that ended them. Of requests it contains
// hashes and tool names. It never sees the headers or key of a provider. Answers that the caller cut short
// are left out.
//
// Put Record outside the layers of package providers, so that it records what the caller received and a
// replay does not wait. A replay costs nothing, so put no meter around it.
//
// # Invariants
//
// The replayed deltas equal the recorded ones. Each line is written in one call of Write and flushed. An
// incomplete last line, left by a writer that was interrupted, is ignored and reported by [Model.Warning];
// any other line that does not parse is an error that names it.
package replay
