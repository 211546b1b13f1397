// Package fuzz plays random operations on windows and counts violations of the window's invariants.
//
// Start with [Run]; it returns a [Report]. A round plays every profile at budgets from 500 to 200,000 tokens with one
// seed, 80 operations each; large budgets are not in every round. Operations are turns of one to six parallel calls
// with results of any kind and size, user messages, notes, observed counts, refused requests, resets, other system
// prompts, rewinds and reloads, some of them while the model answers. The texts
// are code, prose, Chinese, emoji, JSON, single long lines, and bytes that are not UTF-8. Round 0 has all budgets,
// and round n of seed S plays what round 0 of seed S+n plays, so that a violation can be replayed alone.
//
// # Invariants
//
// Each request is fitted first, and then:
//
//   - it fits the budget, or the error is [contextwindow.ErrIrreducible] and the fixed parts alone do not fit;
//   - the compaction reports the right sizes and level, made nothing larger, and a second one changes nothing;
//   - the message that opened the run is there, whole, with only history and the digest before it;
//   - it breaks no provider's rule ([transcript.Check]), and no two calls share an id;
//   - without a compaction it extends the previous request byte for byte, and earlier views stay unchanged;
//   - every pointer resolves to the bytes that were received;
//   - a strict service ([strict.Service]) does not refuse it for its provider data, and gets all that fits it.
//
// Some windows are saved and loaded at the end, and must give the same view, usage and log. A panic is a violation too.
package fuzz
