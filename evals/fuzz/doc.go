// Package fuzz plays random operations on windows and counts what breaks the window's invariants.
//
// # How a round is played
//
// A round plays every profile at budgets from 500 to 200,000 tokens with one seed, the large ones not in every round,
// 80 operations each: rounds of one to six parallel calls with results of any kind and size, messages of the user,
// notes, observed counts, refused requests, resets. The texts are code, prose, Chinese, emoji, JSON, single long
// lines, and bytes that are not UTF-8. Round 0 has all budgets, and round n of seed S plays what round 0 of seed S+n
// does, so that a violation can be played again by itself.
//
// # Invariants
//
// Before a request is looked at it is fitted, and then:
//
//   - it fits the budget, or the error is ErrIrreducible and its fixed parts alone do not fit;
//   - the compaction tells the truth about sizes and level, made nothing larger, and a second one changes nothing;
//   - the message that opened the run is there, whole, and before it only history and the record;
//   - no rule of any provider is broken (transcript.Check for each), and no call's id comes twice (compaction.Violations);
//   - without a compaction it goes on byte for byte where the request before ended, and views that were handed out stay;
//   - every pointer resolves to the bytes that were received.
//
// At the end the log is saved and loaded, and must give the same view, usage and log. A panic is a violation too.
package fuzz
