// Package replay records the answers of a model and gives them again, with no network and no key: Record writes them
// down, Open makes a model of what was written.
//
// # How a request is found again
//
// A recording is a file of JSON lines, one an answer, each whole in itself, so that files can be joined and lines taken
// out. A line is found by its key, a hash of what the model is told: system prompt, messages, tools, choice, longest
// answer and schema. JSON counts by what it says and not by its spelling. What a message is to the runtime alone, its
// Kind and Origin, does not count, nor which model is asked. The same request asked several times gets its recordings
// in their order. A request that is not recorded is an error of class Invalid that says what differs from the nearest
// one: for this a line keeps a hash of each field.
//
// # What a recording holds
//
// The answers as they came: each delta, byte for byte, and the error that ended them. Of requests it holds hashes and
// the names of tools, and it never sees the headers and the key of a provider. What the caller himself cut short, by
// the end of his context or by breaking off, is not an answer of the model and is left out.
//
// Record stands outside the layers of the package providers: then a recording holds what the caller was answered and
// not how often it was tried, and its replay waits for nothing. A replay costs nothing, whatever its Info says: no meter
// belongs around it.
//
// # Invariants
//
// What Open's model yields equals what the recorded model yielded. Each line is written with one call of Write, and
// flushed. A last line that is torn, because the writer ended in the middle of it, is left out and told by Warning; any
// other line that does not read is an error that names it.
package replay
